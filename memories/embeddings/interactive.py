"""Marker of interactive use: an endpoint gets less time while a caller waits than in the background."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_is_interactive: ContextVar[bool] = ContextVar("is_interactive", default=False)


@contextmanager
def interactive_embedding(enabled: bool = True) -> Iterator[None]:
    """Mark what the thread embeds within the block as interactive, or as not interactive."""
    before = _is_interactive.set(enabled)
    try:
        yield
    finally:
        _is_interactive.reset(before)


def is_interactive() -> bool:
    """Return whether a caller waits for what the thread embeds now."""
    return _is_interactive.get()
