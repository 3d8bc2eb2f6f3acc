"""Inferences that an owner refuses from an app, by tag."""

from __future__ import annotations

from collections.abc import Collection, Iterable

ALL = "*"
"""In a collection of refused tags, stands for inferences of every kind. No tag contains this character."""


def first_refused(refused: Collection[str], tags: Iterable[str]) -> str | None:
    """Return why an inference with these canonical `tags` is refused: ALL or a tag. None if it is not."""
    if ALL in refused:
        return ALL
    return next((tag for tag in tags if tag in refused), None)
