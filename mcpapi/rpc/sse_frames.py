"""Messages as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): pure."""

from __future__ import annotations

KEEP_ALIVE = b": keep-alive\n\n"
"""A comment, which tells proxies and clients that the stream is still there."""


def frame(data: bytes, *, name: str = "message", event_id: str | None = None) -> bytes:
    """One event with `data`, which has no line break. With `event_id` a client can resume after it."""
    head = f"event: {name}\n" + (f"id: {event_id}\n" if event_id else "")
    return head.encode() + b"data: " + data + b"\n\n"
