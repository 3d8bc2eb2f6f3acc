"""Streams over real HTTP: the official SDK in both eras, both web processes, and no resources left behind."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import httpx2
import psutil
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated

from tests.clients.test_raw_http import TOKEN_SCRIPT
from tests.support.live_server import LiveServer, live_server
from tests.support.processes import command_of, eventually, listens

LIMIT_SECONDS = 60
STREAMS = 200
UPDATED = "notifications/resources/updated"
LIST_CHANGED = "notifications/resources/list_changed"


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    with live_server(MCP_RATE_LIMIT_PER_MINUTE="0", MCP_MAX_STREAMS="1000") as running:
        yield running


@pytest.fixture(scope="module")
def headers(server: LiveServer) -> dict[str, str]:
    return {"authorization": f"Bearer {server.run(TOKEN_SCRIPT).strip()}"}


def remember(server: LiveServer, headers: dict[str, str], text: str) -> None:
    params = {"name": "remember", "arguments": {"text": text}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    response = httpx.post(f"{server.url}/mcp", json=message, headers=headers, timeout=LIMIT_SECONDS)
    assert response.json()["result"]["structuredContent"]["ok"] is True


def next_method(lines: Iterator[str]) -> str:
    """Return the method of the next message of a stream."""
    data = next(line for line in lines if line.startswith("data: "))
    return str(json.loads(data.removeprefix("data: "))["method"])


def web_processes(server: LiveServer) -> list[psutil.Process]:
    """Return the web processes, without their supervisor and the job process."""
    children = psutil.Process(server.process.pid).children(recursive=True)
    gunicorn = [process for process in children if "gunicorn" in command_of(process)]
    return [process for process in gunicorn if process.parent() in gunicorn and listens(process)]


def test_the_sdk_hears_of_changes_in_the_handshake_era(server: LiveServer, headers: dict[str, str]) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()

    async def note(message: object) -> None:
        if method := getattr(message, "method", None):
            heard.put_nowait(method)

    async def work() -> None:
        async with (
            asyncio.timeout(LIMIT_SECONDS),
            httpx2.AsyncClient(headers=headers, timeout=LIMIT_SECONDS) as http,
            Client(
                streamable_http_client(f"{server.url}/mcp", http_client=http), mode="legacy", message_handler=note
            ) as client,
        ):
            await client.subscribe_resource("ownsona://memory/")
            # The SDK opens its stream in the background, at a time of its own.
            number = 0
            while heard.qsize() < 2:
                number += 1
                await client.call_tool("remember", {"text": f"The handshake heard of number {number}"})
                await asyncio.sleep(0.3)
            assert {heard.get_nowait(), heard.get_nowait()} == {LIST_CHANGED, UPDATED}

    asyncio.run(work())


def test_the_sdk_hears_of_changes_in_the_stateless_era(server: LiveServer, headers: dict[str, str]) -> None:
    async def work() -> None:
        async with (
            asyncio.timeout(LIMIT_SECONDS),
            httpx2.AsyncClient(headers=headers, timeout=LIMIT_SECONDS) as http,
            Client(streamable_http_client(f"{server.url}/mcp", http_client=http)) as client,
            client.listen(resources_list_changed=True, resource_subscriptions=["ownsona://stats"]) as subscription,
        ):
            await client.call_tool("remember", {"text": "Listening needs no session"})
            events = [await anext(subscription), await anext(subscription)]
            assert {type(event) for event in events} == {ResourcesListChanged, ResourceUpdated}

    asyncio.run(work())


def test_the_sdk_hears_of_documents(server: LiveServer, headers: dict[str, str]) -> None:
    async def work() -> None:
        async with (
            asyncio.timeout(LIMIT_SECONDS),
            httpx2.AsyncClient(headers=headers, timeout=LIMIT_SECONDS) as http,
            Client(streamable_http_client(f"{server.url}/mcp", http_client=http)) as client,
        ):
            added = await client.call_tool("add_document", {"text": "# Boat", "source_url": "https://example.com/boat"})
            assert added.structured_content
            uri = f"ownsona://documents/{added.structured_content['document_id']}"
            async with client.listen(resources_list_changed=True, resource_subscriptions=[uri]) as subscription:
                await client.call_tool("add_document", {"text": "# Sold", "source_url": "https://example.com/boat"})
                updated = await anext(subscription)
                if updated == ResourcesListChanged():
                    # The first call has changed the list, too, and may be reported after the subscription.
                    updated = await anext(subscription)
                assert isinstance(updated, ResourceUpdated)
                assert updated.uri == uri
                await client.call_tool("forget_document", {"id": uri.rpartition("/")[2]})
                events = [await anext(subscription), await anext(subscription)]
                assert {type(event) for event in events} == {ResourcesListChanged, ResourceUpdated}

    asyncio.run(work())


def test_streams_in_every_process_hear_of_a_change_and_leave_nothing_behind(
    server: LiveServer, headers: dict[str, str]
) -> None:
    processes = web_processes(server)
    assert len(processes) == 2
    with ExitStack() as warm_up:
        for _ in range(8):
            open_stream(warm_up, server, headers)
    assert eventually(lambda: sum(map(connections_of, processes)) == 0)
    threads = sum(process.num_threads() for process in processes)
    memory = sum(process.memory_info().rss for process in processes)
    with ExitStack() as open_streams:
        streams = [open_stream(open_streams, server, headers) for _ in range(STREAMS)]
        assert all(connections_of(process) > 0 for process in processes)
        remember(server, headers, f"All of {STREAMS} streams hear of this")
        assert {next_method(lines) for lines in streams} == {LIST_CHANGED}
    assert eventually(lambda: sum(map(connections_of, processes)) == 0)
    # Threads for views start on first use. Their number is small and does not depend on the number of streams.
    assert sum(process.num_threads() for process in processes) < threads + STREAMS / 10
    assert sum(process.memory_info().rss for process in processes) - memory < STREAMS * 200_000


def open_stream(stack: ExitStack, server: LiveServer, headers: dict[str, str]) -> Iterator[str]:
    """Open a stream on a connection of its own and return its lines. It is closed together with `stack`."""
    client = stack.enter_context(
        httpx.Client(headers={**headers, "accept": "text/event-stream"}, timeout=LIMIT_SECONDS)
    )
    response = stack.enter_context(client.stream("GET", f"{server.url}/mcp"))
    assert response.status_code == 200
    return response.iter_lines()


def connections_of(process: psutil.Process) -> int:
    """Return how many clients are connected to the process."""
    return sum(each.status == psutil.CONN_ESTABLISHED for each in process.net_connections("tcp"))


def test_a_server_that_stops_ends_its_streams_in_order(headers: dict[str, str]) -> None:
    with live_server() as stopping, ExitStack() as stack:
        own = {"authorization": f"Bearer {stopping.run(TOKEN_SCRIPT).strip()}"}
        lines = open_stream(stack, stopping, own)
        asked_at = time.monotonic()
        stopping.process.terminate()
        # A broken stream would raise.
        assert [line for line in lines if line.startswith("data:")] == []
        assert stopping.process.wait(LIMIT_SECONDS) == 0
        assert time.monotonic() - asked_at < LIMIT_SECONDS
    assert "Forcing close" not in "".join(stopping.output)
