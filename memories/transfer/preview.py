"""The preview of an import: what it would do, without storing anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.conf import settings
from django.utils import timezone

from memories.errors import MemoriesError
from memories.tags import synonyms_of
from memories.transfer.batches import batches
from memories.transfer.entries import Entry, ImportSource
from memories.transfer.importer import ImportOutcome, ImportRun, Summary
from memories.transfer.records import Record
from memories.transfer.report import reason_of
from memories.validation.secrets.placeholders import without_numbers
from memories.validation.text import clean_tag, clean_text
from memories.writing.hidden_values import Hiding

MAX_SAMPLES = 5
MAX_REJECTIONS = 20
MAX_TAGS = 1_000
"""Number of different tags that are counted. A file with more has texts as tags."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A memory as it would be stored: its text and tags, and what it would be besides active."""

    place: str
    text: str
    tags: tuple[str, ...]
    state: str


@dataclass(slots=True)
class Preview:
    """The outcome that an import would have.

    `summary` has the counts. `files` counts the files by the label of their format, and `fields` says for each format
    what becomes of its parts. `forgotten` and `expired` count memories that would be stored as such. `rejections` are
    the first places with their reasons. `tags` counts the tags as they would be stored, and `changed_tags` has those
    of the source that are stored in another form; an empty text means that a tag is dropped. `notes` are for people.
    """

    format: str
    summary: Summary
    files: Counter[str] = field(default_factory=Counter)
    fields: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    forgotten: int = 0
    expired: int = 0
    samples: list[Sample] = field(default_factory=list)
    rejections: list[tuple[str, str]] = field(default_factory=list)
    tags: Counter[str] = field(default_factory=Counter)
    changed_tags: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def preview(run: ImportRun, source: ImportSource, entries: Iterable[Entry] | None = None) -> Preview:
    """Read a source to its end and return what importing it with the settings of `run` would do.

    `entries` replace those of the source, to show the progress of reading them. Raises UnreadableFile.
    """
    check = Check(run, source)
    for batch in batches(source.entries if entries is None else entries, settings.MAX_BATCH_SIZE):
        check.add(batch)
    return check.result()


class Check:
    """An import that stores nothing, batch by batch, and makes a preview of what `run` would do."""

    def __init__(self, run: ImportRun, source: ImportSource) -> None:
        self._run = ImportRun(run.actor, run.policy, run.source_provider, run.tags, dry_run=True)
        self._notes = source.notes
        self._result = Preview(source.format, self._run.summary, source.notes.files, source.notes.fields)
        self._run.observe = _Collector(self._result, self._run).add

    def add(self, batch: Sequence[Entry]) -> None:
        """Check the next entries, at most MAX_BATCH_SIZE."""
        self._run.bring_in(batch, self._reject)

    def result(self) -> Preview:
        """Return the preview of all entries so far."""
        self._result.notes = self._notes.lines()
        return self._result

    def _reject(self, place: str, error: MemoriesError) -> None:
        if len(self._result.rejections) < MAX_REJECTIONS:
            self._result.rejections.append((place, reason_of(error)))


class _Collector:
    """Adds each entry of an import that stores nothing to its preview."""

    def __init__(self, result: Preview, run: ImportRun) -> None:
        self._result, self._run, self._now = result, run, timezone.now()
        self._stored_as: dict[str, str] = {}
        self._hide = Hiding(run.actor, dry_run=True)

    def add(self, entry: Entry, record: Record | None, outcome: ImportOutcome | None) -> None:
        """Count the tags and the state of a memory that would be stored, and keep the first ones as samples."""
        if record is None or outcome is None or isinstance(outcome, MemoriesError) or outcome.is_duplicate:
            return
        draft = record.draft
        is_expired = draft.expires_at is not None and draft.expires_at < self._now
        self._result.forgotten += record.deleted_at is not None
        self._result.expired += record.deleted_at is None and is_expired
        tags = dict.fromkeys(stored for tag in draft.tags if (stored := self._stored(tag)))
        self._result.tags.update(tag for tag in tags if tag in self._result.tags or len(self._result.tags) < MAX_TAGS)
        if len(self._result.samples) < MAX_SAMPLES:
            state = "forgotten" if record.deleted_at else "expired" if is_expired else ""
            # A preview is stored, so it must not have a secret that the import would hide.
            safe = self._hide("text", clean_text(draft.text)).text
            self._result.samples.append(Sample(entry.place, without_numbers(safe), tuple(tags), state))

    def _stored(self, tag: str) -> str:
        """Return a tag as it would be stored, or the empty string if it is dropped."""
        if tag not in self._stored_as:
            if len(self._stored_as) >= MAX_TAGS:
                return clean_tag(tag)
            cleaned = clean_tag(tag)
            stored = synonyms_of(self._run.actor.view, [cleaned]).get(cleaned, cleaned) if cleaned else ""
            self._stored_as[tag] = stored
            if stored != tag:
                self._result.changed_tags[tag] = stored
        return self._stored_as[tag]
