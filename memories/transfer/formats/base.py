"""Formats: recognizing, reading and describing them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from memories.transfer.entries import Entry, Notes
from memories.transfer.files.import_file import ImportFile
from memories.transfer.formats.json_stream import Shape
from memories.transfer.options import Format, ImportOptions

Fields = tuple[tuple[str, str], ...]
"""Pairs of a part of the source and what becomes of it here. Shown in the preview."""

Record = dict[str, Any]
"""A memory in our own names, as `memories.transfer.records.parse_record` takes it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The input of a reader besides the file: the owner's options, and the notes to which it adds."""

    options: ImportOptions
    notes: Notes


@dataclass(frozen=True, slots=True)
class JsonFormat:
    """A format whose files are JSON documents or JSON Lines.

    `lists` returns the keys of the lists of a document that have memories: none if the document is of another format.
    `convert` yields the entries of one value of such a list. Their `place` is relative to the value, or empty.
    """

    format: Format
    label: str
    fields: Fields
    lists: Callable[[Shape], tuple[str, ...]]
    convert: Callable[[object, Reading], Iterator[Entry]]


@dataclass(frozen=True, slots=True)
class TextFormat:
    """A format whose files are lines of text, or binary. `read` yields its entries; `count` is their largest number.

    `read` raises UnreadableFile before it yields anything if the file cannot be read as a whole.
    """

    format: Format
    label: str
    fields: Fields
    read: Callable[[ImportFile, Reading], Iterator[Entry]]
    count: Callable[[ImportFile], int | None] = lambda _: None
