"""Findings before they are stored, and the memories that they are made from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

import orjson

from memories.access import View
from memories.models import CleanupFinding, Memory


class FindingKind(StrEnum):
    """The kinds of problems that memories or tags may have."""

    DUPLICATES = "duplicates"
    CONTRADICTION = CleanupFinding.CONTRADICTION
    PAST = "past"
    FRAGMENT = "fragment"
    UNUSED = "unused"
    SAME_TAGS = "same_tags"
    TAG_SUGGESTION = "tag_suggestion"


@dataclass(frozen=True, slots=True)
class Found:
    """One finding: the memories that it is about, why, and how sure it is among those of its kind.

    `details`, JSON values, are by kind: `kept_id` of duplicates and contradictions, `tags` and `into` of the same tags,
    and `tags`, all that the memory would have, of a suggestion.
    """

    kind: FindingKind
    memory_ids: Sequence[int]
    reason: str
    strength: float = 0.0
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> bytes:
        """The identity of the finding, by which it is found again: its kind, memories and tags."""
        tags = sorted(self.details.get("tags", ()))
        return hashlib.sha256(orjson.dumps([self.kind.value, sorted(self.memory_ids), tags])).digest()


class ActiveMemory(NamedTuple):
    """The values of a memory that the rules read."""

    id: int
    text: str
    tags: list[str]
    importance: float
    created_at: datetime
    last_confirmed_at: datetime
    valid_from: datetime | None
    valid_until: datetime | None
    briefing_place: str | None


def active_memories(view: View) -> dict[int, ActiveMemory]:
    """Return the active memories of a view, by id. One query."""
    rows = Memory.objects.visible_to(view).active().values_list(*ActiveMemory._fields)
    return {row[0]: ActiveMemory(*row) for row in rows.iterator(chunk_size=5_000)}
