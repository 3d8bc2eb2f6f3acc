"""JSON documents, read value by value in constant memory.

The lists of exports can be larger than the memory, so a list is never held as a whole. `json` can only parse a text
that is complete. Therefore more text is read until the next value is complete; each time as much again, so that parsing
it takes twice as long at most.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final

from common.texts import translatable
from memories.transfer.entries import UnreadableFile

MAX_VALUE_CHARS: Final = 64_000_000
"""Longest value of a list, such as one conversation, and longest value beside the lists."""

MAX_SAMPLES: Final = 3
"""Number of values at the beginning of a list by which its format is recognized."""

WHOLE: Final = "."
"""Key of a document that is a value itself, and of a list that is the document."""

_CHUNK_BYTES: Final = 64 * 1024
_BLANKS: Final = " \t\r\n"
_END_MARGIN: Final = 32
"""The distance from the end within which a problem, or a number, may be due only to text that was not read yet."""

_DECODER = json.JSONDecoder()


@dataclass(slots=True)
class ListShape:
    """A list of a document: its length, and its first values."""

    count: int = 0
    samples: list[object] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Shape:
    """The lists and other values of a document by their key. The key of a document that is a list is `WHOLE`."""

    lists: dict[str, ListShape] = field(default_factory=dict)
    values: dict[str, object] = field(default_factory=dict)

    def sample(self, key: str) -> object:
        """Return the first value of a list, or None if there is no such list or it is empty."""
        found = self.lists.get(key)
        return found.samples[0] if found is not None and found.samples else None


def shape_of(stream: BinaryIO, name: str) -> Shape:
    """Read a whole document and return its shape. Raises UnreadableFile if any part of it is not valid."""
    shape = Shape()
    for key, value, is_item in _parts(stream, name):
        if not is_item:
            shape.values[key] = value
            continue
        found = shape.lists.setdefault(key, ListShape())
        if value is not _EMPTY:
            found.count += 1
            if len(found.samples) < MAX_SAMPLES:
                found.samples.append(value)
    return shape


def items_of(stream: BinaryIO, name: str, key: str) -> Iterator[object]:
    """Yield the values of a list of a document, which is valid. Raises UnreadableFile if it is not."""
    for found, value, is_item in _parts(stream, name):
        if is_item and found == key and value is not _EMPTY:
            yield value


def whole_document(stream: BinaryIO, name: str) -> object:
    """Return a document that is one value. Raises UnreadableFile if it is not valid or too long."""
    stream.seek(0)
    return _Text(stream, name).value()


_EMPTY: Final = object()
"""Stands for the values of an empty list, so that the list is known."""


def _parts(stream: BinaryIO, name: str) -> Iterator[tuple[str, object, bool]]:
    """Yield the key and value of each part of a document, and whether the part is an item of a list."""
    stream.seek(0)
    text = _Text(stream, name)
    first = text.peek()
    if first == "[":
        yield from _items(text, WHOLE)
    elif first == "{":
        yield from _members(text)
    else:
        text.value()
        raise UnreadableFile(
            translatable('%(name)s must be a JSON list, or an object with a list under "memories".', name=name)
        )
    text.expect_end()


def _members(text: _Text) -> Iterator[tuple[str, object, bool]]:
    text.take("{")
    while text.peek() != "}":
        key = text.value()
        if not isinstance(key, str):
            raise text.problem("Expecting a name in double quotes")
        text.take(":")
        if text.peek() == "[":
            yield from _items(text, key)
        else:
            yield key, text.value(), False
        if text.peek() != "}":
            text.take(",")
    text.take("}")


def _items(text: _Text, key: str) -> Iterator[tuple[str, object, bool]]:
    text.take("[")
    yield key, _EMPTY, True
    while text.peek() != "]":
        yield key, text.value(), True
        if text.peek() != "]":
            text.take(",")
    text.take("]")


class _Text:
    """The text of a document, of which only the part around the current position is in memory."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream = stream
        self._name = name
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._buffer, self._at, self._dropped = "", 0, 0

    def peek(self) -> str:
        """Return the next character that is not blank, or the empty string at the end."""
        while True:
            while self._at < len(self._buffer) and self._buffer[self._at] in _BLANKS:
                self._at += 1
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._read_more():
                return ""

    def take(self, character: str) -> None:
        """Go past `character`. Raises UnreadableFile if the next one is another."""
        found = self.peek()
        if found != character:
            raise self.problem("The file ends too early" if not found else f"Expecting {character!r}")
        self._at += 1

    def expect_end(self) -> None:
        """Raise UnreadableFile unless nothing follows."""
        if self.peek():
            raise self.problem("Extra data")

    def value(self) -> object:
        """Return the next value. Raises UnreadableFile."""
        if not self.peek():
            raise self.problem("The file ends too early")
        while True:
            try:
                value, end = _DECODER.raw_decode(self._buffer, self._at)
            except json.JSONDecodeError as error:
                is_incomplete = error.msg.startswith("Unterminated") or error.pos + _END_MARGIN > len(self._buffer)
                if not is_incomplete or not self._read_more():
                    raise self.problem(error.msg, error.pos) from None
            except RecursionError:
                raise self.problem("it is nested too deeply") from None
            except ValueError:
                raise self.problem("a number has too many digits") from None
            else:
                length = end - self._at
                # The beginning of a number is a number, too: -2 of -2.5e7.
                if end + _END_MARGIN <= len(self._buffer) or not self._read_more():
                    self._at += length
                    return value

    def problem(self, message: str, position: int | None = None) -> UnreadableFile:
        """Return the error for a problem at a position of the buffer, by default the current one."""
        character = self._dropped + (self._at if position is None else position) + 1
        return UnreadableFile(
            translatable(
                "%(name)s is not valid JSON: %(message)s at character %(character)s.",
                name=self._name,
                message=message,
                character=character,
            )
        )

    def _read_more(self) -> bool:
        """Add at least as much text as is left. Return False at the end of the file."""
        left = len(self._buffer) - self._at
        if left > MAX_VALUE_CHARS:
            limit = MAX_VALUE_CHARS // 1_000_000
            raise UnreadableFile(
                translatable(
                    "%(name)s has a value of more than %(limit)s MB at character %(position)s.",
                    name=self._name,
                    limit=limit,
                    position=self._dropped + 1,
                )
            )
        content = self._stream.read(max(_CHUNK_BYTES, left))
        try:
            added = self._decoder.decode(content, final=not content)
        except UnicodeDecodeError:
            raise self.problem("it is not valid UTF-8", len(self._buffer)) from None
        self._dropped += self._at
        self._buffer, self._at = self._buffer[self._at :] + added, 0
        return bool(content)
