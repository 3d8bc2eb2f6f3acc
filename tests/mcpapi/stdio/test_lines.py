"""Tests of messages as lines, and of clients that stop reading them."""

from __future__ import annotations

import os
from io import BytesIO, FileIO

import pytest

from mcpapi.stdio.lines import LineSink, LineWriter, read_lines


def lines_of(content: bytes, limit: int = 10) -> list[bytes | None]:
    return list(read_lines(BytesIO(content), limit))


def test_each_line_is_a_message_and_blank_ones_are_none() -> None:
    assert lines_of(b"one\n\n \t\r\ntwo\r\n") == [b"one\n", b"two\r\n"]


def test_what_comes_before_the_end_needs_no_line_break() -> None:
    assert lines_of(b"one\ntwo") == [b"one\n", b"two"]


def test_a_line_over_the_limit_is_told_of_and_the_next_one_is_read() -> None:
    assert lines_of(b"x" * 10 + b"\n" + b"x" * 11 + b"\none\n") == [b"x" * 10 + b"\n", None, b"one\n"]
    assert lines_of(b"x" * 200_000 + b"\none\n") == [None, b"one\n"]
    assert lines_of(b"x" * 200_000) == [None]


def test_a_message_is_written_whole_however_slowly_it_is_taken() -> None:
    class Narrow(FileIO):
        def write(self, content: object) -> int:
            return super().write(bytes(memoryview(content)[:3]))  # type: ignore[arg-type] # anything with bytes

    reads_from, writes_to = os.pipe()
    with Narrow(writes_to, "wb") as stream:
        LineWriter(stream, lambda: None).send(b"a message")
    with FileIO(reads_from) as read:
        assert read.readall() == b"a message\n"


def test_a_client_that_has_left_is_told_of_once_and_written_to_no_more() -> None:
    reads_from, writes_to = os.pipe()
    os.close(reads_from)
    left: list[bool] = []
    with FileIO(writes_to, "wb") as stream:
        output = LineWriter(stream, lambda: left.append(True))
        output.send(b"one")
        output.send(b"two")
    assert left == [True]


def test_a_stream_says_nothing_after_its_end_and_leaves_once() -> None:
    reads_from, writes_to = os.pipe()
    left: list[bool] = []
    with FileIO(writes_to, "wb") as stream:
        sink = LineSink(LineWriter(stream, lambda: None), lambda: left.append(True))
        sink.release()
        sink.send(b"one")
        sink.end()
        sink.send(b"two")
        sink.close()
    with FileIO(reads_from) as read:
        assert read.readall() == b"one\n"
    assert left == [True]


@pytest.mark.parametrize(("closes", "written"), [("end", b"one\n"), ("close", b"")])
def test_messages_are_held_until_the_stream_is_released(closes: str, written: bytes) -> None:
    reads_from, writes_to = os.pipe()
    with FileIO(reads_from) as read, FileIO(writes_to, "wb") as stream:
        os.set_blocking(reads_from, False)
        sink = LineSink(LineWriter(stream, lambda: None), lambda: None)
        sink.send(b"one")
        assert read.read() is None
        getattr(sink, closes)()
        sink.release()
        assert (read.read() or b"") == written
