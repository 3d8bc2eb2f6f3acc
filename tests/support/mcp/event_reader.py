"""A reader of event streams."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import connection
from django.http import StreamingHttpResponse

T = TypeVar("T")
LIMIT_SECONDS = 30.0


@dataclass(frozen=True)
class Event:
    """An event of a stream."""

    message: dict[str, Any]
    event_id: str | None

    @property
    def method(self) -> str:
        return str(self.message["method"])

    @property
    def uri(self) -> str:
        return str(self.message["params"]["uri"])


class EventReader:
    """A reader of the events in a response's stream."""

    def __init__(self, response: StreamingHttpResponse) -> None:
        assert response.headers["Content-Type"] == "text/event-stream", response
        self.response = response
        self._parts: AsyncIterator[bytes] = aiter(response)
        self._received = b""

    async def next(self) -> Event | None:
        """Return the next message, or None at the end."""
        fields = await self._next()
        return Event(json.loads(fields["data"]), fields.get("id")) if fields else None

    async def raw(self) -> dict[str, str]:
        """Return the fields of the next event, which must exist."""
        fields = await self._next()
        assert fields is not None
        return fields

    async def _next(self) -> dict[str, str] | None:
        async with asyncio.timeout(LIMIT_SECONDS):
            while (block := await self._next_block()).startswith(b":"):
                pass
        return dict(line.split(": ", 1) for line in block.decode().splitlines()) if block else None

    async def _next_block(self) -> bytes:
        """Return the next event or comment; empty at the end."""
        while b"\n\n" not in self._received:
            part = await anext(self._parts, None)
            if part is None:
                return b""
            self._received += part
        block, _, self._received = self._received.partition(b"\n\n")
        return block

    async def event(self) -> Event:
        """Return the next event, which must exist."""
        found = await self.next()
        assert found is not None
        return found

    async def close(self) -> None:
        """Close the stream."""
        await in_thread(self.response.close)


async def in_thread(work: Callable[..., T], *arguments: object, **named: object) -> T:
    """Do `work`, which uses the database, in a thread."""

    def run() -> T:
        try:
            return work(*arguments, **named)
        finally:
            connection.close()

    return await asyncio.to_thread(run)


def run(work: Callable[[], Awaitable[None]]) -> None:
    """Run a test that is a coroutine."""

    async def main() -> None:
        await work()

    asyncio.run(main())
