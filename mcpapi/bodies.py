"""Reading a request's body without letting it grow past what any call can need."""

from __future__ import annotations

from contextlib import suppress

from django.conf import settings
from django.http import HttpRequest, UnreadablePostError

from mcpapi.jsonrpc import INVALID_REQUEST, RpcError

BYTES_PER_CHARACTER = 12
"""A character outside the BMP, escaped in JSON as two \\uXXXX."""


def max_body_bytes() -> int:
    """The largest body that a full batch of the longest texts can have, and some room for the rest."""
    return int(settings.MAX_TEXT_CHARS * settings.MAX_BATCH_SIZE * BYTES_PER_CHARACTER + 1_000_000)


UNREAD_LIMIT_BYTES = 1_000_000
"""How much of a refused request is read all the same."""
CHUNK_BYTES = 65_536


def discard_body(request: HttpRequest) -> None:
    """Read the body of a request that is refused without a look at it, so that its connection stays usable.

    The web server reads no more than 64 kB and then closes, which a client takes for a failure of its next request:
    after a 401, the one that renews its token.
    """
    # A client that is gone needs no connection.
    with suppress(UnreadablePostError):
        for _ in range(0, UNREAD_LIMIT_BYTES, CHUNK_BYTES):
            if not request.read(CHUNK_BYTES):
                return


def read_body(request: HttpRequest) -> bytes:
    """The body, sent whole or in chunks. Raises RpcError (HTTP 413) for one that is too large."""
    limit = max_body_bytes()
    declared = request.META.get("CONTENT_LENGTH")
    if declared and declared.isdigit() and int(declared) > limit:
        raise _too_large(limit)
    if declared:
        return request.body
    # Without a Content-Length Django sees no body; the server ends a chunked one by itself.
    body: bytes = request.META["wsgi.input"].read(limit + 1) if "wsgi.input_terminated" in request.META else b""
    if len(body) > limit:
        raise _too_large(limit)
    return body


def _too_large(limit: int) -> RpcError:
    return RpcError(
        INVALID_REQUEST,
        "Request too large",
        reason="request_too_large",
        status=413,
        details=f"A request may have at most {limit} bytes.",
    )
