"""Parser of import files: from bytes to entries, without access to the database."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import PurePath
from typing import BinaryIO

from memories.errors import InvalidInput

MAX_LINE_BYTES = 1_000_000
"""Longest line of JSON Lines and text. A longer one fails alone and is never in memory as a whole."""

MAX_DOCUMENT_BYTES = 256_000_000
"""Largest JSON document, because it is parsed as a whole. Larger imports must be JSON Lines."""

_OTHER_ENCODINGS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Format(StrEnum):
    """The formats of an import file. `auto` decides by the file name, then by the first line."""

    AUTO = "auto"
    JSON = "json"  # one document: a list, or an object with the list under "memories"
    JSONL = "jsonl"  # one JSON value per line
    TEXT = "text"  # one fact per line


_FORMAT_BY_SUFFIX = {".jsonl": Format.JSONL, ".ndjson": Format.JSONL, ".txt": Format.TEXT}


class UnreadableFile(Exception):
    """A file that cannot be imported as a whole. The message is one line."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One value of the file, parsed but not validated, or the reason why it could not be parsed.

    `place` is its position for people: `line 7`, or `item 7` of a JSON list.
    """

    place: str
    value: object = None
    error: InvalidInput | None = None


@dataclass(frozen=True, slots=True)
class ImportSource:
    """The entries of a file, which can be read once. `total` is their largest possible number, None if unknown."""

    entries: Iterator[Entry]
    total: int | None


def open_import(stream: BinaryIO, name: str, chosen: Format = Format.AUTO) -> ImportSource:
    """Open a UTF-8 file with or without a byte order mark and return its entries. Lines are read one at a time.

    Raises UnreadableFile for another encoding and for an invalid JSON document.
    """
    start = stream.readline(MAX_LINE_BYTES + 1)
    if start.startswith(_OTHER_ENCODINGS):
        raise UnreadableFile(f"{name} is UTF-16. Save it as UTF-8.")
    first_number, start = 1, start.removeprefix(codecs.BOM_UTF8)
    while start and not start.strip() and start.endswith(b"\n"):
        first_number, start = first_number + 1, stream.readline(MAX_LINE_BYTES + 1)
    resolved = _format_of(name, start) if chosen is Format.AUTO else chosen
    if resolved is Format.JSON:
        items = _items(start + stream.read(MAX_DOCUMENT_BYTES + 1 - len(start)), name)
        return ImportSource((Entry(f"item {number}", item) for number, item in enumerate(items, start=1)), len(items))
    as_entry = _json_entry if resolved is Format.JSONL else _text_entry
    total = _lines_ahead(stream) + bool(start) if stream.seekable() else None
    return ImportSource((as_entry(number, line) for number, line in _lines(stream, start, first_number)), total)


def _lines_ahead(stream: BinaryIO) -> int:
    """Count the remaining lines of a seekable stream, and return to the current position."""
    here = stream.tell()
    count, part = 0, b"\n"
    for part in iter(partial(stream.read, 1 << 20), b""):
        count += part.count(b"\n")
    stream.seek(here)
    return count if part.endswith(b"\n") else count + 1


def _format_of(name: str, first_line: bytes) -> Format:
    by_suffix = _FORMAT_BY_SUFFIX.get(PurePath(name).suffix.lower())
    if by_suffix is not None:
        return by_suffix
    if first_line.startswith(b"["):
        return Format.JSON
    if first_line.startswith((b"{", b'"')):
        return _format_of_json(first_line)
    return Format.TEXT


def _format_of_json(first_line: bytes) -> Format:
    """Return JSONL if the first line is a complete value, but not the object with the list; else JSON or TEXT."""
    try:
        value = _parse(first_line)
    except ValueError:
        return Format.TEXT if first_line.startswith(b'"') else Format.JSON
    return Format.JSON if isinstance(value, dict) and isinstance(value.get("memories"), list) else Format.JSONL


def _parse(content: bytes) -> object:
    """Parse the JSON value in `content`. Raises ValueError, also if it is nested too deeply."""
    try:
        return json.loads(content.decode("utf-8"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _items(content: bytes, name: str) -> list[object]:
    """Return the list of a JSON document. Raises UnreadableFile."""
    if len(content) > MAX_DOCUMENT_BYTES:
        limit = MAX_DOCUMENT_BYTES // 1_000_000
        raise UnreadableFile(f"{name} is a JSON document of more than {limit} MB. Convert it to JSON Lines.")
    try:
        document = _parse(content)
    except ValueError as error:
        raise UnreadableFile(
            f"{name} is not valid JSON: {error}. For JSON Lines or text, use --format jsonl or --format text."
        ) from None
    items = document.get("memories") if isinstance(document, dict) else document
    if not isinstance(items, list):
        raise UnreadableFile(f'{name} must be a JSON list, or an object with a list under "memories".')
    return items


def _lines(stream: BinaryIO, first_line: bytes, first_number: int) -> Iterator[tuple[int, bytes | None]]:
    """Yield the number and content of each line that is not blank. The content of a too long line is None: not read."""
    number, line = first_number, first_line
    while line:
        if len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
            _skip_line(stream)
            yield number, None
        elif line.strip():
            yield number, line
        number, line = number + 1, stream.readline(MAX_LINE_BYTES + 1)


def _skip_line(stream: BinaryIO) -> None:
    while (part := stream.readline(MAX_LINE_BYTES)) and not part.endswith(b"\n"):
        pass


def _json_entry(number: int, line: bytes | None) -> Entry:
    place = f"line {number}"
    if line is None:
        return _too_long(place)
    try:
        return Entry(place, _parse(line))
    except ValueError as error:
        return Entry(place, error=InvalidInput(f"it is not valid JSON: {error}."))


def _text_entry(number: int, line: bytes | None) -> Entry:
    place = f"line {number}"
    if line is None:
        return _too_long(place)
    try:
        return Entry(place, line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return Entry(place, error=InvalidInput(f"it is not valid UTF-8 at byte {error.start + 1}."))


def _too_long(place: str) -> Entry:
    return Entry(place, error=InvalidInput(f"it is longer than {MAX_LINE_BYTES} bytes, the limit."))
