"""Reading of files to import, without a database."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from memories.transfer.entries import Entry, ImportSource
from memories.transfer.opening import open_import, open_path
from memories.transfer.options import Conversations, ImportOptions
from memories.transfer.records import parse_record

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "imports"


def source_of(content: bytes | str, name: str = "file", options: ImportOptions | None = None) -> ImportSource:
    raw = content.encode() if isinstance(content, str) else content
    return open_import(io.BytesIO(raw), name, options)


def fixture(name: str, conversations: Conversations = Conversations.SKIP) -> ImportSource:
    """Open a file or a folder of the fixtures. Files are read into memory, so that nothing stays open."""
    path = FIXTURES / name
    stream = None if path.is_dir() else io.BytesIO(path.read_bytes())
    return open_path(path, stream, ImportOptions(conversations=conversations))


def records(entries: Iterable[Entry]) -> list[dict[str, Any]]:
    """Return the records without empty fields. Each must be one that the import accepts."""
    found = []
    for entry in entries:
        if entry.value is not None:
            parse_record(entry.value)
            value = entry.value if isinstance(entry.value, dict) else {"text": entry.value}
            found.append({name: content for name, content in value.items() if content not in (None, [])})
    return found


def texts(entries: Iterable[Entry]) -> list[str]:
    return [str(record["text"]) for record in records(entries)]


def left_out(entries: Iterable[Entry]) -> list[str]:
    return [entry.left_out for entry in entries if entry.left_out is not None]


def problems(entries: Iterable[Entry]) -> list[tuple[str, str]]:
    return [(entry.place, str(entry.error)) for entry in entries if entry.error is not None]
