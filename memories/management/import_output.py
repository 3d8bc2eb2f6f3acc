"""The output of the import command: summary, preview, and the outcome of every entry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Self

from django.core.management.base import CommandError

from memories.access import Actor
from memories.transfer.entries import Entry, counted
from memories.transfer.importer import ImportOutcome, Summary
from memories.transfer.preview import Preview
from memories.transfer.records import Record
from memories.transfer.report import report_line

MAX_SHOWN = 20
"""Most tags and changes of tags that are printed."""

MAX_SAMPLE_CHARS = 160


def summary_lines(summary: Summary, *, is_preview: bool) -> Iterator[str]:
    """Yield the counts of an import."""
    verb = "would be inserted" if is_preview else "inserted"
    yield f"{summary.inserted} {verb}, {counted(summary.duplicates, 'duplicate')}, {summary.failed} failed"
    if summary.left_out:
        yield f"Left out: {_joined(summary.left_out)}"
    if summary.ignored:
        yield f"Ignored unknown fields: {', '.join(sorted(summary.ignored))}"
    if summary.unindexed and not is_preview:
        verb, them = ("is", "it") if summary.unindexed == 1 else ("are", "them")
        yield f"{summary.unindexed} {verb} found by words now, and by meaning once the server has embedded {them}."


def undo_hint(actor: Actor) -> str:
    """Return how to undo the import of an actor."""
    return f"To undo this import: manage.py undo --change-set {actor.change_set}"


def preview_lines(found: Preview) -> Iterator[str]:
    """Yield the lines of a preview."""
    yield from summary_lines(found.summary, is_preview=True)
    if found.forgotten or found.expired:
        yield f"Of them {found.forgotten} would be forgotten and {found.expired} expired"
    if found.files:
        yield (
            f"Format: {_joined(found.files)}" if sum(found.files.values()) > 1 else f"Format: {next(iter(found.files))}"
        )
    for label, fields in found.fields.items():
        yield f"Fields of {label}:"
        yield from (f"  {part} → {ours}" for part, ours in fields)
    if found.tags:
        yield f"Tags: {_joined(found.tags)}"
    if found.changed_tags:
        yield f"Tags in another form: {_shown(_changes(found.changed_tags))}"
    if found.samples:
        yield "Examples:"
        for sample in found.samples:
            text = " ".join(sample.text.split())
            cut = f"{text[:MAX_SAMPLE_CHARS]}…" if len(text) > MAX_SAMPLE_CHARS else text
            details = "; ".join(part for part in (", ".join(sample.tags), sample.state) if part)
            yield f"  {sample.place}: {cut}{f' [{details}]' if details else ''}"
    yield from found.notes


def _changes(changed: dict[str, str]) -> list[str]:
    return [f"{given} → {stored or '(dropped)'}" for given, stored in changed.items()]


def _joined(counts: Counter[str]) -> str:
    return _shown([f"{name} ({number})" for name, number in counts.most_common()])


def _shown(parts: list[str]) -> str:
    more = f" and {len(parts) - MAX_SHOWN} more" if len(parts) > MAX_SHOWN else ""
    return ", ".join(parts[:MAX_SHOWN]) + more


class OutcomeFile:
    """A file of JSON Lines with the outcome of every entry: its place, and id or reason."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream: IO[str] | None = None

    def __enter__(self) -> Self:
        """Open the file, and replace one that exists. Raises CommandError."""
        try:
            self._stream = self._path.open("w", encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{self._path} cannot be written: {error.strerror or error}.") from None
        return self

    def __exit__(self, *_: object) -> None:
        if self._stream is not None:
            self._stream.close()

    def add(self, entry: Entry, _: Record | None, outcome: ImportOutcome | None) -> None:
        """Write the outcome of an entry."""
        if self._stream is not None:
            self._stream.write(report_line(entry, outcome))
