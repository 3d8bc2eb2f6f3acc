"""Export of memories as CSV: RFC 4180, UTF-8, one row per memory below a header."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from datetime import datetime

from memories.models import Memory
from memories.transfer.records import OWNER_FIELDS, owner_record_of, time_text


def exported_csv(memories: Iterable[Memory]) -> Iterator[bytes]:
    """Yield the header, then a row for each memory. The columns are those of `owner_record_of`; an empty cell is null.

    Texts are never changed: a cell that begins with "=" would be another text after an import (docs/import-export.md).
    """
    yield _row(OWNER_FIELDS)
    for memory in memories:
        record = owner_record_of(memory)
        yield _row([_cell(record.get(name)) for name in OWNER_FIELDS])


def _row(cells: Iterable[str]) -> bytes:
    line = io.StringIO(newline="")
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue().encode()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else ""
    if isinstance(value, datetime):
        return time_text(value)
    # Tags have letters, digits and hyphens only: see memories/validation/text.py.
    return ",".join(value) if isinstance(value, list) else str(value)
