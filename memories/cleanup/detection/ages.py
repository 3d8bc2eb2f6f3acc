"""Memories whose time has passed, and memories that nobody has needed for a year."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime, timedelta
from typing import Protocol

from common.texts import translatable
from memories.cleanup.detection.found import ActiveMemory, FindingKind, Found
from memories.drafts import stated_times


class HasText(Protocol):
    """A memory, as it is stored or as the rules read it."""

    @property
    def text(self) -> str: ...

    @property
    def created_at(self) -> datetime: ...


LONG_AGO = timedelta(days=7)
"""The time after its end from which a memory counts as past for good."""

UNUSED_AFTER = timedelta(days=365)

MAX_UNUSED_IMPORTANCE = 0.8
"""More important memories are kept for the day on which they are needed."""


def find_past(memories: Iterable[ActiveMemory], now: datetime) -> Iterator[Found]:
    """Yield the memories that ended long ago, and that nobody has confirmed since."""
    for memory in memories:
        end = memory.valid_until
        if end is not None and end < now - LONG_AGO and memory.last_confirmed_at <= end and states_end(memory):
            reason = translatable("The time for which it holds ended on %(day)s.", day=end.date().isoformat())
            yield Found(FindingKind.PAST, [memory.id], reason, (now - end).total_seconds())


def states_end(memory: HasText) -> bool:
    """Return whether the text itself says that it ends. An end that somebody has set keeps the memory on record."""
    return stated_times(memory.text, memory.created_at)[1] is not None


def find_unused(memories: Iterable[ActiveMemory], recalled: Collection[int], now: datetime) -> Iterator[Found]:
    """Yield the memories that were neither recalled nor confirmed for a year. `recalled` are those that were."""
    long_ago = now - UNUSED_AFTER
    for memory in memories:
        if memory.id in recalled or memory.briefing_place is not None or memory.importance > MAX_UNUSED_IMPORTANCE:
            continue
        if max(memory.created_at, memory.last_confirmed_at) < long_ago:
            day = memory.last_confirmed_at.date().isoformat()
            reason = translatable("It was not recalled for a year, and last confirmed on %(day)s.", day=day)
            yield Found(FindingKind.UNUSED, [memory.id], reason, (now - memory.last_confirmed_at).total_seconds())
