"""Driver of a client that speaks only stdio, through mcp-remote: `mcp_remote.py URL`. See driven.py."""

from __future__ import annotations

import asyncio
import json
import os
import sys

from mcp import StdioServerParameters, stdio_client
from mcp.client.client import Client

from tests.clients.installed import NODE_PACKAGES, node


async def main(url: str) -> None:
    bridge = StdioServerParameters(
        command=str(node()), args=[str(NODE_PACKAGES / "mcp-remote" / "dist" / "proxy.js"), url], env=dict(os.environ)
    )
    async with Client(stdio_client(bridge)) as client:
        print(json.dumps([tool.name for tool in (await client.list_tools()).tools]), flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            result = await client.call_tool(**json.loads(line))
            print(json.dumps(result.structured_content), flush=True)


asyncio.run(main(sys.argv[1]))
