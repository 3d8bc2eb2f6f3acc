"""Exports of mcp-memory-service as JSON, and its records, which its SQLite databases have as well.

An export is an object with `export_metadata` and `memories`:
https://github.com/doobidoo/mcp-memory-service/blob/main/src/mcp_memory_service/sync/exporter.py
https://github.com/doobidoo/mcp-memory-service/blob/main/examples/memory_export_template.json
`superseded_by` is the hash of the newer version of a memory, which then is never recalled:
https://github.com/doobidoo/mcp-memory-service/blob/main/src/mcp_memory_service/storage/sqlite_vec.py
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from common.texts import translatable
from memories.transfer.entries import Entry
from memories.transfer.formats.base import Fields, JsonFormat, Reading, Record
from memories.transfer.formats.fields import (
    Item,
    is_item,
    last_time,
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
    ("content", "text"),
    ("tags, memory_type", "tags (the type only if it is not note or standard)"),
    ("metadata.quality_score", "importance"),
    ("metadata.episode_id", "session_id"),
    ("created_at", "created_at"),
    ("deleted_at", "a forgotten memory"),
    ("superseded_by", "a forgotten memory, forgotten at updated_at"),
    ("metadata, its other fields", "left out: a memory has no fields of your own"),
)
_KNOWN: Final = {
    *("content", "content_hash", "tags", "tags_str", "memory_type", "type", "metadata", "export_source", "embedding"),
    *("created_at", "created_at_iso", "updated_at", "updated_at_iso", "deleted_at", "superseded_by"),
    # Columns of the database without a meaning elsewhere.
    *("id", "parent_id", "version", "confidence", "last_accessed", "timestamp", "timestamp_float", "timestamp_str"),
}
KNOWN_METADATA: Final = {"quality_score", "episode_id", "superseded_by"}
_PLAIN_TYPES: Final = {"note", "standard", "memory", "general"}
_SUPERSEDED: Final = translatable("Replaced by a newer version in mcp-memory-service.")


def lists(shape: Shape) -> tuple[str, ...]:
    """Return the lists of an export, or of records that were taken out of one."""
    if "export_metadata" in shape.values and "memories" in shape.lists:
        return ("memories",)
    return tuple(
        key
        for key in (WHOLE, "memories")
        if is_item(sample := shape.sample(key)) and {"content", "content_hash"} <= sample.keys()
    )


def convert(value: object, _: Reading) -> Iterator[Entry]:
    """Yield the memory of one record."""
    if not is_item(value):
        yield not_an_object()
        return
    metadata = value.get("metadata")
    ignored = unknown(value, _KNOWN) | unknown_metadata(metadata, KNOWN_METADATA)
    yield Entry("", record_of(value, metadata if is_item(metadata) else {}), ignored=ignored)


def record_of(item: Item, metadata: Item) -> Record:
    """Return the record of a memory and its metadata. Raises InvalidInput for a time that cannot be read."""
    kind = text(item, "memory_type", "type")
    updated_at = moment(item, "updated_at", "updated_at_iso")
    record: Record = {
        "text": text(item, "content"),
        "tags": [
            *texts(item.get("tags") or item.get("tags_str")),
            *([kind] if kind and kind not in _PLAIN_TYPES else []),
        ],
        "importance": _importance(metadata.get("quality_score")),
        "session_id": text(metadata, "episode_id"),
        "source_provider": "mcp-memory-service",
        "created_at": moment(item, "created_at", "created_at_iso", "timestamp_float", "timestamp"),
        "deleted_at": moment(item, "deleted_at"),
    }
    if record["deleted_at"] is None and (text(item, "superseded_by") or text(metadata, "superseded_by")):
        record |= {"deleted_at": updated_at or last_time(record), "forget_reason": _SUPERSEDED}
    return record


def _importance(score: object) -> float | None:
    if isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= 1:
        return float(score)
    return None


MCP_MEMORY_SERVICE: Final = JsonFormat(Format.MCP_MEMORY_SERVICE, "mcp-memory-service", FIELDS, lists, convert)
