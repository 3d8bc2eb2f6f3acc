"""The official Python SDK in both eras: it detects the era and answers server requests."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.context import ClientRequestContext
from mcp.shared.exceptions import MCPError

from tests.support.live_server import LiveServer, live_server


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    """A server that needs no token and has tools with server requests."""
    with live_server(DJANGO_SETTINGS_MODULE="tests.conformance.settings") as running:
        yield running


class Person:
    """The person at the client, and the requests that were shown to them."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def elicit(self, context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.asked.append(params.message)
        field = "name" if "name" in params.message else "color"
        return types.ElicitResult(action="accept", content={field: {"name": "Alice", "color": "blue"}[field]})


def use(server: LiveServer, mode: Any, work: Callable[[Client], Awaitable[Any]], **options: Any) -> Any:
    """Connect, do `work`, disconnect."""

    async def run() -> Any:
        async with Client(f"{server.url}/mcp", mode=mode, **options) as client:
            return await work(client)

    return asyncio.run(run())


def text_of(result: types.CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text


@pytest.mark.parametrize(("mode", "agreed"), [("auto", "2026-07-28"), ("2026-07-28", "2026-07-28"), ("legacy", None)])
def test_a_client_lists_and_calls_in_either_era(server: LiveServer, mode: str, agreed: str | None) -> None:
    async def work(client: Client) -> tuple[str, str, int]:
        result = await client.call_tool("test_simple_text", {})
        return client.protocol_version, text_of(result), len((await client.list_tools()).tools)

    version, said, tools = use(server, mode, work)
    assert version == (agreed or "2025-11-25")
    assert said == "This is a simple text response for testing."
    assert tools > 10


def test_a_client_goes_round_after_round_until_all_is_answered(server: LiveServer) -> None:
    person = Person()

    async def work(client: Client) -> str:
        return text_of(await client.call_tool("test_input_required_result_multi_round", {}))

    assert use(server, "auto", work, elicitation_callback=person.elicit) == "Alice likes blue"
    assert person.asked == ["Step 1: What is your name?", "Step 2: What is your favorite color?"]


def test_a_client_that_cannot_be_asked_is_told_what_it_lacks(server: LiveServer) -> None:
    async def work(client: Client) -> types.ErrorData:
        with pytest.raises(MCPError) as refused:
            await client.call_tool("test_input_required_result_multi_round", {})
        return refused.value.error

    error = use(server, "auto", work)
    assert error.code == -32021
    assert error.data["requiredCapabilities"] == {"elicitation": {}}
