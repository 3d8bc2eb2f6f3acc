"""Driver of the official Python SDK, 1.x: `python_sdk_1.py URL`. See driven.py for its input and output."""

from __future__ import annotations

import asyncio
import json
import sys
import webbrowser
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
from mcp import ClientSession
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

STATE = Path.home()


class Storage:
    """File storage for the SDK's tokens and client information."""

    async def get_tokens(self) -> OAuthToken | None:
        path = STATE / "tokens.json"
        return OAuthToken.model_validate_json(path.read_text()) if path.exists() else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        (STATE / "tokens.json").write_text(tokens.model_dump_json())

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        path = STATE / "client.json"
        return OAuthClientInformationFull.model_validate_json(path.read_text()) if path.exists() else None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        (STATE / "client.json").write_text(client_info.model_dump_json())


class Listener:
    """A local HTTP server that receives the redirect of the browser."""

    async def start(self) -> str:
        self._addresses = asyncio.Queue[str]()
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/callback"

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._addresses.put((await reader.readline()).decode().split()[1])
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        writer.close()

    async def code_and_state(self) -> tuple[str, str | None]:
        answer = parse_qs(urlsplit(await self._addresses.get()).query)
        if "error" in answer:
            raise PermissionError(answer["error"][0])
        return answer["code"][0], answer["state"][0]


async def open_browser(url: str) -> None:
    webbrowser.open(url)


async def main(url: str) -> None:
    listener = Listener()
    metadata = OAuthClientMetadata.model_validate(
        {"client_name": "Python SDK 1", "redirect_uris": [await listener.start()]}
    )
    auth = OAuthClientProvider(url, metadata, Storage(), open_browser, listener.code_and_state)
    async with (
        httpx.AsyncClient(auth=auth, timeout=60) as http,
        streamable_http_client(url, http_client=http) as (read, write, _),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        print(json.dumps([tool.name for tool in (await session.list_tools()).tools]), flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            result = await session.call_tool(**json.loads(line))
            print(json.dumps(result.structuredContent), flush=True)


asyncio.run(main(sys.argv[1]))
