"""The dump of a PostgreSQL database of OwnSona's Java edition, as SQL from `pg_dump` or `pg_dumpall`.

The table `memories`: https://github.com/blakemcbride/Ownsona/blob/master/sql/001_init.sql, with the columns of
https://github.com/blakemcbride/Ownsona/tree/master/src/main/precompiled/ai/ownsona/migrations. The dump is made by
https://github.com/blakemcbride/Ownsona/blob/master/sql/ownsona-backup.sh. The text format of COPY:
https://www.postgresql.org/docs/current/sql-copy.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from common.texts import translatable
from memories.errors import InvalidInput
from memories.transfer.entries import Entry, UnreadableFile
from memories.transfer.files.import_file import ImportFile
from memories.transfer.formats.base import Fields, Reading, Record, TextFormat
from memories.transfer.formats.fields import Item, is_item, unknown_metadata
from memories.transfer.formats.lines import MAX_LINE_BYTES
from memories.transfer.options import Format

FIELDS: Final[Fields] = (
    ("text, tags, importance, source_provider", "unchanged"),
    ("source_conversation_id", "session_id"),
    ("metadata.capture_mode", "capture_mode"),
    ("metadata, its other fields", "left out: a memory has no fields of your own"),
    ("created_at, last_confirmed_at, expires_at", "unchanged"),
    ("deleted_at, forget_reason, replaced_by_id", "a forgotten memory"),
    ("embedding, other tables", "left out: vectors are created again"),
)
_COPY = re.compile(rb"^COPY (?:\w+\.)?memories \(([^)]*)\) FROM stdin;\s*$")
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.))", re.DOTALL)
_LETTERS: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ARRAY_ITEM = re.compile(r'"((?:[^"\\]|\\.)*)"|([^,{}"]+)')
_UNCHANGED: Final = ("text", "source_provider", "forget_reason")
_TIMES: Final = ("created_at", "last_confirmed_at", "expires_at", "deleted_at")
_HEADER: Final = b"PostgreSQL database"
_MAX_ROW_BYTES: Final = 4 * MAX_LINE_BYTES
"""A row has a vector of 1,536 numbers as text, beside the memory."""


def is_dump(sample: bytes) -> bool:
    """Whether a file begins like a dump."""
    return sample.lstrip().startswith(b"--") and _HEADER in sample[:4096]


def read(file: ImportFile, _: Reading) -> Iterator[Entry]:
    """Yield the entries of the rows. Raises UnreadableFile if the dump has no such table, or ends within it."""
    columns = _check(file)
    return _rows(file, columns)


def _check(file: ImportFile) -> list[str]:
    """Read the whole file and return the columns of the table."""
    file.stream.seek(0)
    columns: list[str] | None = None
    is_complete = True
    for line in iter(lambda: file.stream.readline(_MAX_ROW_BYTES), b""):
        if found := _COPY.match(line):
            columns, is_complete = [name.strip(' "') for name in found[1].decode("utf-8", "replace").split(",")], False
        elif line.rstrip() == b"\\.":
            is_complete = True
    if columns is None or "text" not in columns:
        raise UnreadableFile(
            translatable(
                "%(name)s has no table memories with a column text. Only dumps of OwnSona's Java edition can be "
                "imported, without the option --inserts of pg_dump.",
                name=file.name,
            )
        )
    if not is_complete:
        raise UnreadableFile(
            translatable("%(name)s is truncated: the rows of the table memories have no end.", name=file.name)
        )
    return columns


def _rows(file: ImportFile, columns: list[str]) -> Iterator[Entry]:
    file.stream.seek(0)
    is_inside = False
    for number, line in enumerate(iter(lambda: file.stream.readline(_MAX_ROW_BYTES), b""), start=1):
        if not is_inside:
            is_inside = _COPY.match(line) is not None
        elif line.rstrip() == b"\\.":
            is_inside = False
        else:
            yield _entry(translatable("line %(number)s", number=number), columns, line)


def _entry(place: str, columns: list[str], line: bytes) -> Entry:
    try:
        cells = line.decode("utf-8").rstrip("\r\n").split("\t")
        if len(cells) != len(columns):
            raise InvalidInput(
                translatable("it has %(total)s columns instead of %(columns)s.", total=len(cells), columns=len(columns))
            )
        row = {name: _unescaped(cell) for name, cell in zip(columns, cells, strict=True) if cell != "\\N"}
        metadata = _metadata(row)
        return Entry(place, _record(row, metadata), ignored=unknown_metadata(metadata, {"capture_mode"}))
    except UnicodeDecodeError as error:
        return Entry(
            place, error=InvalidInput(translatable("it is not valid UTF-8 at byte %(start)s.", start=error.start + 1))
        )
    except InvalidInput as error:
        return Entry(place, error=error)


def _unescaped(cell: str) -> str:
    def character(found: re.Match[str]) -> str:
        if found[1]:
            return chr(int(found[1], 8))
        return chr(int(found[2], 16)) if found[2] else _LETTERS.get(found[3], found[3])

    return _ESCAPE.sub(character, cell) if "\\" in cell else cell


def _record(row: dict[str, str], metadata: Item) -> Record:
    record: Record = {name: row[name] for name in _UNCHANGED if name in row}
    record |= {name: _time(row[name]) for name in _TIMES if name in row}
    record |= {name: int(row[name]) for name in ("id", "replaced_by_id") if row.get(name, "").isdigit()}
    record["tags"] = _array(row.get("tags", ""))
    record["session_id"] = row.get("source_conversation_id")
    mode = metadata.get("capture_mode")
    record["capture_mode"] = mode if mode in ("explicit", "inferred") else None
    try:
        record["importance"] = float(row["importance"]) if "importance" in row else None
    except ValueError:
        raise InvalidInput(translatable("must be a number."), argument="importance") from None
    return record


def _time(cell: str) -> str:
    """Return a time such as `2026-05-17 14:00:00+00` in ISO 8601."""
    return cell.replace(" ", "T", 1)


def _array(cell: str) -> list[str]:
    """Return the items of an array such as `{a,"b c"}`."""
    found = _ARRAY_ITEM.findall(cell.strip()[1:-1])
    return [
        re.sub(r"\\(.)", r"\1", quoted) if quoted else plain.strip()
        for quoted, plain in found
        if quoted or plain.strip()
    ]


def _metadata(row: dict[str, str]) -> Item:
    try:
        value = json.loads(row.get("metadata", ""))
    except ValueError:
        return {}
    return value if is_item(value) else {}


POSTGRES_DUMP: Final = TextFormat(Format.POSTGRES_DUMP, translatable("database dump of the Java edition"), FIELDS, read)
