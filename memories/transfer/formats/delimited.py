"""CSV with a header: RFC 4180, also with semicolons or tabs."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import Final

from common.texts import translatable
from memories.errors import InvalidInput
from memories.transfer.entries import Entry, UnreadableFile
from memories.transfer.files.import_file import ImportFile
from memories.transfer.formats.base import Fields, Reading, Record, TextFormat
from memories.transfer.formats.lines import count_lines
from memories.transfer.options import Format

TEXT_COLUMNS: Final = ("text", "content", "memory", "fact", "note", "statement", "observation")
"""Names of the column with the texts. The first one that the header has is used."""

FIELDS: Final[Fields] = (
    (f"the first of the columns {', '.join(TEXT_COLUMNS)}", "text"),
    ("tags, labels, category, categories, type", "tags, separated by commas, semicolons or |"),
    ("columns with the names of our fields, such as importance or session_id", "those fields"),
    ("created_at, created, date, timestamp", "created_at"),
    ("source, provider", "source_provider"),
)
_FLAGS: Final = {"pinned", "hidden_from_briefing"}
_OURS: Final = {
    *("importance", "capture_mode", "session_id", "source_provider", "created_at", "last_confirmed_at", "expires_at"),
    *("valid_from", "valid_until", "deleted_at", "forget_reason", "quarantined_from"),
    *("replaced_by_id", *_FLAGS),
}
_SYNONYMS: Final = {
    **dict.fromkeys(("created", "date", "timestamp", "created at", "createdat"), "created_at"),
    **dict.fromkeys(("source", "provider"), "source_provider"),
    **dict.fromkeys(("conversation", "session"), "session_id"),
    **dict.fromkeys(("expires", "expiration_date", "expires at"), "expires_at"),
}
_TAG_COLUMNS: Final = {"tags", "tag", "labels", "category", "categories", "type"}
_TIMES: Final = {name for name in _OURS if name.endswith("_at") or name.startswith("valid_")}
_WITH_POINTS: Final = re.compile(r"(\d{1,2})\.[ ]?(\d{1,2})\.[ ]?(\d{4})(?:,?[ ](\d\d:\d\d(?::\d\d)?))?")
"""A date as it is written in German and other languages: 5.10.2026, 05.10.2026 14:30."""
_IGNORED_QUIETLY: Final = {"updated_at", "score"}
_ID: Final = "id"
_SUCCESSOR: Final = "replaced_by_id"
"""The column by which tombstones of our own export name their successors. Without it, ids mean nothing."""
_SEPARATORS: Final = ",;\t"
_TAG_SEPARATORS: Final = str.maketrans(";|", ",,")


def header_of(line: str) -> list[str] | None:
    """Return the names of the columns if a line is a header with a column of texts, else None."""
    names = _cells(line)
    return names if names is not None and any(name in names for name in TEXT_COLUMNS) else None


def _cells(line: str) -> list[str] | None:
    """Return the names in a line if it may be a header: each of at most three words, none of them twice."""
    separator = _separator(line)
    try:
        cells = next(csv.reader([line.strip()], delimiter=separator), [])
    except csv.Error:
        return None
    names = [" ".join(cell.split()).lower() for cell in cells]
    is_header = all(0 < len(name) <= 40 and len(name.split()) <= 3 and name[-1] not in ".!?:" for name in names)
    return names if names and is_header and len(set(names)) == len(names) else None


def _separator(line: str) -> str:
    return max(_SEPARATORS, key=line.count)


def read(file: ImportFile, _: Reading) -> Iterator[Entry]:
    """Yield the entries of the rows. Raises UnreadableFile if the header has no column of texts."""
    file.stream.seek(0)
    header = file.stream.readline(1 << 20).decode("utf-8-sig", "replace")
    names = header_of(header)
    if names is None:
        shown = ", ".join(_cells(header) or ["none"])[:200]
        raise UnreadableFile(
            translatable(
                "%(name)s has no column with texts. Its first line must name the columns, and one of them must "
                "be %(values)s. Columns found: %(shown)s.",
                name=file.name,
                values=" or ".join(TEXT_COLUMNS[:3]),
                shown=shown,
            )
        )
    return _rows(file, names, _separator(header))


def _rows(file: ImportFile, names: list[str], separator: str) -> Iterator[Entry]:
    text_column = next(name for name in TEXT_COLUMNS if name in names)
    # Bytes that are not UTF-8 become surrogates, so that one bad row does not end the reading.
    file.stream.seek(0)
    lines = (line.decode("utf-8", "surrogateescape") for line in file.stream)
    rows = csv.reader(lines, delimiter=separator)
    next(rows)
    while True:
        place = translatable("line %(number)s", number=rows.line_num + 1)
        try:
            row = next(rows, None)
        except csv.Error as error:
            yield Entry(place, error=InvalidInput(translatable("it is not valid CSV: %(error)s.", error=error)))
            continue
        if row is None:
            return
        if any(cell.strip() for cell in row):
            yield _entry(place, names, row, text_column)


def _entry(place: str, names: list[str], row: list[str], text_column: str) -> Entry:
    if len(row) > len(names):
        problem = f"it has {len(row)} cells; the header has {len(names)}. Put texts with a separator in double quotes."
        return Entry(place, error=InvalidInput(problem))
    cells = {name: cell.strip() for name, cell in zip(names, row, strict=False) if cell.strip()}
    if any("\ud800" <= character <= "\udfff" for cell in cells.values() for character in cell):
        return Entry(place, error=InvalidInput(translatable("it is not valid UTF-8. Save the file as UTF-8.")))
    record: Record = {"text": cells.get(text_column, ""), "tags": _tags(cells)}
    known = {text_column, *_TAG_COLUMNS, *_IGNORED_QUIETLY}
    former_id = cells.pop(_ID, "")
    if _SUCCESSOR in names and former_id.isdecimal():
        record[_ID] = int(former_id)
    for name, cell in cells.items():
        ours = _SYNONYMS.get(name, name)
        if name not in known and ours in _OURS:
            known.add(name)
            record.setdefault(ours, _value(ours, cell))
    return Entry(place, record, ignored=frozenset(cells) - known)


def _tags(cells: dict[str, str]) -> list[str]:
    joined = ",".join(cells[name] for name in cells if name in _TAG_COLUMNS)
    return [tag.strip() for tag in joined.translate(_TAG_SEPARATORS).split(",") if tag.strip()]


def _value(name: str, cell: str) -> object:
    if name == "importance":
        try:
            return float(cell)
        except ValueError:
            return cell
    if name in _FLAGS:
        return {"true": True, "false": False}.get(cell.lower(), cell)
    if name == _SUCCESSOR:
        return int(cell) if cell.isdecimal() else None
    return _time(cell) if name in _TIMES else cell


def _time(cell: str) -> str:
    """Return a day, or a day and a time with points, in ISO 8601 and UTC. Others stay as they are.

    A day is its beginning. With slashes, the day or the month may come first.
    """
    if found := _WITH_POINTS.fullmatch(cell):
        day, month, year, time = found.groups()
        return f"{year}-{month:0>2}-{day:0>2}T{time or '00:00'}Z"
    return f"{cell}T00:00:00Z" if len(cell) == 10 else cell


CSV: Final = TextFormat(Format.CSV, "CSV", FIELDS, read, count_lines)
