"""Whether somebody waits for a vector: then an endpoint gets less time than in the background."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_is_interactive: ContextVar[bool] = ContextVar("is_interactive", default=False)


@contextmanager
def interactive_embedding(enabled: bool = True) -> Iterator[None]:
    """Within the block, what the thread embeds is waited for, or is not."""
    before = _is_interactive.set(enabled)
    try:
        yield
    finally:
        _is_interactive.reset(before)


def is_interactive() -> bool:
    """Whether somebody waits for what the thread embeds now."""
    return _is_interactive.get()
