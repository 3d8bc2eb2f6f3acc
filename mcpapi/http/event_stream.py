"""Server-sent event streams (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

from django.http import StreamingHttpResponse

KEEP_ALIVE = b": keep-alive\n\n"
"""A comment. It shows proxies and clients that the stream is still alive."""

KEEP_ALIVE_SECONDS = 15.0
MAX_WAITING_BYTES = 1_000_000
"""The most that may wait for a client that does not read. Beyond it the stream ends at the next message.

A single message may be larger: the limit applies only to what waited before it.
"""


def frame(data: bytes, *, name: str = "message", event_id: str | None = None) -> bytes:
    """Return one event with `data`, which must have no line break. With `event_id` a client can resume after it."""
    head = f"event: {name}\n" + (f"id: {event_id}\n" if event_id else "")
    return head.encode() + b"data: " + data + b"\n\n"


class Outbox:
    """The content of a stream. It ends on request or when too much waits; `on_close` runs once after that."""

    def __init__(self, on_close: Callable[[], None]) -> None:
        self._on_close = on_close
        self._lock = threading.Lock()
        self._waiting = bytearray()
        self._ended = False
        self._closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._filled = asyncio.Event()

    def put(self, content: bytes) -> None:
        """Queue `content`. Never blocks. Does nothing after the end."""
        with self._lock:
            self._ended = self._ended or len(self._waiting) > MAX_WAITING_BYTES
            if not self._ended:
                self._waiting += content
        self._wake()

    def send(self, message: bytes, event_id: str | None = None) -> None:
        """See `Sink.send`. `message` becomes an event."""
        self.put(frame(message, event_id=event_id))

    def end(self) -> None:
        """Send what is queued, then end."""
        with self._lock:
            self._ended = True
        self._wake()

    def close(self) -> None:
        """Close the stream, whichever side ended it. Django calls this with its response."""
        with self._lock:
            was_closed, self._closed, self._ended = self._closed, True, True
        if not was_closed:
            self._on_close()

    def _wake(self) -> None:
        if self._loop is not None:
            # An event loop that has ended raises RuntimeError, and has no reader left to wake.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._filled.set)

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        """Return everything queued, or a keep-alive comment after KEEP_ALIVE_SECONDS without content."""
        self._loop = asyncio.get_running_loop()
        while True:
            self._filled.clear()
            with self._lock:
                content, self._waiting, ended = bytes(self._waiting), bytearray(), self._ended
            if content:
                return content
            if ended:
                raise StopAsyncIteration
            try:
                async with asyncio.timeout(KEEP_ALIVE_SECONDS):
                    await self._filled.wait()
            except TimeoutError:
                return KEEP_ALIVE


class EventStream(StreamingHttpResponse):
    """The response that streams the content of `outbox` until it ends or the client disconnects."""

    def __init__(self, outbox: Outbox) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(outbox, content_type="text/event-stream", headers=headers)
