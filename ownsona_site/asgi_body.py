"""Reading the bodies of requests: on the event loop, so that a slow client occupies no thread, and never too much."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

from mcpapi.bodies import max_body_bytes

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

LARGE_BYTES = 256_000
LARGE_AT_A_TIME = 8
WHOLE_WITHIN_SECONDS = 60.0
"""How long a client may take to send a body: whoever is slower holds memory and a place in the queue for nothing."""

DISCARDED_BYTES = 64_000_000
DISCARD_LIMIT_SECONDS = 10.0


class Gone(Exception):
    """The client left, or was given up, before its request was whole."""


class BodyReader:
    """Reads bodies; those above LARGE_BYTES a few at a time, so that they never fill the memory together."""

    def __init__(self) -> None:
        self._large = asyncio.Semaphore(LARGE_AT_A_TIME)

    async def read(self, scope: Scope, receive: Receive) -> bytes:
        """The request's body. Of one that is longer than any call can need, a part that is too long itself.

        Raises Gone.
        """
        declared = dict(scope["headers"]).get(b"content-length", b"")
        if declared.isdigit() and int(declared) > max_body_bytes():
            # The views refuse it for what it declares.
            return b""
        try:
            async with asyncio.timeout(WHOLE_WITHIN_SECONDS):
                return await self._read(receive)
        except TimeoutError:
            raise Gone from None

    async def _read(self, receive: Receive) -> bytes:
        body = bytearray()
        if not await _read_up_to(LARGE_BYTES, body, receive):
            async with self._large:
                await _read_up_to(max_body_bytes(), body, receive)
        return bytes(body)


async def _read_up_to(limit_bytes: int, body: bytearray, receive: Receive) -> bool:
    """Read on until `body` is longer than the limit; whether it is whole."""
    while len(body) <= limit_bytes:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        body += message.get("body", b"")
        if not message.get("more_body"):
            return True
    return False


async def discard_rest(receive: Receive) -> None:
    """Read what is left of a refused body, within limits.

    A connection that is closed over unread data loses the answer that was just sent on it.
    """
    with suppress(Gone, TimeoutError):
        async with asyncio.timeout(DISCARD_LIMIT_SECONDS):
            for _ in range(DISCARDED_BYTES // LARGE_BYTES):
                if await _read_up_to(LARGE_BYTES, bytearray(), receive):
                    return
