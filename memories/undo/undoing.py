"""Undoing a selection of changes, in one transaction that is a change set of its own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby
from typing import Any

import orjson
from django.db import IntegrityError, transaction
from django.utils import timezone

from memories.access import Actor
from memories.database import among, fetch_rows, refuse_growth
from memories.drafts import Draft
from memories.errors import InvalidInput, LimitExceeded, NotFound
from memories.models import Memory
from memories.undo.obstacles import with_obstacles
from memories.undo.reversal import Change, Effect, Reversal, State, reversal_of
from memories.undo.selection import Selection, selected_entries
from memories.undo.storing import store
from memories.undo.synonyms import count_synonyms, undo_synonyms
from memories.undo.versions import versions_by_memory
from memories.writing import journal, locking
from memories.writing.deduplication import DedupPolicy
from memories.writing.remembering import RememberRequest, remember_all

MAX_MEMORIES = 100_000
"""Number of memories that one undo may change. More are undone in parts: see `memories.undo.parts`."""

Entries = Mapping[int, int]
"""The memory of each selected journal entry."""

# Earlier changes than the first selected one do not matter.
_CHANGES = """
SELECT entry.memory_id, entry.id, entry.operation, entry.before::text, entry.after::text
FROM (SELECT memory_id, min(id) AS id FROM memories_journalentry
      WHERE owner_id = %(owner)s AND id = ANY (%(selected)s) AND memory_id = ANY (%(memories)s)
      GROUP BY memory_id) AS first
CROSS JOIN LATERAL (
    SELECT * FROM memories_journalentry
    WHERE owner_id = %(owner)s AND memory_id = first.memory_id AND id >= first.id
) AS entry
ORDER BY entry.memory_id, entry.id
"""


class Resolution(StrEnum):
    """What to do with a memory that was changed again since."""

    KEEP = "keep"
    """Leave it as it is."""
    REVERT = "revert"
    """Undo the later changes of the same fields, too."""
    KEEP_BOTH = "keep_both"
    """Leave it as it is, and store its earlier text as another memory."""


@dataclass(frozen=True, slots=True)
class UndoOutcome:
    """What an undo did, or would do, by effect. `conflicts` are the memories that it leaves as they are.

    `unchanged` counts the memories that are as before already, and `deleted_ids` names those deleted permanently.
    `synonyms` counts the tag synonyms that are set back.
    """

    restored: Sequence[Reversal] = ()
    removed: Sequence[Reversal] = ()
    conflicts: Sequence[Reversal] = ()
    unchanged: int = 0
    deleted_ids: Sequence[int] = ()
    kept_both: Sequence[int] = ()
    synonyms: int = 0


def preview(
    actor: Actor,
    selection: Selection,
    resolutions: Mapping[int, Resolution] | None = None,
    default: Resolution = Resolution.KEEP,
) -> UndoOutcome:
    """Return what `undo` would do now. Raises NotFound and LimitExceeded."""
    synonyms = count_synonyms(actor, selection)
    entries = _selected(actor, selection, may_be_empty=synonyms > 0)
    memories = Memory.objects.changeable_by(actor).filter(pk__in=among(set(entries.values())))
    found = list(memories)
    reversals = _resolved(_reversals(actor, entries, found, _states(found)), resolutions or {}, default)
    return replace(_outcome(reversals, entries), synonyms=synonyms)


def undo(
    actor: Actor,
    selection: Selection,
    resolutions: Mapping[int, Resolution] | None = None,
    default: Resolution = Resolution.KEEP,
) -> UndoOutcome:
    """Undo the selected changes, all of them or, if the process dies, none.

    A memory that was changed again since is a conflict: `resolutions` say by memory id what to do with it, and
    `default` says it for the others. Raises NotFound if nothing is selected, LimitExceeded for more than MAX_MEMORIES
    memories, InvalidInput if another process has just stored a text that would come back, and StorageFull.
    """
    refuse_growth()
    entries = _selected(actor, selection, may_be_empty=count_synonyms(actor, selection) > 0)
    try:
        with transaction.atomic():
            synonyms = undo_synonyms(actor, selection)
            memories = locking.lock_all(actor, set(entries.values()))
            states = _states(memories)
            reversals = _resolved(_reversals(actor, entries, memories, states), resolutions or {}, default)
            store(actor, memories, [reversal for reversal in reversals if _is_done(reversal)], states)
            kept_both = _store_earlier_texts(actor, reversals, memories, resolutions or {}, default)
    except IntegrityError:
        raise InvalidInput("A memory with one of these texts was stored a moment ago. Try again.") from None
    return replace(_outcome(reversals, entries), kept_both=kept_both, synonyms=synonyms)


def _selected(actor: Actor, selection: Selection, *, may_be_empty: bool) -> Entries:
    entries: Entries = dict(selected_entries(actor, selection).values_list("pk", "memory_id"))
    if not actor.is_owner:
        entries = _known_to(actor, entries)
    if not entries and not may_be_empty:
        raise NotFound("There are no such changes.")
    if len(set(entries.values())) > MAX_MEMORIES:
        raise LimitExceeded(
            f"These changes concern more than {MAX_MEMORIES} memories. Undo a shorter period, or use "
            "`manage.py undo --in-parts`."
        )
    return entries


def _known_to(actor: Actor, entries: Entries) -> Entries:
    """Return the entries whose states before and after `actor` may see: undoing the others would show them."""
    versions = versions_by_memory(actor, set(entries.values()))
    known = {version.entry_id for group in versions.values() for version in group if not version.hides_before}
    return {entry_id: memory_id for entry_id, memory_id in entries.items() if entry_id in known}


def _states(memories: Iterable[Memory]) -> dict[int, dict[str, Any]]:
    return {memory.pk: journal.snapshot(memory) for memory in memories}


def _reversals(
    actor: Actor, entries: Entries, memories: Sequence[Memory], states: Mapping[int, State]
) -> list[Reversal]:
    """Return the reversal of each memory. `entries` are selected; the others of the memories are read here."""
    now = timezone.now().isoformat()
    reversals = [
        reversal_of(memory_id, changes, states[memory_id], now)
        for memory_id, changes in _changes_by_memory(actor.owner_id, states, entries)
    ]
    return with_obstacles(actor, reversals, {memory.pk: memory for memory in memories})


def _changes_by_memory(
    owner_id: int, memory_ids: Collection[int], selected: Collection[int]
) -> Iterable[tuple[int, list[Change]]]:
    rows = fetch_rows(_CHANGES, {"owner": owner_id, "memories": list(memory_ids), "selected": list(selected)})
    for memory_id, group in groupby(rows, key=lambda row: row[0]):
        yield (
            memory_id,
            [
                Change(operation, orjson.loads(before), orjson.loads(after), entry_id in selected)
                for _, entry_id, operation, before, after in group
            ],
        )


def _resolved(
    reversals: Iterable[Reversal], resolutions: Mapping[int, Resolution], default: Resolution
) -> list[Reversal]:
    """Return the reversals. Conflicts that the caller wants to revert are none any more."""
    return [
        _forced(reversal)
        if reversal.can_be_forced and resolutions.get(reversal.memory_id, default) == Resolution.REVERT
        else reversal
        for reversal in reversals
    ]


def _forced(reversal: Reversal) -> Reversal:
    if reversal.effect == Effect.REMOVED:
        return replace(reversal, conflicts=(), obstacle=None)
    earlier = {conflict.name: conflict.earlier for conflict in reversal.conflicts}
    return replace(reversal, values={**reversal.values, **earlier}, conflicts=(), obstacle=None)


def _is_done(reversal: Reversal) -> bool:
    return reversal.obstacle is None and reversal.effect != Effect.NONE


def _store_earlier_texts(
    actor: Actor,
    reversals: Iterable[Reversal],
    memories: Iterable[Memory],
    resolutions: Mapping[int, Resolution],
    default: Resolution,
) -> list[int]:
    """Store the earlier text of each conflict that is resolved by keeping both. Return the ids of these memories."""
    by_id = {memory.pk: memory for memory in memories}
    wanted = [
        (by_id[reversal.memory_id], conflict.earlier)
        for reversal in reversals
        if reversal.can_be_forced and resolutions.get(reversal.memory_id, default) == Resolution.KEEP_BOTH
        for conflict in reversal.conflicts
        if conflict.name == "text" and conflict.earlier
    ]
    if not wanted:
        return []
    drafts = [
        Draft(text, tuple(memory.tags), memory.importance, memory.source_provider, memory.capture_mode)
        for memory, text in wanted
    ]
    outcomes = remember_all(actor, [RememberRequest(draft, DedupPolicy.INSERT) for draft in drafts])
    failed = next((outcome for outcome in outcomes if isinstance(outcome, Exception)), None)
    if failed is not None:
        raise failed
    return [outcome.memory_id for outcome in outcomes if not isinstance(outcome, Exception)]


def _outcome(reversals: Sequence[Reversal], entries: Entries) -> UndoOutcome:
    done = [reversal for reversal in reversals if _is_done(reversal)]
    existing = {reversal.memory_id for reversal in reversals}
    return UndoOutcome(
        restored=[reversal for reversal in done if reversal.effect == Effect.RESTORED],
        removed=[reversal for reversal in done if reversal.effect == Effect.REMOVED],
        conflicts=[reversal for reversal in reversals if reversal.obstacle is not None],
        unchanged=sum(reversal.effect == Effect.NONE and reversal.obstacle is None for reversal in reversals),
        deleted_ids=sorted(set(entries.values()) - existing),
    )
