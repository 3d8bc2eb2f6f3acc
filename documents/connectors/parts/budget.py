"""Consumption of a run, compared with its limits."""

from __future__ import annotations

import time

from common.texts import translatable
from documents.connectors.base import MEGABYTE, SourceError, SourceLimits


class LimitReached(SourceError):
    """A failure of the whole run, because the source exceeds one of the limits."""


class Budget:
    """The items, bytes and seconds that one listing has used. The time begins when it is created."""

    def __init__(self, limits: SourceLimits) -> None:
        self._limits = limits
        self._items = 0
        self._bytes = 0
        self.deadline = time.monotonic() + limits.seconds

    def add_item(self) -> None:
        """Count one item. Raises SourceError if there are too many."""
        self._items += 1
        if self._items > self._limits.items:
            raise LimitReached(
                "too_many_items",
                translatable(
                    "The source has more than %(items)s items. Read only a part of it, with include and exclude.",
                    items=f"{self._limits.items:,}",
                ),
            )

    def add_bytes(self, size: int) -> None:
        """Count the size of an item or a response. Raises SourceError if all are too large together."""
        self._bytes += size
        if self._bytes > self._limits.total_bytes:
            raise total_too_large(self._limits.total_bytes)

    def check_time(self) -> None:
        """Raise SourceError if the time has run out."""
        if time.monotonic() > self.deadline:
            raise out_of_time(self._limits.seconds)

    def request_deadline(self) -> float:
        """Return the deadline of a request that begins now (by time.monotonic). Raises SourceError without time."""
        self.check_time()
        return min(self.deadline, time.monotonic() + self._limits.request_seconds)


def total_too_large(total_bytes: int) -> LimitReached:
    """Return the error of a source with more than `total_bytes`."""
    return LimitReached(
        "too_large",
        translatable(
            "The source has more than %(size)s in all. Read only a part of it, with include and exclude.",
            size=_size(total_bytes),
        ),
    )


def out_of_time(seconds: float) -> LimitReached:
    """Return the error of a run that takes longer than `seconds`."""
    return LimitReached(
        "unreachable",
        translatable(
            "The source could not be read within %(seconds)s seconds. The next run continues. If this "
            "repeats, read only a part of it, with include and exclude.",
            seconds=f"{seconds:,.0f}",
        ),
    )


def too_large(item_bytes: int) -> str:
    """Return the reason for skipping an item that is larger than `item_bytes`."""
    return translatable("It is larger than %(size)s, the limit for one document.", size=_size(item_bytes))


def _size(size: int) -> str:
    return f"{size / MEGABYTE:,.0f} MB" if size >= MEGABYTE else f"{size:,} bytes"
