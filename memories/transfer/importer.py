"""Batch-wise import of a file's entries. An interrupted run can simply be repeated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from django.conf import settings

from memories.access import Actor
from memories.drafts import Hide
from memories.errors import MemoriesError
from memories.queries.selectors import existing_text_hashes, find_quarantined
from memories.transfer.batches import batches
from memories.transfer.entries import Entry
from memories.transfer.records import Record, parse_record
from memories.transfer.tombstone_import import Identity, Tombstone, find_tombstones, import_tombstones, link_successors
from memories.writing.deduplication import DedupPolicy
from memories.writing.hidden_values import Hiding
from memories.writing.remembering import RememberOutcome, RememberRequest, remember_all

ImportOutcome = RememberOutcome | MemoriesError
Report = Callable[[str, MemoriesError], None]
"""Called with the place of an entry that failed and its error."""

Observer = Callable[[Entry, Record | None, ImportOutcome | None], None]
"""Called with each entry in the order of the file, its record if it has one, and its outcome unless it is left out."""


@dataclass(slots=True)
class Summary:
    """Counts of the outcomes so far.

    `unindexed` is the number of inserted memories that have no vector yet. `left_out` counts by their reason the
    entries that are not memories. `ignored` are the fields of the source that were not imported.
    """

    inserted: int = 0
    duplicates: int = 0
    failed: int = 0
    unindexed: int = 0
    ignored: set[str] = field(default_factory=set)
    left_out: Counter[str] = field(default_factory=Counter)

    def count(self, outcome: RememberOutcome) -> None:
        """Count the outcome of one entry."""
        self.duplicates += outcome.is_duplicate
        self.inserted += not outcome.is_duplicate
        self.unindexed += not (outcome.is_duplicate or outcome.indexed)


@dataclass(slots=True)
class ImportRun:
    """One import for one owner.

    `source_provider` applies to records that name none; `tags` are added to every record. A `dry_run` checks
    everything, but stores and embeds nothing and does not look for near-duplicates. `observe` is called with every
    entry.
    """

    actor: Actor
    policy: DedupPolicy = DedupPolicy.INSERT
    source_provider: str | None = None
    tags: tuple[str, ...] = ()
    dry_run: bool = False
    observe: Observer | None = None
    summary: Summary = field(default_factory=Summary)
    _new_ids: dict[int, int] = field(default_factory=dict)
    _successors: dict[int, int] = field(default_factory=dict)
    _simulated: set[int] = field(default_factory=set)
    """Hashes of the identities in the file so far: they need a fifth of the memory of the identities."""

    def run(self, entries: Iterable[Entry], report: Report) -> None:
        """Import all of `entries`. `summary` is correct after every batch, also if the run is interrupted."""
        for batch in batches(entries, settings.MAX_BATCH_SIZE):
            self.bring_in(batch, report)
        self.finish()

    def bring_in(self, batch: Sequence[Entry], report: Report) -> None:
        """Import the next entries, at most MAX_BATCH_SIZE. Call `finish` after the last ones."""
        records: dict[int, Record] = {}
        outcomes: dict[int, ImportOutcome] = {}
        for number, entry in enumerate(batch):
            if entry.left_out is not None:
                self.summary.left_out[entry.left_out] += 1
                continue
            try:
                records[number] = self._record_of(entry)
            except MemoriesError as error:
                outcomes[number] = error
        outcomes |= zip(records, self._outcomes(list(records.values())), strict=True)
        for number, entry in enumerate(batch):
            outcome, record = outcomes.get(number), records.get(number)
            if isinstance(outcome, MemoriesError):
                self.summary.failed += 1
                report(entry.place, outcome)
            elif outcome is not None and record is not None:
                self.summary.count(outcome)
                self._remember_ids(record, outcome.memory_id)
            if self.observe is not None:
                self.observe(entry, record, outcome)

    def recall_stored(self, entry: Entry, memory_id: int) -> None:
        """Recall that an earlier run has stored an entry as this memory: later entries may refer to it."""
        self._remember_ids(parse_record(entry.value), memory_id)

    def finish(self) -> None:
        """Link tombstones to their successors. Done last: a successor may come after its tombstone in the file."""
        links = {
            memory_id: self._new_ids[former]
            for memory_id, former in self._successors.items()
            if former in self._new_ids
        }
        if not self.dry_run:
            for part in batches(links.items(), settings.MAX_BATCH_SIZE):
                link_successors(self.actor, dict(part))

    def _record_of(self, entry: Entry) -> Record:
        if entry.error is not None:
            raise entry.error
        record = parse_record(entry.value)
        self.summary.ignored |= record.ignored | entry.ignored
        provider = record.draft.source_provider or self.source_provider
        tags = (*record.draft.tags, *self.tags)
        # An app must not put anything into the inbox in the name of another one.
        held_for = record.draft.quarantined_from if self.actor.is_owner else None
        draft = replace(record.draft, source_provider=provider, tags=tags, quarantined_from=held_for)
        return replace(record, draft=draft)

    def _outcomes(self, records: Sequence[Record]) -> list[ImportOutcome]:
        """Import the records, or simulate that, and return the outcomes by position."""
        bring_in = self._simulate if self.dry_run else self._store
        outcomes: dict[int, ImportOutcome] = {}
        for are_tombstones in (False, True):
            places = [i for i, record in enumerate(records) if (record.deleted_at is not None) is are_tombstones]
            outcomes |= zip(places, bring_in([records[place] for place in places]), strict=True)
        return [outcomes[place] for place in range(len(records))]

    def _store(self, records: Sequence[Record]) -> list[ImportOutcome]:
        """Store the records, which must be all memories or all tombstones."""
        tombstones = [tombstone for record in records if (tombstone := _tombstone_of(record))]
        if tombstones:
            return import_tombstones(self.actor, tombstones)
        # The model embeds a hundred short texts per second, and the database stores several times as many.
        requests = [RememberRequest(record.draft, self.policy) for record in records]
        return remember_all(self.actor, requests, leaves_pending=True)

    def _simulate(self, records: Sequence[Record]) -> list[ImportOutcome]:
        """Return the outcomes that `_store` would return, without near-duplicates and with 0 as ids."""
        outcomes: dict[int, ImportOutcome] = {}
        identities: dict[int, Identity] = {}
        hide = Hiding(self.actor, dry_run=True)
        for place, record in enumerate(records):
            try:
                identities[place] = _identity_of(record, hide)
            except MemoriesError as error:
                outcomes[place] = error
        known = self._known(identities.values())
        waiting = find_quarantined(self.actor.owner_id, [text_hash for text_hash, _ in identities.values()])
        for place, identity in identities.items():
            said_by = identity[0], records[place].draft.quarantined_from
            digest = hash(identity)
            is_duplicate = identity in known or digest in self._simulated or said_by in waiting
            outcomes[place] = RememberOutcome(0, is_duplicate=is_duplicate)
            self._simulated.add(digest)
        return [outcomes[place] for place in range(len(records))]

    def _known(self, identities: Iterable[Identity]) -> set[Identity]:
        """Return those of `identities` that are stored already."""
        wanted = set(identities)
        texts = [text_hash for text_hash, deleted_at in wanted if deleted_at is None]
        forgotten = {identity for identity in wanted if identity[1] is not None}
        kept: set[Identity] = {(text_hash, None) for text_hash in existing_text_hashes(self.actor.view, texts)}
        return kept | set(find_tombstones(self.actor.view, forgotten))

    def _remember_ids(self, record: Record, memory_id: int) -> None:
        if record.former_id is not None:
            self._new_ids[record.former_id] = memory_id
        if record.former_successor_id is not None:
            self._successors[memory_id] = record.former_successor_id


def _tombstone_of(record: Record) -> Tombstone | None:
    if record.deleted_at is None:
        return None
    return Tombstone(record.draft, record.deleted_at, record.forget_reason)


def _identity_of(record: Record, hide: Hide) -> Identity:
    """Return the identity by which records are duplicates. Raises the errors that storing the record would."""
    tombstone = _tombstone_of(record)
    return (record.draft.checked(hide).text_hash, None) if tombstone is None else tombstone.checked(hide).identity
