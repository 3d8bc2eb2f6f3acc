"""Reader for request bodies, with size limits. It runs on the event loop, so that slow clients occupy no thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from io import SEEK_END, BytesIO, RawIOBase
from typing import IO, NoReturn, cast

from django.core.exceptions import RequestDataTooBig

from common.allocation import give_back_what_is_free
from common.disk_space import is_full
from mcpapi.http.bodies import Turn, busy
from ownsona_site.web.asgi_types import ClientDisconnected, Receive, Scope
from ownsona_site.web.body_sizes import APP_UPLOAD_PATHS, UPLOAD_PATHS, large_bytes, max_bytes
from ownsona_site.web.shared_turn import SharedTurn
from ownsona_site.web.uploads import FULL, UPLOADS_AT_A_TIME, UploadRefused, spool

LARGE_AT_A_TIME = 1
HUGE_BYTES = 2_000_000
"""Body size above which only one body at a time is read in all processes together."""

TURN_WITHIN_SECONDS = 30.0
"""Time that a large body waits for its turn before the client is asked to retry."""

BODY_TIMEOUT_SECONDS = 60.0
"""Time limit for sending a body. A slower client would keep memory and a place in the queue occupied."""

DISCARDED_BYTES = 64_000_000
DISCARDED_AT_A_TIME = 256_000
DISCARD_LIMIT_SECONDS = 10.0


class BodyTooLarge(RequestDataTooBig):
    """The body of a request has more than `limit` bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"This request may have at most {limit} bytes.")
        self.limit = limit


class ReadOnce(BytesIO):
    """The content of a body, which frees its buffer once it has been read to the end."""

    def read(self, size: int | None = -1) -> bytes:
        """See `io.BytesIO`."""
        content = super().read(size)
        position = self.tell()
        if position < self.seek(0, SEEK_END):
            self.seek(position)
        else:
            self.truncate(0)
            self.seek(0)
        return content


class Unreadable(RawIOBase):
    """The content of a body that was not read. Reading it raises `error`."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def read(self, size: int = -1) -> NoReturn:
        """Raise the error."""
        raise self._error


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a request, with a `turn` if it is large. `is_unread`: the client may still be sending it."""

    content: IO[bytes]
    is_unread: bool = False
    turn: Turn | None = None


class BodyReader:
    """Reads bodies. Large ones are read one at a time, to limit the memory they use together.

    `is_from_app` returns whether a request has a valid token, and `is_from_owner` whether it has the session of a user.
    Large bodies of other requests are not read. Files are kept on disk.
    """

    def __init__(
        self, is_from_app: Callable[[Scope], Awaitable[bool]], is_from_owner: Callable[[Scope], Awaitable[bool]]
    ) -> None:
        self._is_from_app = is_from_app
        self._is_from_owner = is_from_owner
        self._uploads = asyncio.Semaphore(UPLOADS_AT_A_TIME)
        self._large = asyncio.Semaphore(LARGE_AT_A_TIME)
        self._huge = SharedTurn()

    @asynccontextmanager
    async def body_of(self, scope: Scope, receive: Receive) -> AsyncIterator[Body]:
        """Yield the body of the request. A large body keeps its turn until the block ends and no one holds the turn.

        Nothing is kept of a body that exceeds the limit of its path, or of a large one without a valid token. Raises
        ClientDisconnected and UploadRefused.
        """
        limit, large = max_bytes(scope["path"]), large_bytes()
        content = ReadOnce()
        if _declared_bytes(scope) > limit:
            yield _too_big(limit)
        elif _declared_bytes(scope) <= large and await _read(content, min(limit, large), receive):
            yield _whole(content, limit)
        elif limit <= large:
            yield _too_big(limit)
        elif scope["path"] in UPLOAD_PATHS:
            async with self._upload_of(scope, content, limit, receive) as body:
                yield body
        elif not await self._is_from_app(scope):
            # The view refuses the request before it reads the body.
            yield Body(BytesIO(), is_unread=True)
        elif not await _has_acquired(self._large):
            yield _unreadable(busy())
        else:
            turn = Turn(self._end_of_turn())
            try:
                if await _read(content, min(limit, HUGE_BYTES), receive):
                    yield _whole(content, limit, turn)
                elif not await self._huge.take(TURN_WITHIN_SECONDS):
                    yield _unreadable(busy())
                elif await _read(content, limit, receive):
                    yield _whole(content, limit, turn)
                else:
                    yield _too_big(limit)
            finally:
                turn.release()

    @asynccontextmanager
    async def _upload_of(self, scope: Scope, begun: BytesIO, limit: int, receive: Receive) -> AsyncIterator[Body]:
        """Yield the body of an upload as a file on disk, which whoever reads it closes. `begun` is its beginning."""
        is_from_user = self._is_from_app if scope["path"] in APP_UPLOAD_PATHS else self._is_from_owner
        if not await is_from_user(scope):
            # The view refuses the request, or redirects to the login, before it reads the body.
            yield Body(BytesIO(), is_unread=True)
        elif is_full():
            raise UploadRefused(FULL)
        elif not await _has_acquired(self._uploads):
            raise UploadRefused("Other files are being uploaded. Retry in a moment.")
        else:
            turn = Turn(_in_loop(self._uploads.release))
            try:
                file = await spool(begun, limit, receive)
                yield Body(file, turn=turn) if file else _too_big(limit)
            finally:
                turn.release()

    def _end_of_turn(self) -> Callable[[], None]:
        """Return a function that ends a turn, from any thread."""
        release = _in_loop(self._large.release)

        def end() -> None:
            give_back_what_is_free()
            self._huge.release()
            release()

        return end


async def _has_acquired(places: asyncio.Semaphore) -> bool:
    """Wait for a place, up to TURN_WITHIN_SECONDS. Return whether there was one."""
    try:
        async with asyncio.timeout(TURN_WITHIN_SECONDS):
            return await places.acquire()
    except TimeoutError:
        return False


def _in_loop(work: Callable[[], None]) -> Callable[[], None]:
    """Return a function that has the running event loop do `work`. It can be called in any thread."""
    loop = asyncio.get_running_loop()

    def call() -> None:
        # RuntimeError: the loop is closed, so no request is waiting.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(work)

    return call


def _declared_bytes(scope: Scope) -> int:
    """Return the declared Content-Length, or 0. Only its first twenty digits are read: more exceed any limit anyway."""
    declared: bytes = dict(scope["headers"]).get(b"content-length", b"")
    return int(declared[:20]) if declared.isdigit() else 0


def _whole(content: BytesIO, limit: int, turn: Turn | None = None) -> Body:
    # The last part received may have exceeded the limit.
    return Body(content, turn=turn) if content.getbuffer().nbytes <= limit else _too_big(limit)


def _too_big(limit: int) -> Body:
    return _unreadable(BodyTooLarge(limit))


def _unreadable(error: Exception) -> Body:
    return Body(cast(IO[bytes], Unreadable(error)), is_unread=True)


async def _read(body: BytesIO, limit_bytes: int, receive: Receive) -> bool:
    """Receive into `body` until it is complete or exceeds the limit. Return whether it is complete, and rewind it then.

    A complete body may exceed the limit by its last part. Raises ClientDisconnected if the client disconnects or takes
    too long.
    """
    try:
        async with asyncio.timeout(BODY_TIMEOUT_SECONDS):
            is_whole = await _read_up_to(limit_bytes, body, receive)
    except TimeoutError:
        raise ClientDisconnected from None
    if is_whole:
        # getvalue() trims the buffer to its length, so that reading all of it makes no copy.
        body.getvalue()
        body.seek(0)
    return is_whole


async def _read_up_to(limit_bytes: int, body: BytesIO, receive: Receive) -> bool:
    """Receive into `body` until it is complete or exceeds the limit. Return whether it is complete."""
    while body.tell() <= limit_bytes:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnected
        body.write(message.get("body", b""))
        if not message.get("more_body"):
            return True
    return False


async def discard_rest(receive: Receive) -> None:
    """Read and discard the rest of a refused body, up to DISCARDED_BYTES and DISCARD_LIMIT_SECONDS.

    Closing a connection that has unread data resets it, and the client would lose the response.
    """
    with suppress(ClientDisconnected, TimeoutError):
        async with asyncio.timeout(DISCARD_LIMIT_SECONDS):
            for _ in range(DISCARDED_BYTES // DISCARDED_AT_A_TIME):
                if await _read_up_to(DISCARDED_AT_A_TIME, BytesIO(), receive):
                    return
