"""Memories of an archive that an installation has already."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple, Self

from memories.access import View
from memories.drafts import Draft
from memories.models import Memory

_COLUMNS = ("pk", "text_hash", "deleted_at", "quarantined_from")


class Identity(NamedTuple):
    """The properties by which two memories of one owner are duplicates. A tombstone is another one each time."""

    text_hash: bytes
    deleted_at: datetime | None
    quarantined_from: str | None

    @classmethod
    def of(cls, draft: Draft, deleted_at: datetime | None) -> Self:
        """Return the identity of a memory with the content of a checked draft."""
        return cls(draft.text_hash, deleted_at, draft.quarantined_from)

    @property
    def is_active(self) -> bool:
        """Whether the memory is neither forgotten nor quarantined."""
        return self.deleted_at is None and self.quarantined_from is None


def present_memories(view: View, wanted: Collection[Identity]) -> dict[Identity, int]:
    """Return the ids of those of the `wanted` memories that the view has. At most two queries."""
    everything = Memory.objects.visible_including_quarantined(view)
    active = {each.text_hash for each in wanted if each.is_active}
    inactive = {each.text_hash for each in wanted if not each.is_active}
    # Two queries, because each has an index of its own.
    found = list(everything.not_deleted().not_quarantined().filter(text_hash__in=active).values_list(*_COLUMNS))
    if inactive:
        others = everything.exclude(deleted_at=None, quarantined_from=None)
        found += others.filter(text_hash__in=inactive).values_list(*_COLUMNS)
    here = {Identity(bytes(digest), deleted, client): pk for pk, digest, deleted, client in found}
    return {identity: here[identity] for identity in wanted if identity in here}
