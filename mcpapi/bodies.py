"""Reading a request's body without letting it grow past what any call can need."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

from mcpapi.jsonrpc import INVALID_REQUEST, RpcError

BYTES_PER_CHARACTER = 12
"""A character outside the BMP, escaped in JSON as two \\uXXXX."""


def max_body_bytes() -> int:
    """The largest body that a full batch of the longest texts can have, and some room for the rest."""
    return int(settings.MAX_TEXT_CHARS * settings.MAX_BATCH_SIZE * BYTES_PER_CHARACTER + 1_000_000)


def read_body(request: HttpRequest) -> bytes:
    """The body, sent whole or in chunks. Raises RpcError (HTTP 413) for one that is too large."""
    limit = max_body_bytes()
    declared = request.META.get("CONTENT_LENGTH")
    if declared and declared.isdigit() and int(declared) > limit:
        raise too_large()
    # Not `request.body`, which knows the smaller limit of forms.
    body = request.read(limit + 1)
    if len(body) > limit:
        raise too_large()
    return body


def too_large() -> RpcError:
    """What answers a message that is larger."""
    return RpcError(
        INVALID_REQUEST,
        "Request too large",
        reason="request_too_large",
        status=413,
        details=f"A request may have at most {max_body_bytes()} bytes.",
    )
