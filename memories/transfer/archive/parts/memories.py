"""Memories in an archive: all of them, forgotten, expired and quarantined ones included."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db import transaction

from memories.access import View
from memories.aspects.reading import aspect_of
from memories.drafts import Draft, checked_past_time, checked_reason
from memories.errors import MemoriesError
from memories.models import Memory
from memories.relations.statements import statement_key
from memories.transfer.archive.clients import with_clients_here
from memories.transfer.archive.columns import Columns, as_json
from memories.transfer.archive.errors import UnusableArchive
from memories.transfer.archive.parts.present import Identity, present_memories
from memories.transfer.archive.registry import Part
from memories.transfer.archive.restoration import Restoration
from memories.transfer.archive.writer import ArchiveWriter
from memories.transfer.batches import batches
from memories.validation.text import clean_tag, clean_text, normalized_hash
from memories.vectors.index_queue import build_index_soon, index_soon

_NAME = "memories"
_COLUMNS = Columns(Memory, leave_out={"owner_id", "text_hash", "statement_key", "aspect"})
_REQUIRED = {"id", "text", "created_at", "updated_at", "last_confirmed_at"}
_LINKS = ("replaced_by_id", "split_from_id")
_BATCH = 500

Values = dict[str, Any]


def _write(archive: ArchiveWriter, view: View) -> None:
    memories = Memory.objects.visible_including_quarantined(view).order_by("pk").values(*_COLUMNS.names)
    archive.add_lines(_NAME, map(as_json, memories.iterator(chunk_size=_BATCH)))


def _restore(restoration: Restoration) -> None:
    """Store the memories that are missing, in two passes: links may lead to later memories."""
    _choose_ids(restoration)
    stored = 0
    missing = (values for values in _rows(restoration) if restoration.memory_ids.is_restored(values["id"]))
    for batch in batches(missing, _BATCH):
        Memory.objects.bulk_create([_as_memory(restoration, values) for values in batch])
        stored += len(batch)
    restoration.summary.of(_NAME).added = stored
    if stored:
        transaction.on_commit(index_soon)
        transaction.on_commit(build_index_soon)


def _choose_ids(restoration: Restoration) -> None:
    """Find the memories that are here already, and choose the ids of the others."""
    first_with: dict[Identity, int] = {}
    numbered = enumerate(_rows(restoration), start=1)
    for batch in batches(numbered, _BATCH):
        checked = list(_accepted(restoration, batch))
        present = present_memories(restoration.actor.view, [identity for _, identity in checked])
        missing: list[int] = []
        again: list[tuple[int, int]] = []
        for former_id, identity in checked:
            if identity in present:
                restoration.memory_ids.set_present(former_id, present[identity])
            elif identity.deleted_at is None and identity in first_with:
                again.append((former_id, first_with[identity]))
            else:
                first_with[identity] = former_id
                missing.append(former_id)
        restoration.summary.of(_NAME).present += len(checked) - len(missing)
        restoration.memory_ids.restore(missing)
        for former_id, first_id in again:
            restoration.memory_ids.set_present(former_id, restoration.memory_ids.known_or_new(first_id))


def _accepted(restoration: Restoration, batch: Sequence[tuple[int, Values]]) -> Iterator[tuple[int, Identity]]:
    """Yield the former id and the identity of each memory that the rules of this installation accept."""
    ids = set[int]()
    for number, values in batch:
        if values["id"] in ids or restoration.memory_ids.find(values["id"]) is not None:
            raise UnusableArchive(f"Two memories have the id {values['id']}.")
        ids.add(values["id"])
        try:
            yield values["id"], Identity.of(_draft(values).checked(), values.get("deleted_at"))
        except MemoriesError as error:
            restoration.summary.refuse(_NAME, f"{_NAME}.jsonl, line {number}", error)


def _rows(restoration: Restoration) -> Iterator[Values]:
    for record in restoration.archive.records(_NAME):
        missing = sorted(name for name in _REQUIRED if record.get(name) is None)
        if missing:
            raise UnusableArchive(f"A memory has no {missing[0]}.")
        values = with_clients_here(_COLUMNS.values_of(record))
        yield {**values, "text": restoration.placeholder_numbers.translated([values["id"]], values["text"])}


def _draft(values: Values) -> Draft:
    """Return the fields that the rules for texts and times apply to."""
    checked_reason(values.get("forget_reason"))
    checked_past_time("deleted_at", values.get("deleted_at"))
    names = ("text", "source_provider", "capture_mode", "session_id", "importance", "quarantined_from", "agent")
    times = ("created_at", "last_confirmed_at", "expires_at", "valid_from", "valid_until")
    given = {name: values[name] for name in (*names, *times) if name in values}
    return Draft(**given, tags=tuple(values.get("tags", ())), is_imported=True)


def _as_memory(restoration: Restoration, values: Values) -> Memory:
    """Return the memory with its fields as they were: times that the text states are not read again."""
    # The rules were applied when the ids were chosen. Searching for secrets again would double the time of an import.
    text = clean_text(values["text"])
    tags = list(dict.fromkeys(filter(None, map(clean_tag, values.get("tags", ())))))
    derived = {
        "text_hash": normalized_hash(text),
        "statement_key": statement_key(text),
        "aspect": aspect_of(text),
    }
    cleaned = {"text": text, "tags": tags, **derived}
    linked = {name: _link(restoration, values, name) for name in _LINKS}
    identity = {"id": restoration.memory_ids.find(values["id"]), "owner_id": restoration.actor.owner_id}
    return Memory(**{**values, **cleaned, **linked, **identity})


def _link(restoration: Restoration, values: Mapping[str, Any], name: str) -> int | None:
    """Return the id here of the memory that another one refers to. None if there is none, or if it was refused."""
    former_id = values.get(name)
    return None if former_id is None else restoration.memory_ids.find(former_id)


MEMORIES = Part(_NAME, re.compile(r"memories\.jsonl"), _write, _restore)
