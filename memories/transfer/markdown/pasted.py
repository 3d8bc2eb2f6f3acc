"""Lists of memories that were pasted as text: the answer of an assistant to a prompt that asks for all memories.

The prompt of Claude asks for lines of the form `[date saved, if available] - memory content` in a block of code:
https://support.claude.com/en/articles/12123587 (Import and export your memory). Assistants add a sentence before and
after the list, and headings or bullets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from common.texts import translatable
from memories.transfer.entries import Entry
from memories.transfer.files.import_file import ImportFile
from memories.transfer.formats.base import Fields, Reading, TextFormat
from memories.transfer.formats.lines import decoded_lines
from memories.transfer.options import Format

FIELDS: Final[Fields] = (
    ("each line of the form [date] - text", "a memory"),
    ("each other item of such a list", "a memory without a date"),
    ("the date", "created_at, unless it is unknown"),
    ("headings of at most three words", "tags"),
    ("sentences before and after the list", "left out"),
)
_DATE: Final = "|".join(
    (
        r"\d{4}-\d{2}(?:-\d{2})?",
        r"\d{4}/\d{1,2}/\d{1,2}",
        r"\d{1,2}[./]\d{1,2}[./]\d{4}",
        r"[A-Za-zä]{3,9}\.? \d{1,2},? \d{4}",
        r"\d{1,2}\.? [A-Za-zä]{3,9}\.? \d{4}",
    )
)
_NO_DATE: Final = "|".join(
    (
        r"(?:date )?unknown(?: date)?|no date[\w ]*|undated|n/?a|date not (?:available|saved)|not available",
        r"unbekannt|kein datum|sin fecha|desconocid[ao]|\?+|-+",
    )
)
_PREFIX = re.compile(
    r"^\s*(?:[-*•]\s+|\d+[.)]\s+)?\*{0,2}"
    rf"\[\s*(?:saved:?\s*)?(?P<date>{_DATE}|{_NO_DATE})(?:[T ][\d:.]+\S*)?\s*\]"
    r"\*{0,2}\s*(?:[-–—:]\s*)?(?=\S)",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^(?:[-*•]\s+|\d+[.)]\s+)(?=\S)")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s+(?P<marked>.+?)|\*\*(?P<bold>[^*]+)\*\*:?|(?P<plain>[A-Z][\w /&-]{2,30}):)\s*$")
_MAX_PREFIX_CHARS: Final = 200
"""Longest beginning of a line that may be a date, and longest heading. Expressions must not search in a long line."""

_FENCE = re.compile(r"^\s*(?:```|~~~)")
_FORMATS: Final = ("%Y-%m-%d", "%Y-%m", "%Y/%m/%d", "%d.%m.%Y", "%B %d %Y", "%b %d %Y", "%d %B %Y", "%d %b %Y")
MIN_LINES: Final = 2
"""Smallest number of lines with a date that make a text such a list. One of them may be a line of a diary."""


def is_pasted(sample: str) -> bool:
    """Whether a text is such a list: at least half of the lines that are not headings begin with a date in brackets."""
    lines = [line for line in sample.splitlines() if line.strip() and not _FENCE.match(line)]
    found = sum(_prefix(line) is not None for line in lines)
    others = sum(not (_prefix(line) or _heading(line) or line[0].isspace()) for line in lines)
    return found >= MIN_LINES and found >= others


def read(file: ImportFile, _: Reading) -> Iterator[Entry]:
    """Yield the entries of a list. A line that belongs to the memory above it is added to that one."""
    pending: dict[str, object] | None = None
    pending_place, heading, has_items = "", "", False
    for place, line in decoded_lines(file):
        if isinstance(line, Entry):
            yield line
            continue
        found, is_title = _prefix(line), _heading(line)
        if pending is not None and (found or is_title or not line[:1].isspace()):
            yield Entry(pending_place, pending)
            pending = None
        tags = [heading] if heading else []
        if found:
            has_items = _ITEM.match(line) is not None
            pending_place, pending = (
                place,
                {"text": line[found.end() :].strip(), "tags": tags, "created_at": _time(found["date"])},
            )
        elif is_title:
            heading = _tag(is_title)
        elif has_items and (item := _ITEM.match(line)):
            pending_place, pending = place, {"text": line[item.end() :].strip(), "tags": tags}
        elif pending is not None:
            pending["text"] = f"{pending['text']}\n{line.strip()}"
        elif line.strip() and not _FENCE.match(line):
            yield Entry(place, left_out=translatable("sentences around the list"))
    if pending is not None:
        yield Entry(pending_place, pending)


def _prefix(line: str) -> re.Match[str] | None:
    """Return the date at the beginning of a line with what precedes the text, None if there is none."""
    return _PREFIX.match(line[:_MAX_PREFIX_CHARS])


def _heading(line: str) -> re.Match[str] | None:
    return _HEADING.match(line) if len(line) <= _MAX_PREFIX_CHARS else None


def _tag(title: re.Match[str]) -> str:
    heading = (title["marked"] or title["bold"] or title["plain"]).strip(" :*")
    return heading if len(heading.split()) <= 3 else ""


def _time(date: str) -> str | None:
    """Return noon of that day in UTC, so that it is that day in most time zones. None if it names no day."""
    cleaned = " ".join(date.replace(",", " ").replace(".", " ").split()) if re.search("[A-Za-z]", date) else date
    for pattern in _FORMATS:
        try:
            return datetime.strptime(cleaned, pattern).replace(hour=12, tzinfo=UTC).isoformat()
        except ValueError:
            continue
    return None


PASTED: Final = TextFormat(Format.PASTED, translatable("pasted list"), FIELDS, read)
