"""One memory through every transport in both eras, with the official Python SDK."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp import StdioServerParameters, stdio_client
from mcp.client.client import Client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from tests.support.live_server import ROOT, LiveServer, live_server

MAKE_TOKEN = """
from oauthserver.models import User
from tests.support.factories import make_personal_token
print(make_personal_token(User.objects.get()))
"""
LIMIT_SECONDS = 60


class Ways:
    """A server with one owner, and the transports to it."""

    def __init__(self, server: LiveServer) -> None:
        self._server = server
        self._headers = {"authorization": f"Bearer {server.run(MAKE_TOKEN).strip()}"}

    @asynccontextmanager
    async def streamable_http(self, mode: Any) -> AsyncIterator[Client]:
        async with (
            httpx2.AsyncClient(headers=self._headers, timeout=LIMIT_SECONDS) as http,
            Client(streamable_http_client(f"{self._server.url}/mcp", http_client=http), mode=mode) as client,
        ):
            yield client

    @asynccontextmanager
    async def http_and_sse(self, mode: Any) -> AsyncIterator[Client]:
        async with Client(sse_client(f"{self._server.url}/mcp/sse", headers=self._headers), mode=mode) as client:
            yield client

    @asynccontextmanager
    async def stdio(self, mode: Any) -> AsyncIterator[Client]:
        program = StdioServerParameters(
            command=sys.executable, args=[str(ROOT / "manage.py"), "mcp_stdio"], env=self._server.environment
        )
        async with Client(stdio_client(program), mode=mode) as client:
            yield client


@pytest.fixture(scope="module")
def ways() -> Iterator[Ways]:
    with live_server(MCP_RATE_LIMIT_PER_MINUTE="0") as server:
        yield Ways(server)


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return the payload of a tool. The SDK has validated it against the tool's schema."""
    result = await client.call_tool(tool, arguments)
    assert result.structured_content is not None
    assert result.is_error is not result.structured_content["ok"]
    return dict(result.structured_content)


@pytest.mark.parametrize(
    ("way", "mode", "agreed"),
    [
        (Ways.streamable_http, "legacy", "2025-11-25"),
        (Ways.streamable_http, "2026-07-28", "2026-07-28"),
        (Ways.http_and_sse, "legacy", "2025-11-25"),
        (Ways.stdio, "legacy", "2025-11-25"),
        (Ways.stdio, "2026-07-28", "2026-07-28"),
    ],
)
def test_what_is_done_on_any_way_is_the_same(ways: Ways, way: Any, mode: str, agreed: str) -> None:
    text = f"The password of the guest network is on the fridge, said by {way.__name__} in {mode}"

    async def run() -> None:
        async with asyncio.timeout(LIMIT_SECONDS), way(ways, mode) as client:
            assert client.protocol_version == agreed
            assert {"remember", "recall", "forget"} <= {tool.name for tool in (await client.list_tools()).tools}
            memory_id = (await call(client, "remember", text=text, tags=["Home"]))["memory_id"]
            assert memory_id in [match["id"] for match in (await call(client, "recall", query=text))["matches"]]
            (read,) = (await client.read_resource(f"ownsona://memory/{memory_id}")).contents
            assert isinstance(read, types.TextResourceContents)
            assert text in read.text
            assert (await client.read_resource("ownsona://tags/home")).contents
            assert "ownsona://stats" in {str(each.uri) for each in (await client.list_resources()).resources}
            prompts = (await client.list_prompts()).prompts
            asked = await client.get_prompt("what-do-you-know-about", {"topic": "the fridge"})
            assert "what-do-you-know-about" in {prompt.name for prompt in prompts}
            assert asked.messages
            assert (await call(client, "remember", text=""))["error"]["code"] == "INVALID_INPUT"
            with pytest.raises(MCPError, match="no_such_tool"):
                await client.call_tool("no_such_tool", {})
            assert (await call(client, "forget", id=memory_id))["message"] == "Forgotten"
            assert (await call(client, "get_memory", id=memory_id))["memory"]["deleted_at"]

    asyncio.run(run())
