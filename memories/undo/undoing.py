"""Undoing a selection of changes, in one transaction that is a change set of its own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any
from uuid import UUID

import orjson
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from memories.access import Actor
from memories.database import among, fetch_rows, refuse_growth
from memories.drafts import Draft
from memories.errors import InvalidInput, LimitExceeded, NotFound
from memories.models import JournalEntry, Memory
from memories.undo.cleanup_lines import lock_lines, switch_lines
from memories.undo.obstacles import with_obstacles
from memories.undo.outcomes import Outcome, Resolution, Resolutions, is_done, outcome_of
from memories.undo.reversal import Change, Reversal, State, reversal_of
from memories.undo.selection import Selection, selected_entries
from memories.undo.storing import store
from memories.undo.synonyms import count_synonyms, undo_synonyms
from memories.undo.undoing_documents import DocumentEntries, preview_documents, undo_documents
from memories.undo.versions import versions_by_document, versions_by_memory
from memories.writing import journal, locking
from memories.writing.deduplication import DedupPolicy
from memories.writing.hidden_values import inherit_values
from memories.writing.remembering import RememberRequest, remember_all

MAX_ITEMS = 100_000
"""Number of memories and documents that one undo may change. More are undone in parts: see `memories.undo.parts`."""

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


@dataclass(frozen=True, slots=True)
class Selected:
    """The selected journal entries, each with its memory or document. `are_undos`: each of them belongs to an undo."""

    memories: Entries
    documents: DocumentEntries
    are_undos: bool


@dataclass(frozen=True, slots=True)
class UndoOutcome(Outcome[int]):
    """The outcome of an undo: for memories, and in `documents`.

    `kept_both` are the memories that hold the earlier texts of others. `synonyms` counts the tag synonyms that are set
    back. `is_redo`: the undone changes were those of an undo.
    """

    documents: Outcome[UUID] = field(default_factory=Outcome)
    kept_both: Sequence[int] = ()
    synonyms: int = 0
    is_redo: bool = False

    @property
    def changes_something(self) -> bool:
        """Whether anything is changed."""
        return bool(self.changed_ids or self.documents.changed_ids or self.kept_both or self.synonyms)


def preview(
    actor: Actor,
    selection: Selection,
    resolutions: Mapping[int | UUID, Resolution] | None = None,
    default: Resolution = Resolution.KEEP,
) -> UndoOutcome:
    """Return what `undo` would do now. Raises NotFound and LimitExceeded."""
    chosen = Resolutions(resolutions or {}, default)
    synonyms = count_synonyms(actor, selection)
    selected = _selected(actor, selection, may_be_empty=synonyms > 0)
    memories = Memory.objects.changeable_by(actor).filter(pk__in=among(set(selected.memories.values())))
    found = list(memories)
    reversals = chosen.applied(_reversals(actor, selected.memories, found, _states(found)))
    documents = preview_documents(actor, selected.documents, chosen)
    return _outcome(reversals, selected, documents, synonyms)


def undo(
    actor: Actor,
    selection: Selection,
    resolutions: Mapping[int | UUID, Resolution] | None = None,
    default: Resolution = Resolution.KEEP,
) -> UndoOutcome:
    """Undo the selected changes, all of them or, if the process dies, none.

    A memory or document that was changed again since is a conflict: `resolutions` say by its id what to do with it, and
    `default` says it for the others. Raises NotFound if nothing is selected, LimitExceeded for more than MAX_ITEMS
    memories and documents, InvalidInput if another process has just stored what would come back, and StorageFull.
    """
    refuse_growth()
    chosen = Resolutions(resolutions or {}, default)
    selected = _selected(actor, selection, may_be_empty=count_synonyms(actor, selection) > 0)
    operation = _operation(selection, selected)
    try:
        with transaction.atomic():
            lines = lock_lines(actor, selected.memories)
            synonyms = undo_synonyms(actor, selection, operation)
            memories = locking.lock_all(actor, set(selected.memories.values()))
            states = _states(memories)
            reversals = chosen.applied(_reversals(actor, selected.memories, memories, states))
            done = [reversal for reversal in reversals if is_done(reversal)]
            store(actor, memories, done, states, operation)
            switch_lines(actor, lines, {reversal.item_id for reversal in done})
            kept_both = _store_earlier_texts(actor, reversals, memories, chosen)
            documents = undo_documents(actor, selected.documents, chosen, operation)
    except IntegrityError:
        raise InvalidInput(
            gettext("One of these memories or documents was stored again a moment ago. Try again.")
        ) from None
    outcome = _outcome(reversals, selected, documents, synonyms)
    return replace(outcome, kept_both=kept_both, is_redo=operation == JournalEntry.Operation.REDO)


def _operation(selection: Selection, selected: Selected) -> JournalEntry.Operation:
    """Return the operation that the journal names: restoring a version is not an undo for the owner."""
    if selection.restores_version:
        return JournalEntry.Operation.RESTORE
    return JournalEntry.Operation.REDO if selected.are_undos else JournalEntry.Operation.UNDO


def _selected(actor: Actor, selection: Selection, *, may_be_empty: bool) -> Selected:
    memories: dict[int, int] = {}
    documents: dict[int, UUID] = {}
    operations: set[str] = set()
    entries = selected_entries(actor, selection)
    for entry_id, operation, memory_id, document_id in entries.values_list(
        "pk", "operation", "memory_id", "document_id"
    ):
        operations.add(operation)
        if memory_id is not None:
            memories[entry_id] = memory_id
        elif document_id is not None:
            documents[entry_id] = document_id
    selected = Selected(memories, documents, are_undos=operations == {JournalEntry.Operation.UNDO})
    if not actor.is_owner:
        selected = _known_to(actor, selected)
    if not (selected.memories or selected.documents or may_be_empty):
        raise NotFound(gettext("There are no such changes."))
    if len(set(selected.memories.values())) + len(set(selected.documents.values())) > MAX_ITEMS:
        raise LimitExceeded(
            gettext(
                "These changes affect more than %(most)s memories and documents. Undo a shorter period, or use "
                "`manage.py undo --in-parts`."
            )
            % {"most": MAX_ITEMS}
        )
    return selected


def _known_to(actor: Actor, selected: Selected) -> Selected:
    """Return the entries whose states before and after `actor` may see: undoing the others would show them."""
    of_memories = versions_by_memory(actor, set(selected.memories.values()))
    of_documents = versions_by_document(actor, set(selected.documents.values()))
    known = {
        version.entry_id
        for group in (*of_memories.values(), *of_documents.values())
        for version in group
        if not version.hides_before
    }
    return replace(
        selected,
        memories={entry_id: memory_id for entry_id, memory_id in selected.memories.items() if entry_id in known},
        documents={entry_id: each for entry_id, each in selected.documents.items() if entry_id in known},
    )


def _states(memories: Iterable[Memory]) -> dict[int, dict[str, Any]]:
    return {memory.pk: journal.snapshot(memory) for memory in memories}


def _reversals(
    actor: Actor, entries: Entries, memories: Sequence[Memory], states: Mapping[int, State]
) -> list[Reversal[int]]:
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


def _store_earlier_texts(
    actor: Actor,
    reversals: Iterable[Reversal[int]],
    memories: Iterable[Memory],
    resolutions: Resolutions,
) -> list[int]:
    """Store the earlier text of each conflict that is resolved by keeping both. Return the ids of these memories."""
    by_id = {memory.pk: memory for memory in memories}
    wanted = [
        (by_id[reversal.item_id], conflict.earlier)
        for reversal in reversals
        if reversal.can_be_forced and resolutions.of(reversal.item_id) == Resolution.KEEP_BOTH
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
    ids = [outcome.memory_id for outcome in outcomes if not isinstance(outcome, Exception)]
    inherit_values(actor.owner_id, [memory.pk for memory, _ in wanted], locking.lock_all(actor, ids))
    return ids


def _outcome(
    reversals: Sequence[Reversal[int]], selected: Selected, documents: Outcome[UUID], synonyms: int
) -> UndoOutcome:
    memories = outcome_of(reversals, set(selected.memories.values()))
    return UndoOutcome(
        memories.restored,
        memories.removed,
        memories.conflicts,
        memories.unchanged,
        memories.deleted_ids,
        documents=documents,
        synonyms=synonyms,
    )
