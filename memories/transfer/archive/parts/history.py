"""The journal in an archive: the history of memories, documents and tag synonyms with its change sets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from common.row_copy import copy_rows
from memories.access import View
from memories.models import JournalEntry
from memories.transfer.archive.clients import with_clients_here
from memories.transfer.archive.columns import Columns, as_json
from memories.transfer.archive.errors import UnusableArchive
from memories.transfer.archive.registry import Part
from memories.transfer.archive.restoration import Restoration
from memories.transfer.archive.writer import ArchiveWriter
from memories.transfer.batches import batches

_NAME = "history"
_COLUMNS = Columns(JournalEntry, leave_out={"id", "owner_id"})
_LINKS = ("replaced_by_id", "split_from_id")
_BATCH = 1_000

_SUBJECTS = ("memory_id", "document_id", "variant")

Values = dict[str, Any]
Change = tuple[UUID, datetime, str]
"""The change set, the time and the operation of an entry."""


def _write(archive: ArchiveWriter, view: View) -> None:
    entries = JournalEntry.objects.filter(owner_id=view.owner_id).order_by("pk").values(*_COLUMNS.names)
    archive.add_lines(_NAME, map(as_json, entries.iterator(chunk_size=_BATCH)))


def _restore(restoration: Restoration) -> None:
    """Store the history of what this import has stored, of what is permanently deleted, and of tag synonyms.

    A memory or document that was here already has a history of its own. Entries stay in their order.
    """
    owner_id = restoration.actor.owner_id
    newest = JournalEntry.objects.filter(owner_id=owner_id).order_by("-pk").values_list("pk", flat=True).first() or 0
    counts = restoration.summary.of(_NAME)
    for batch in batches(map(_values, restoration.archive.records(_NAME)), _BATCH):
        known = _known_changes(owner_id, [values["change_set"] for values in batch], newest)
        entries = [_entry(restoration, values) for values in batch if _is_missing(restoration, values, known)]
        if entries:
            copy_rows(entries)
        counts.added += len(entries)
        counts.present += len(batch) - len(entries)


def _values(record: dict[str, Any]) -> Values:
    values = with_clients_here(_COLUMNS.values_of(record))
    # Archives from before the history of documents, and from before plans were named, lack these.
    values = {"document_id": None, "variant": None, "proposed_by": "", **values}
    missing = sorted(set(_COLUMNS.names) - values.keys())
    if sum(values.get(name) is not None for name in _SUBJECTS) != 1 and not missing:
        missing = ["memory_id"]
    if missing or not isinstance(values["before"], dict) or not isinstance(values["after"], dict):
        raise UnusableArchive(f"An entry of the history has no {missing[0] if missing else 'state'}.")
    return {**values, **{name: with_clients_here(values[name]) for name in ("before", "after")}}


def _known_changes(owner_id: int, change_sets: Sequence[UUID], newest: int) -> set[Change]:
    """Return the changes in these change sets that the journal had before this import."""
    entries = JournalEntry.objects.filter(owner_id=owner_id, change_set__in=set(change_sets), pk__lte=newest)
    return {(entry.change_set, entry.at, entry.operation) for entry in entries.only("change_set", "at", "operation")}


def _is_missing(restoration: Restoration, values: Values, known: set[Change]) -> bool:
    """Return whether an entry is to be stored. Of what is deleted, nothing but its entries tells if they are here."""
    memory_id, document_id = values["memory_id"], values["document_id"]
    if memory_id is not None and restoration.memory_ids.find(memory_id) is not None:
        return restoration.memory_ids.is_restored(memory_id)
    if document_id in restoration.document_ids.others:
        return False
    if document_id in restoration.document_ids.restored:
        return True
    return (values["change_set"], values["at"], values["operation"]) not in known


def _entry(restoration: Restoration, values: Values) -> JournalEntry:
    memory_id, document_id = values["memory_id"], values["document_id"]
    states = {name: _state(restoration, memory_id, values[name]) for name in ("before", "after")}
    ids = {
        "memory_id": None if memory_id is None else restoration.memory_ids.known_or_new(memory_id),
        "document_id": restoration.document_ids.restored.get(document_id, document_id),
    }
    return JournalEntry(**{**values, **states, **ids, "owner_id": restoration.actor.owner_id})


def _state(restoration: Restoration, memory_id: int | None, state: Values) -> Values:
    """Return a state with the ids and the placeholders that its memory has here."""
    state = restoration.translated(state, _LINKS)
    if memory_id is not None and isinstance(state.get("text"), str):
        state["text"] = restoration.placeholder_numbers.translated([memory_id], state["text"])
    return state


HISTORY = Part(_NAME, re.compile(r"history\.jsonl"), _write, _restore)
