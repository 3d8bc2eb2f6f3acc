"""OwnSona's own records: texts, or objects with a text. Exports of the Java edition have the same ones.

The Java edition writes them with its tool `export_memories`, in an object with `ok`, `count` and `memories`:
https://github.com/blakemcbride/Ownsona/blob/master/OWNSONA_SPEC.md (8.12) and
https://github.com/blakemcbride/Ownsona/blob/master/src/main/precompiled/ai/ownsona/MCPServer.java (JSON shaping).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from memories.transfer.entries import Entry
from memories.transfer.formats.base import Fields, JsonFormat, Reading
from memories.transfer.formats.fields import Item, is_item, text
from memories.transfer.formats.json_stream import WHOLE, Shape
from memories.transfer.options import Format

FIELDS: Final[Fields] = (
    ("text, content, memory", "text"),
    ("session_id, conversation", "session_id"),
    ("source_provider, source", "source_provider"),
    ("tags, importance, capture_mode, agent", "unchanged"),
    ("created_at, last_confirmed_at, expires_at, valid_from, valid_until", "unchanged"),
    ("deleted_at, forget_reason, replaced_by_id", "a forgotten memory"),
)
_TEXTS: Final = ("text", "content", "memory")


def lists(shape: Shape) -> tuple[str, ...]:
    """Return the list of the document, or its list `memories`."""
    return tuple(key for key in (WHOLE, "memories") if key in shape.lists)


def has_texts(shape: Shape) -> bool:
    """Whether one of the first values of the list is a text or a memory. Other files of a folder may have a list.

    What has a status is a task of an assistant, or a document.
    """
    samples = [sample for key in lists(shape) for sample in shape.lists[key].samples]
    return any(isinstance(sample, str) or (is_item(sample) and _is_memory(sample)) for sample in samples)


def _is_memory(item: Item) -> bool:
    return text(item, *_TEXTS) is not None and "status" not in item


def convert(value: object, _: Reading) -> Iterator[Entry]:
    """Yield the value unchanged."""
    yield Entry("", value)


OWN: Final = JsonFormat(Format.JSON, "JSON", FIELDS, lists, convert)
