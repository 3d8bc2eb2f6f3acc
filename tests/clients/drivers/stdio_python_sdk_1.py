"""Driver of the official Python SDK, 1.x, with a server that it starts: `… COMMAND…`. See driven.py."""

from __future__ import annotations

import asyncio
import json
import os
import sys

import anyio
from mcp import ClientSession, StdioServerParameters, stdio_client


async def main(command: str, *args: str) -> None:
    program = StdioServerParameters(command=command, args=list(args), env=dict(os.environ))
    async with stdio_client(program) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        print(json.dumps([tool.name for tool in (await session.list_tools()).tools]), flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            result = await session.call_tool(**json.loads(line))
            print(json.dumps(result.structuredContent), flush=True)


try:
    asyncio.run(main(*sys.argv[1:]))
except BaseExceptionGroup as errors:
    # This SDK reads on after it has closed its session, and fails if a notification arrives just then.
    if errors.split(anyio.BrokenResourceError)[1] is not None:
        raise
