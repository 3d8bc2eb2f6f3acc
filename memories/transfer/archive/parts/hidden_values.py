"""Hidden values in an archive: in plain text if the owner asks for them, else only their number."""

from __future__ import annotations

import re
from typing import Any

from common.texts import translatable
from memories.access import View
from memories.errors import NotConfigured
from memories.models import HiddenValue
from memories.transfer.archive.columns import as_json
from memories.transfer.archive.placeholder_numbers import archived_values
from memories.transfer.archive.registry import Part
from memories.transfer.archive.restoration import Restoration
from memories.transfer.archive.writer import ArchiveWriter
from memories.writing.hidden_values import decrypted, fill_in_value, store_values

_NAME = "hidden_values"
_BATCH = 500


def _write(archive: ArchiveWriter, view: View) -> None:
    rows = HiddenValue.objects.filter(owner_id=view.owner_id).order_by("pk")
    if archive.with_hidden_values:
        archive.add_lines(_NAME, map(as_json, filter(None, map(_record, rows.iterator(chunk_size=_BATCH)))))
    else:
        archive.hidden_values_left_out = rows.count()


def _record(row: HiddenValue) -> dict[str, Any] | None:
    """Return a value in plain text; None for one that cannot be decrypted any more."""
    try:
        value = decrypted(row)
    except NotConfigured:
        return None
    return {"memory_id": row.memory_id, "number": row.number, "kind": row.kind, "value": value}


def _restore(restoration: Restoration) -> None:
    """Store the values of the memories that this import has stored, and those that a memory here lacks."""
    owner_id = restoration.actor.owner_id
    for archived in archived_values(restoration.archive):
        memory_id = restoration.memory_ids.find(archived.former_id)
        kept = restoration.placeholder_numbers.value(archived)
        counts = restoration.summary.of(_NAME)
        if memory_id is None:
            counts.refused += 1
        elif restoration.memory_ids.is_restored(archived.former_id):
            store_values(owner_id, memory_id, [kept])
            counts.added += 1
        elif fill_in_value(restoration.actor.view, memory_id, kept):
            counts.added += 1
        else:
            counts.present += 1
    if left_out := restoration.archive.manifest.hidden_values_left_out:
        restoration.summary.notes.append(
            translatable(
                "The archive was made without its %(count)s hidden values. Placeholders remain.", count=left_out
            )
        )


HIDDEN_VALUES = Part(_NAME, re.compile(r"hidden_values\.jsonl"), _write, _restore)
