"""Memories of Supermemory: results of `/v4/memories/list`, and documents with their memory entries.

The fields: https://github.com/supermemoryai/supermemory/blob/main/packages/validation/schemas.ts (MemoryEntrySchema)
and https://github.com/supermemoryai/supermemory/blob/main/apps/mcp/src/shared/types.ts.
Its own server leaves out entries that are forgotten or not the latest version:
https://github.com/supermemoryai/supermemory/blob/main/apps/mcp/src/server/tools/list-memories.ts
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from common.texts import translatable
from memories.errors import InvalidInput
from memories.transfer.entries import Entry
from memories.transfer.formats.base import Fields, JsonFormat, Reading, Record
from memories.transfer.formats.fields import (
    Item,
    is_item,
    last_time,
    left_out,
    moment,
    not_an_object,
    text,
    texts,
    unknown,
    unknown_metadata,
)
from memories.transfer.formats.json_stream import WHOLE, Shape
from memories.transfer.options import Format

FIELDS: Final[Fields] = (
    ("memory", "text"),
    ("metadata.tags", "tags"),
    ("isInference", "capture_mode: inferred"),
    ("createdAt, updatedAt", "created_at, last_confirmed_at"),
    ("forgetAfter", "expires_at"),
    ("isForgotten, forgetReason", "a forgotten memory, forgotten at updatedAt"),
    ("isLatest: false", "a forgotten memory, forgotten at updatedAt"),
    ("metadata, its other fields", "left out: a memory has no fields of your own"),
    ("documents without memory entries", "left out"),
)
_KNOWN: Final = {
    *(
        "id",
        "memory",
        "metadata",
        "isInference",
        "createdAt",
        "updatedAt",
        "forgetAfter",
        "isForgotten",
        "forgetReason",
    ),
    # Bookkeeping of the service.
    *("isLatest", "version", "spaceId", "orgId", "userId", "parentMemoryId", "rootMemoryId", "memoryRelations"),
    *("sourceCount", "documentIds", "isStatic", "history", "memoryEmbedding", "memoryEmbeddingModel"),
    *("memoryEmbeddingNew", "memoryEmbeddingNewModel"),
}
_MARKS: Final = {"isLatest", "isForgotten", "isStatic", "spaceId", "rootMemoryId"}
_OUTDATED: Final = translatable("Replaced by a newer version in Supermemory.")
_FORGOTTEN: Final = translatable("Forgotten in Supermemory.")


def lists(shape: Shape) -> tuple[str, ...]:
    """Return the list of memory entries, or of documents."""
    if "memoryEntries" in shape.lists:
        return ("memoryEntries",)
    keys = (key for key in ("documents", "memories", "results", WHOLE) if is_item(shape.sample(key)))
    return next(((key,) for key in keys if _is_ours(shape.sample(key))), ())


def _is_ours(item: object) -> bool:
    if not is_item(item):
        return False
    is_document = "memoryEntries" in item or {"containerTags", "createdAt"} <= item.keys()
    return is_document or bool(text(item, "memory") and _MARKS & item.keys())


def convert(value: object, _: Reading) -> Iterator[Entry]:
    """Yield the memory of one entry, or those of one document."""
    if not is_item(value):
        yield not_an_object()
    elif text(value, "memory"):
        yield _entry(value, "")
    else:
        entries = value.get("memoryEntries")
        if not isinstance(entries, list) or not entries:
            yield left_out(translatable("a document without memories"))
            return
        for number, each in enumerate(entries, start=1):
            yield _entry(each, f"entry {number}") if is_item(each) else not_an_object()


def _entry(item: Item, place: str) -> Entry:
    try:
        return Entry(
            place, _record(item), ignored=unknown(item, _KNOWN) | unknown_metadata(item.get("metadata"), {"tags"})
        )
    except InvalidInput as error:
        return Entry(place, error=error)


def _record(item: Item) -> Record:
    metadata = item.get("metadata")
    record: Record = {
        "text": text(item, "memory"),
        "tags": texts(metadata.get("tags")) if is_item(metadata) else [],
        "capture_mode": "inferred" if item.get("isInference") is True else None,
        "source_provider": "supermemory",
        "created_at": moment(item, "createdAt"),
        "last_confirmed_at": moment(item, "updatedAt"),
        "expires_at": moment(item, "forgetAfter"),
    }
    if item.get("isForgotten") is True or item.get("isLatest") is False:
        reason = text(item, "forgetReason") or _FORGOTTEN if item.get("isForgotten") is True else _OUTDATED
        record |= {"deleted_at": last_time(record), "forget_reason": reason}
    return record


SUPERMEMORY: Final = JsonFormat(Format.SUPERMEMORY, "Supermemory", FIELDS, lists, convert)
