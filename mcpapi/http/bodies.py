"""Request bodies: reading them within a limit, and the turns of large ones."""

from __future__ import annotations

import threading
from collections.abc import Callable

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest

from mcpapi.methods.body_limits import largest_limit, too_large
from mcpapi.rpc.jsonrpc import INTERNAL_ERROR, RpcError

TURN = "ownsona.large_body_turn"
"""In `request.META`: the `Turn` of a large body."""

BUSY_RETRY_SECONDS = 5


def read_body(request: HttpRequest, limit_bytes: int | None = None) -> bytes:
    """Return the body, sent whole or chunked. Raises RpcError (HTTP 413) if it is too large."""
    limit = limit_bytes or largest_limit().bytes
    declared = request.META.get("CONTENT_LENGTH")
    if declared and declared.isdigit() and len(declared) < 20 and int(declared) > limit:
        raise too_large(limit)
    try:
        # `request.body` would apply the smaller limit that is meant for forms.
        body = request.read(limit + 1)
    except RequestDataTooBig:
        raise too_large(limit) from None
    if len(body) > limit:
        raise too_large(limit)
    return body


def busy() -> RpcError:
    """Return the error for a large body whose turn did not come in time (HTTP 503)."""
    return RpcError(
        INTERNAL_ERROR,
        "Server busy",
        reason="server_busy",
        status=503,
        headers={"Retry-After": str(BUSY_RETRY_SECONDS)},
        details="Other large requests are being processed. Retry in a few seconds, or send smaller requests.",
    )


class Turn:
    """The time in which one large body may take memory: until its request and all its pending calls have ended.

    `on_over` is called once, in the thread in which the last holder ends.
    """

    def __init__(self, on_over: Callable[[], None]) -> None:
        self._on_over = on_over
        self._lock = threading.Lock()
        self._holders = 1

    def hold(self) -> None:
        """Add a holder: the turn lasts until `release` has been called once more."""
        with self._lock:
            self._holders += 1

    def release(self) -> None:
        """Remove a holder. The turn ends with the last one."""
        with self._lock:
            self._holders -= 1
            is_over = self._holders == 0
        if is_over:
            self._on_over()


def hold_turn_of(request: HttpRequest) -> Callable[[], None]:
    """Hold the turn of the request's body, if it has one. Return the function that releases it."""
    return hold(request.META.get(TURN))


def hold(turn: Turn | None) -> Callable[[], None]:
    """Hold `turn`, if there is one. Return the function that releases it."""
    if turn is None:
        return lambda: None
    turn.hold()
    return turn.release
