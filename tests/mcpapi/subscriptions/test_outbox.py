"""Tests of the messages to be sent on a stream: order, keep-alive, and an end in every case."""

from __future__ import annotations

import asyncio
import threading

import pytest

from mcpapi.http import event_stream as module
from mcpapi.http.event_stream import KEEP_ALIVE, Outbox, frame
from tests.support.mcp.event_reader import run


def ignore() -> None:
    return None


def test_what_other_threads_put_in_comes_out_in_order_and_then_the_end() -> None:
    async def work() -> None:
        outbox = Outbox(ignore)

        def fill() -> None:
            for number in range(1000):
                outbox.put(b"%d " % number)
            outbox.end()

        thread = threading.Thread(target=fill)
        thread.start()
        async with asyncio.timeout(30):
            content = b"".join([part async for part in outbox])
        thread.join()
        assert content.split() == [b"%d" % number for number in range(1000)]

    run(work)


def test_silence_is_broken_by_a_comment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEEP_ALIVE_SECONDS", 0.01)

    async def work() -> None:
        async with asyncio.timeout(30):
            assert await anext(Outbox(ignore)) == KEEP_ALIVE

    run(work)


def test_a_stream_that_nobody_reads_ends() -> None:
    async def work() -> None:
        outbox = Outbox(ignore)
        for _ in range(20):
            outbox.put(b"x" * 100_000)
        async with asyncio.timeout(30):
            content = b"".join([part async for part in outbox])
        assert module.MAX_WAITING_BYTES < len(content) < module.MAX_WAITING_BYTES + 200_000

    run(work)


def test_one_message_larger_than_what_may_wait_is_sent_and_the_stream_goes_on() -> None:
    async def work() -> None:
        outbox = Outbox(ignore)
        async with asyncio.timeout(30):
            outbox.put(b"x" * (2 * module.MAX_WAITING_BYTES))
            assert len(await anext(outbox)) == 2 * module.MAX_WAITING_BYTES
            outbox.put(b"next")
            assert await anext(outbox) == b"next"

    run(work)


def test_whoever_closes_it_and_how_often_the_end_is_told_once() -> None:
    told = []
    outbox = Outbox(lambda: told.append("closed"))
    outbox.put(b"never sent")
    outbox.close()
    outbox.close()
    assert told == ["closed"]


def test_an_event_is_framed_as_the_standard_says() -> None:
    assert frame(b"{}", event_id="7") == b"event: message\nid: 7\ndata: {}\n\n"
    assert frame(b"/there", name="endpoint") == b"event: endpoint\ndata: /there\n\n"
