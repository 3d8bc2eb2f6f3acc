"""Whether somebody waits for a vector: then an endpoint gets less time than in the background."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_is_awaited: ContextVar[bool] = ContextVar("is_awaited", default=False)


@contextmanager
def while_somebody_waits(waits: bool = True) -> Iterator[None]:
    """Within the block, what the thread embeds is waited for, or is not."""
    before = _is_awaited.set(waits)
    try:
        yield
    finally:
        _is_awaited.reset(before)


def is_awaited() -> bool:
    """Whether somebody waits for what the thread embeds now."""
    return _is_awaited.get()
