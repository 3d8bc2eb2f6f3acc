"""The journal in an archive: the history of each memory with its change sets."""

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

Values = dict[str, Any]
Change = tuple[UUID, datetime, str]
"""The change set, the time and the operation of an entry."""


def _write(archive: ArchiveWriter, view: View) -> None:
    entries = JournalEntry.objects.filter(owner_id=view.owner_id).order_by("pk").values(*_COLUMNS.names)
    archive.add_lines(_NAME, map(as_json, entries.iterator(chunk_size=_BATCH)))


def _restore(restoration: Restoration) -> None:
    """Store the history of the memories that this import has stored, and of those that are permanently deleted.

    A memory that was here already has a history of its own. Entries stay in their order.
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
    missing = sorted(set(_COLUMNS.names) - values.keys())
    if missing or not isinstance(values["before"], dict) or not isinstance(values["after"], dict):
        raise UnusableArchive(f"An entry of the history has no {missing[0] if missing else 'state'}.")
    return {**values, **{name: with_clients_here(values[name]) for name in ("before", "after")}}


def _known_changes(owner_id: int, change_sets: Sequence[UUID], newest: int) -> set[Change]:
    """Return the changes in these change sets that the journal had before this import."""
    entries = JournalEntry.objects.filter(owner_id=owner_id, change_set__in=set(change_sets), pk__lte=newest)
    return {(entry.change_set, entry.at, entry.operation) for entry in entries.only("change_set", "at", "operation")}


def _is_missing(restoration: Restoration, values: Values, known: set[Change]) -> bool:
    """Return whether an entry is to be stored. Of a deleted memory, nothing but its entries tells if they are here."""
    former_id = values["memory_id"]
    if restoration.memory_ids.find(former_id) is not None:
        return restoration.memory_ids.is_restored(former_id)
    return (values["change_set"], values["at"], values["operation"]) not in known


def _entry(restoration: Restoration, values: Values) -> JournalEntry:
    states = {name: restoration.translated(values[name], _LINKS) for name in ("before", "after")}
    memory_id = restoration.memory_ids.known_or_new(values["memory_id"])
    return JournalEntry(**{**values, **states, "memory_id": memory_id, "owner_id": restoration.actor.owner_id})


HISTORY = Part(_NAME, re.compile(r"history\.jsonl"), _write, _restore)
