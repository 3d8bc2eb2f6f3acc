"""Hidden values in an archive: in plain text if the owner asks for them, else only their number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from django.db.models import Value
from django.db.models.functions import Greatest

from common.texts import translatable
from memories.access import View
from memories.database import among
from memories.drafts import KeptValue
from memories.errors import NotConfigured
from memories.models import HiddenValue, Memory, SecretSettings
from memories.transfer.archive.columns import as_json
from memories.transfer.archive.errors import UnusableArchive
from memories.transfer.archive.registry import Part
from memories.transfer.archive.restoration import Restoration
from memories.transfer.archive.writer import ArchiveWriter
from memories.transfer.batches import batches
from memories.validation.secrets.kinds import Kind
from memories.validation.secrets.placeholders import numbers_in
from memories.writing.hidden_values import decrypted, store_values

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
    """Store the values of the memories that this import has stored. Those that were here keep their own."""
    owner_id = restoration.actor.owner_id
    for record in restoration.archive.records(_NAME):
        former_id, kept = _kept(record)
        memory_id = restoration.memory_ids.find(former_id)
        if memory_id is None or not restoration.memory_ids.is_restored(former_id):
            restoration.summary.of(_NAME).present += 1
            continue
        store_values(owner_id, memory_id, [kept])
        restoration.summary.of(_NAME).added += 1
    _advance_numbers(restoration)
    if left_out := restoration.archive.manifest.hidden_values_left_out:
        restoration.summary.notes.append(
            translatable(
                "The archive was made without its %(count)s hidden values. Placeholders remain.", count=left_out
            )
        )


def _kept(record: dict[str, Any]) -> tuple[int, KeptValue]:
    match record:
        case {"memory_id": int(memory_id), "number": int(number), "kind": str(kind), "value": str(value)}:
            if kind in Kind.__members__ and 0 < number < 10**14:
                return memory_id, KeptValue(number, Kind[kind], value)
    raise UnusableArchive(translatable("A hidden value has a field that it cannot have."))


def _advance_numbers(restoration: Restoration) -> None:
    """Make sure that no new placeholder gets a number that a restored text has."""
    newest = max(_restored_numbers(restoration), default=0)
    if newest:
        SecretSettings.objects.get_or_create(owner_id=restoration.actor.owner_id)
        SecretSettings.objects.filter(owner_id=restoration.actor.owner_id).update(
            last_number=Greatest("last_number", Value(newest))
        )


def _restored_numbers(restoration: Restoration) -> Iterator[int]:
    mine = Memory.objects.visible_including_quarantined(restoration.actor.view).filter(text__contains="[hidden: ")
    for ids in batches(restoration.memory_ids.restored(), _BATCH):
        for text in mine.filter(pk__in=among(ids)).values_list("text", flat=True):
            yield from (number for number in numbers_in(text) if number < 10**14)


HIDDEN_VALUES = Part(_NAME, re.compile(r"hidden_values\.jsonl"), _write, _restore)
