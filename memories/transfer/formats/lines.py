"""Files of lines: plain text with one fact per line, and JSON Lines."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from functools import partial
from typing import BinaryIO, Final

from common.texts import translatable
from memories.errors import InvalidInput
from memories.transfer.entries import Entry
from memories.transfer.files.import_file import ImportFile
from memories.transfer.formats.base import Fields, Reading, TextFormat
from memories.transfer.options import Format

MAX_LINE_BYTES: Final = 1_000_000
"""Longest line. A longer one fails alone and is never in memory as a whole."""

TEXT_FIELDS: Final[Fields] = (("each line", "a memory"),)


def lines_of(file: ImportFile) -> Iterator[tuple[str, bytes | Entry]]:
    """Yield the place and content of each line that is not blank. A line that is too long is an entry with an error."""
    stream = file.stream
    stream.seek(0)
    number, line = 1, stream.readline(MAX_LINE_BYTES + 1).removeprefix(codecs.BOM_UTF8)
    while line:
        place = translatable("line %(number)s", number=number)
        if len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
            _skip_line(stream)
            yield (
                place,
                Entry(
                    place,
                    error=InvalidInput(
                        translatable(
                            "it is longer than %(max_line_bytes)s bytes, which is the limit.",
                            max_line_bytes=MAX_LINE_BYTES,
                        )
                    ),
                ),
            )
        elif line.strip():
            yield place, line
        number, line = number + 1, stream.readline(MAX_LINE_BYTES + 1)


def decoded_lines(file: ImportFile) -> Iterator[tuple[str, str | Entry]]:
    """Yield the place and text of each line that is not blank. One that cannot be read is an entry with an error."""
    for place, line in lines_of(file):
        if isinstance(line, Entry):
            yield place, line
            continue
        try:
            yield place, line.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            problem = InvalidInput(
                translatable("it is not valid UTF-8 at byte %(start)s. Save the file as UTF-8.", start=error.start + 1)
            )
            yield place, Entry(place, error=problem)


def json_lines(file: ImportFile) -> Iterator[tuple[str, object]]:
    """Yield the place and value of each line, or an entry with an error for a line that is not valid JSON."""
    for place, line in lines_of(file):
        if isinstance(line, Entry):
            yield place, line
            continue
        try:
            yield place, json.loads(line.decode("utf-8"))
        except RecursionError:
            yield (
                place,
                Entry(place, error=InvalidInput(translatable("it is not valid JSON: it is nested too deeply."))),
            )
        except ValueError as error:
            yield place, Entry(place, error=InvalidInput(translatable("it is not valid JSON: %(error)s.", error=error)))


def count_lines(file: ImportFile) -> int:
    """Return the number of lines from the first one that is not blank: the largest possible number of entries."""
    file.stream.seek(0)
    while (line := file.stream.readline(MAX_LINE_BYTES)) and not line.strip():
        pass
    count, part = int(line.endswith(b"\n")), line
    for part in iter(partial(file.stream.read, 1 << 20), b""):
        count += part.count(b"\n")
    return count + bool(part and not part.endswith(b"\n"))


def _skip_line(stream: BinaryIO) -> None:
    while (part := stream.readline(MAX_LINE_BYTES)) and not part.endswith(b"\n"):
        pass


def _read(file: ImportFile, _: Reading) -> Iterator[Entry]:
    for place, line in decoded_lines(file):
        yield line if isinstance(line, Entry) else Entry(place, line)


TEXT: Final = TextFormat(Format.TEXT, translatable("plain text"), TEXT_FIELDS, _read, count_lines)
