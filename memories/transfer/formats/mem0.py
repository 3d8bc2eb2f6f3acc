"""Memories of mem0: results of `get_all`, of its REST API, and of its memory exports.

The fields of a memory: https://github.com/mem0ai/mem0/blob/main/docs/openapi.json (GET /v1/memories/{memory_id}/) and
https://github.com/mem0ai/mem0/blob/main/mem0/configs/base.py (MemoryItem).
A memory is expired on the day after its `expiration_date`, in UTC:
https://github.com/mem0ai/mem0/blob/main/mem0/memory/main.py (_payload_is_expired).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
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
    ("memory, or content", "text"),
    ("categories, metadata.category, metadata.tags", "tags"),
    ("session_id, run_id", "session_id"),
    ("created_at", "created_at"),
    ("updated_at", "last_confirmed_at"),
    ("expiration_date", "expires_at: the end of that day, in UTC"),
    ("replaced_by", "a forgotten memory, forgotten at updated_at"),
    ("metadata, its other fields", "left out: a memory has no fields of your own"),
)
_KNOWN: Final = {
    *("id", "memory", "content", "text", "data", "categories", "metadata", "session_id", "run_id", "created_at"),
    *("updated_at", "expiration_date", "replaced_by", "hash", "score", "user_id", "event"),
}
_KNOWN_METADATA: Final = {"category", "categories", "tags"}
_MARKS: Final = {"user_id", "agent_id", "run_id", "hash", "categories", "expiration_date", "structured_attributes"}
"""Fields that other programs do not have beside `memory`."""

_REPLACED: Final = translatable("Replaced by a newer memory in mem0.")


def lists(shape: Shape) -> tuple[str, ...]:
    """Return the list of results or memories."""
    for key in ("results", "memories", WHOLE):
        sample = shape.sample(key)
        if is_item(sample) and _text(sample) is not None and _MARKS & sample.keys() and "text" not in sample:
            return (key,)
    return ()


def _text(item: Item) -> str | None:
    data = item.get("data")
    return text(item, "memory", "content") or (text(data, "memory") if is_item(data) else None)


def convert(value: object, _: Reading) -> Iterator[Entry]:
    """Yield the memory of one result."""
    if not is_item(value):
        yield not_an_object()
    elif value.get("event") == "DELETE":
        yield left_out(translatable("deleted in mem0"))
    else:
        yield Entry(
            "",
            _record(value),
            ignored=unknown(value, _KNOWN) | unknown_metadata(value.get("metadata"), _KNOWN_METADATA),
        )


def _record(item: Item) -> Record:
    metadata = item.get("metadata")
    labels = [metadata.get(name) for name in sorted(_KNOWN_METADATA)] if is_item(metadata) else []
    record: Record = {
        "text": _text(item),
        "tags": [tag for value in (item.get("categories"), *labels) for tag in texts(value)],
        "session_id": text(item, "session_id", "run_id"),
        "source_provider": "mem0",
        "created_at": moment(item, "created_at"),
        "last_confirmed_at": moment(item, "updated_at"),
        "expires_at": _end_of_day(text(item, "expiration_date")),
    }
    if text(item, "replaced_by"):
        record["deleted_at"] = last_time(record)
        record["forget_reason"] = _REPLACED
    return record


def _end_of_day(day: str | None) -> str | None:
    if day is None:
        return None
    try:
        return datetime.combine(date.fromisoformat(day[:10]) + timedelta(days=1), time(), UTC).isoformat()
    except (ValueError, OverflowError):
        raise InvalidInput(translatable("must be a day such as 2026-05-17."), argument="expiration_date") from None


MEM0: Final = JsonFormat(Format.MEM0, "mem0", FIELDS, lists, convert)
