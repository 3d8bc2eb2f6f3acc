"""Bodies with files, which are kept on disk: see docs/decisions/request-limits.md."""

from __future__ import annotations

import asyncio
import errno
from io import BytesIO
from tempfile import TemporaryFile
from typing import IO

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.core.handlers.asgi import ASGIRequest

from ownsona_site.web.asgi_types import ClientDisconnected, Receive, Scope

UPLOADS_AT_A_TIME = 2
"""In each process. They take turns of their own: a slow upload must not delay the large calls of apps."""

UPLOAD_TIMEOUT_SECONDS = 1800.0
"""Time limit for sending a body: 100 MB at 0.5 MBit/s."""

PART_TIMEOUT_SECONDS = 60.0
"""Time limit for the next part of a body. A client that has gone to sleep must not occupy a place."""

FULL = "The disk of the server is full: nothing was stored. Free some space first."
_FULL_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT})


class UploadRefused(Exception):
    """There is no place for an upload now. The message is for the owner."""


def has_session(scope: Scope) -> bool:
    """Return whether the request has the session of an active user. It needs the database, so run it in a thread."""
    request = ASGIRequest(scope, BytesIO())
    request.session = SessionStore(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    return get_user(request).is_active


async def spool(begun: BytesIO, limit_bytes: int, receive: Receive) -> IO[bytes] | None:
    """Receive a body into an unnamed file and return it, rewound; None above the limit. `begun` is the beginning.

    Raises ClientDisconnected if the client disconnects or takes too long, and UploadRefused if the disk is full.
    """
    file: IO[bytes] = TemporaryFile()  # noqa: SIM115 - as long as the request
    is_whole = False
    try:
        async with asyncio.timeout(UPLOAD_TIMEOUT_SECONDS):
            is_whole = await _receive_into(file, begun, limit_bytes, receive)
    except TimeoutError:
        raise ClientDisconnected from None
    except OSError as error:
        if error.errno in _FULL_ERRORS:
            raise UploadRefused(FULL) from error
        raise
    finally:
        if not is_whole:
            file.close()
    if not is_whole:
        return None
    file.seek(0)
    return file


async def _receive_into(file: IO[bytes], begun: BytesIO, limit_bytes: int, receive: Receive) -> bool:
    """Receive the rest of a body, and return whether all of it is within the limit."""
    # In a thread: a slow disk would stop the event loop, and with it all requests.
    size = await asyncio.to_thread(file.write, begun.getvalue())
    begun.truncate(0)
    while size <= limit_bytes:
        async with asyncio.timeout(PART_TIMEOUT_SECONDS):
            message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnected
        size += await asyncio.to_thread(file.write, message.get("body", b""))
        if not message.get("more_body"):
            break
    await asyncio.to_thread(file.flush)
    return size <= limit_bytes
