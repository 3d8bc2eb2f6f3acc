"""Calls with server requests and notifications, and the HTTP+SSE transport: real clients on two web processes."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from typing import Any

import mcp_types as types
import psutil
import pytest
from mcp.client.client import Client
from mcp.client.context import ClientRequestContext
from mcp.client.sse import sse_client
from mcp.shared.exceptions import MCPError

from tests.clients.driven import DRIVERS
from tests.clients.installed import NODE_PACKAGES, node
from tests.clients.test_eras import Person, text_of
from tests.clients.test_streams import connections_of, web_processes
from tests.support.live_server import LiveServer, live_server
from tests.support.processes import eventually

LIMIT_SECONDS = 60
ROUNDS = 6
"""The number of clients to try. For each, chance decides which process has its stream and which gets its replies."""

LEFT_BEHIND = "SELECT (SELECT count(*) FROM mcpapi_question), (SELECT count(*) FROM mcpapi_session WHERE over_sse)"
COUNT_SCRIPT = f"""
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute({LEFT_BEHIND!r})
    print(*cursor.fetchone())
"""

Transport = Callable[[str], Any]


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    """A server that needs no token and has tools with server requests and notifications."""
    with live_server(DJANGO_SETTINGS_MODULE="tests.conformance.settings") as running:
        yield running


def over_http(url: str) -> Any:
    return f"{url}/mcp"


def over_sse(url: str) -> AbstractAsyncContextManager[Any]:
    return sse_client(f"{url}/mcp/sse")


def use(
    server: LiveServer, transport: Transport, mode: Any, work: Callable[[Client], Awaitable[None]], **options: Any
) -> None:
    """Connect, do `work`, disconnect, and repeat that."""

    async def run() -> None:
        for _ in range(ROUNDS):
            async with asyncio.timeout(LIMIT_SECONDS), Client(transport(server.url), mode=mode, **options) as client:
                await work(client)

    asyncio.run(run())


WAYS = [
    pytest.param(over_http, "legacy", id="handshake era"),
    pytest.param(over_http, "2026-07-28", id="stateless era"),
    pytest.param(over_sse, "legacy", id="HTTP+SSE"),
]


@pytest.mark.parametrize(("transport", "mode"), WAYS)
def test_a_person_is_asked_in_the_middle_of_a_call(server: LiveServer, transport: Transport, mode: str) -> None:
    person = Person()

    async def work(client: Client) -> None:
        said = await client.call_tool("test_input_required_result_multi_round", {})
        assert text_of(said) == "Alice likes blue"

    use(server, transport, mode, work, elicitation_callback=person.elicit)
    assert len(person.asked) == 2 * ROUNDS
    assert eventually(lambda: server.run(COUNT_SCRIPT).split() == ["0", "0"])


@pytest.mark.parametrize(("transport", "mode"), WAYS)
def test_a_client_that_asks_hears_of_progress(server: LiveServer, transport: Transport, mode: str) -> None:
    async def work(client: Client) -> None:
        heard: list[tuple[float, float | None, str | None]] = []

        async def note(progress: float, total: float | None, message: str | None) -> None:
            heard.append((progress, total, message))

        await client.call_tool("test_tool_with_progress", {}, progress_callback=note)
        assert [(progress, total) for progress, total, _ in heard] == [(0, 100), (50, 100), (100, 100)]
        assert heard[1][2] == "Completed step 50 of 100"

    use(server, transport, mode, work)


@pytest.mark.filterwarnings("ignore:The logging capability is deprecated")
@pytest.mark.parametrize("transport", [over_http, over_sse])
def test_a_client_that_wants_messages_gets_them(server: LiveServer, transport: Transport) -> None:
    logged: list[object] = []

    async def note(params: types.LoggingMessageNotificationParams) -> None:
        logged.append(params.data)

    async def work(client: Client) -> None:
        logged.clear()
        await client.set_logging_level("info")
        await client.call_tool("test_tool_with_logging", {})
        assert logged == ["Tool execution started", "Tool processing data", "Tool execution completed"]

    use(server, transport, "legacy", work, logging_callback=note)


def test_many_calls_wait_at_once_in_few_threads_and_leave_nothing_behind(server: LiveServer) -> None:
    everyone_waits = asyncio.Event()
    waiting = 0

    async def think(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        nonlocal waiting
        waiting += 1
        if waiting == 40:
            everyone_waits.set()
        await everyone_waits.wait()
        return types.ElicitResult(action="accept", content={"name": "Alice", "username": "a", "email": "a@b"})

    async def one() -> str:
        async with Client(over_http(server.url), mode="legacy", elicitation_callback=think) as client:
            return text_of(await client.call_tool("test_streaming_elicitation", {}))

    async def work() -> None:
        async with asyncio.timeout(LIMIT_SECONDS):
            assert set(await asyncio.gather(*(one() for _ in range(40)))) == {"Hello, Alice!"}

    processes = web_processes(server)
    assert eventually(lambda: sum(map(connections_of, processes)) == 0)
    asyncio.run(work())
    # One thread per call would add forty.
    assert sum(process.num_threads() for process in processes) < 40
    assert eventually(lambda: sum(map(connections_of, processes)) == 0)
    assert eventually(lambda: server.run(COUNT_SCRIPT).split() == ["0", "0"])


@pytest.mark.parametrize(("kind", "path"), [("http", "/mcp"), ("sse", "/mcp/sse")])
def test_the_typescript_client_is_asked_and_told(server: LiveServer, kind: str, path: str) -> None:
    if not (node().exists() and (NODE_PACKAGES / "@modelcontextprotocol" / "client").exists()):
        pytest.skip("The TypeScript client is not installed: run `make clients`")
    command = [str(node()), str(DRIVERS / "speaking_typescript_client_2.mjs"), f"{server.url}{path}", kind]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "asked": ["Step 1: What is your name?", "Step 2: What is your favorite color?"],
        "progress": [0, 50, 100],
        "logged": ["Tool execution started", "Tool processing data", "Tool execution completed"],
        "said": "Alice likes blue",
    }


def test_a_process_that_dies_takes_its_waiting_calls_along_and_nothing_else(server: LiveServer) -> None:
    async def work() -> None:
        is_asked = asyncio.Event()

        async def never(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
            is_asked.set()
            await asyncio.Event().wait()
            raise AssertionError("nobody gets here")

        async with asyncio.timeout(LIMIT_SECONDS):
            client = Client(over_http(server.url), mode="legacy", elicitation_callback=never)
            async with client:
                call = asyncio.create_task(client.call_tool("test_streaming_elicitation", {}))
                await is_asked.wait()
                for process in before:
                    process.kill()
                with pytest.raises(MCPError):
                    await call

    before = web_processes(server)
    asyncio.run(work())
    assert eventually(lambda: len(set(web_processes(server)) - set(before)) == 2)
    assert psutil.pid_exists(server.process.pid)
