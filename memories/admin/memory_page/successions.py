"""The memories that are true before and after another one: see `memories.writing.succession`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet

from memories.access import View
from memories.models import JournalEntry, Memory
from memories.recall.successions import LAST_SECOND

_ENDED, _STORED = JournalEntry.Operation.UPDATE, JournalEntry.Operation.REMEMBER


def true_since(view: View, memory: Memory) -> Sequence[Memory]:
    """Return the memories that were stored when `memory` was ended, and begin then. At most one query."""
    if memory.valid_until is None:
        return ()
    stored = _changed_with(view, memory, _ENDED, _STORED)
    following = Memory.objects.visible_to(view).not_deleted().filter(valid_from=memory.valid_until + LAST_SECOND)
    return list(following.filter(pk__in=stored).order_by("pk"))


def true_until(view: View, memory: Memory) -> Sequence[Memory]:
    """Return the memories that were ended when `memory` was stored, and end then. At most one query."""
    if memory.valid_from is None:
        return ()
    ended = _changed_with(view, memory, _STORED, _ENDED)
    preceding = Memory.objects.visible_to(view).not_deleted().filter(valid_until=memory.valid_from - LAST_SECOND)
    return list(preceding.filter(pk__in=ended).order_by("pk"))


def _changed_with(
    view: View, memory: Memory, own: JournalEntry.Operation, other: JournalEntry.Operation
) -> QuerySet[JournalEntry, Any]:
    """Select the ids of memories that a change set with an operation `own` on `memory` has changed by `other`."""
    entries = JournalEntry.objects.filter(owner_id=view.owner_id)
    change_sets = entries.filter(memory_id=memory.pk, operation=own).values("change_set")
    return entries.filter(operation=other, change_set__in=change_sets).values("memory_id")
