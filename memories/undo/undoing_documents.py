"""The part of an undo that concerns documents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from uuid import UUID

from django.utils import timezone

from memories.access import Actor
from memories.database import among_uuids
from memories.models import JournalEntry
from memories.undo.documents import documents
from memories.undo.outcomes import Outcome, Resolutions, is_done, outcome_of
from memories.undo.reversal import Change, Reversal, State, reversal_of

DocumentEntries = Mapping[int, UUID]
"""The document of each selected journal entry."""


def preview_documents(actor: Actor, entries: DocumentEntries, resolutions: Resolutions) -> Outcome[UUID]:
    """Return what `undo_documents` would do now."""
    if not entries:
        return Outcome()
    states = documents().states(actor, set(entries.values()))
    return outcome_of(_reversals(actor, entries, states, resolutions), set(entries.values()))


def undo_documents(
    actor: Actor, entries: DocumentEntries, resolutions: Resolutions, operation: JournalEntry.Operation
) -> Outcome[UUID]:
    """Undo the selected changes of documents as `operation`. Call it in a transaction. Raises IntegrityError."""
    if not entries:
        return Outcome()
    states = documents().states(actor, set(entries.values()), lock=True)
    reversals = _reversals(actor, entries, states, resolutions)
    documents().store(actor, [reversal for reversal in reversals if is_done(reversal)], states, operation)
    return outcome_of(reversals, set(entries.values()))


def _reversals(
    actor: Actor, entries: DocumentEntries, states: Mapping[UUID, State], resolutions: Resolutions
) -> list[Reversal[UUID]]:
    now, fields = timezone.now().isoformat(), documents().fields
    reversals = [
        reversal_of(document_id, changes, states[document_id], now, fields)
        for document_id, changes in _changes_by_document(actor.owner_id, states, entries).items()
    ]
    return resolutions.applied(documents().with_obstacles(actor, reversals, states))


def _changes_by_document(
    owner_id: int, document_ids: Collection[UUID], selected: Collection[int]
) -> Mapping[UUID, list[Change]]:
    """Return the changes of each document since the first selected one, oldest first."""
    found = JournalEntry.objects.filter(owner_id=owner_id, document_id__in=among_uuids(document_ids)).order_by(
        "document_id", "pk"
    )
    grouped: defaultdict[UUID, list[JournalEntry]] = defaultdict(list)
    for entry in found:
        assert entry.document_id is not None
        grouped[entry.document_id].append(entry)
    return {document_id: _changes(group, selected) for document_id, group in grouped.items()}


def _changes(entries: Iterable[JournalEntry], selected: Collection[int]) -> list[Change]:
    """Return the changes since the first selected one.

    A change that follows a selected one in its change set is selected, too: it is what reading the file has added.
    """
    changes: list[Change] = []
    selected_set = None
    for entry in entries:
        is_selected = entry.pk in selected or entry.change_set == selected_set
        selected_set = entry.change_set if is_selected else None
        if is_selected or changes:
            changes.append(Change(entry.operation, entry.before, entry.after, is_selected))
    return changes
