"""Driver of FastMCP's client: `fastmcp_client.py URL`. See driven.py for its input and output."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from fastmcp import Client
from fastmcp.client.auth import OAuth
from key_value.aio.stores.filetree import (
    FileTreeStore,
    FileTreeV1CollectionSanitizationStrategy,
    FileTreeV1KeySanitizationStrategy,
)

STORE = FileTreeStore(
    data_directory=Path.home(),
    key_sanitization_strategy=FileTreeV1KeySanitizationStrategy(Path.home()),
    collection_sanitization_strategy=FileTreeV1CollectionSanitizationStrategy(Path.home()),
)


async def main(url: str) -> None:
    async with Client(url, auth=OAuth(token_storage=STORE)) as client:
        print(json.dumps([tool.name for tool in await client.list_tools()]), flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            result = await client.call_tool(**json.loads(line))
            print(json.dumps(result.structured_content), flush=True)


asyncio.run(main(sys.argv[1]))
