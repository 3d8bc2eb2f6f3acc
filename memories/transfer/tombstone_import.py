"""Import of tombstones from an export: a forgotten memory stays forgotten, with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction
from django.db.models.functions import Now

from common.advisory_locks import AdvisoryLock, lock_until_commit
from memories.access import Actor, View
from memories.aspects.reading import aspect_of
from memories.database import refuse_growth
from memories.drafts import Draft, Hide, checked_past_time, checked_reason, refuse
from memories.errors import MemoriesError
from memories.models import JournalEntry, Memory
from memories.relations.statements import statement_key
from memories.tags import apply_synonyms, synonyms_of
from memories.vectors.index_queue import index_soon
from memories.writing import journal
from memories.writing.hidden_values import Hiding, store_values
from memories.writing.remembering import RememberOutcome

Identity = tuple[bytes, datetime | None]
"""The hash of a text and when it was forgotten, None if it is not deleted. Unique among an owner's memories."""


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A forgotten memory from an export: its content, when it was forgotten, and why."""

    draft: Draft
    deleted_at: datetime
    reason: str | None = None

    def checked(self, hide: Hide = refuse) -> Tombstone:
        """Return a checked and cleaned copy. `hide` decides about secrets in the text.

        Raises the errors of `Draft.checked`, and InvalidInput or SecretRejected for the time or the reason.
        """
        deleted_at = checked_past_time("deleted_at", self.deleted_at) or self.deleted_at
        draft = replace(self.draft, created_at=self.draft.created_at or deleted_at)
        return Tombstone(draft.checked(hide), deleted_at, checked_reason(self.reason))

    @property
    def identity(self) -> Identity:
        """The identity that makes another tombstone a duplicate. Valid only for a checked tombstone."""
        return self.draft.text_hash, self.deleted_at


def import_tombstones(actor: Actor, tombstones: Sequence[Tombstone]) -> list[RememberOutcome | MemoriesError]:
    """Store tombstones and return the outcomes by position. The job process embeds them. An invalid one fails alone.

    An active memory with the same text does not change; a tombstone that exists already is a duplicate. Raises
    StorageFull.
    """
    refuse_growth()
    outcomes: dict[int, RememberOutcome | MemoriesError] = {}
    positions: dict[Identity, list[int]] = {}
    checked: dict[Identity, Tombstone] = {}
    hide = Hiding(actor)
    for position, tombstone in enumerate(tombstones):
        try:
            fit = tombstone.checked(hide)
        except MemoriesError as error:
            outcomes[position] = error
        else:
            checked.setdefault(fit.identity, fit)
            positions.setdefault(fit.identity, []).append(position)
    known = find_tombstones(actor.view, checked)
    stored = {identity: RememberOutcome(memory_id, is_duplicate=True) for identity, memory_id in known.items()}
    stored |= _insert(actor, [tombstone for identity, tombstone in checked.items() if identity not in known])
    for identity, (first, *again) in positions.items():
        outcomes[first] = stored[identity]
        outcomes |= dict.fromkeys(again, replace(stored[identity], is_duplicate=True))
    return [outcomes[position] for position in range(len(tombstones))]


def find_tombstones(view: View, identities: Iterable[Identity]) -> dict[Identity, int]:
    """Return the memory ids of those `identities` that the view has as tombstones. No query if there are none."""
    wanted = set(identities)
    found = (
        Memory.objects.visible_including_quarantined(view)
        .filter(text_hash__in={text_hash for text_hash, _ in wanted}, deleted_at__in={moment for _, moment in wanted})
        .values_list("text_hash", "deleted_at", "pk")
    )
    return {(bytes(text_hash), moment): pk for text_hash, moment, pk in found}


def _insert(actor: Actor, tombstones: Sequence[Tombstone]) -> dict[Identity, RememberOutcome]:
    if not tombstones:
        return {}
    synonyms = synonyms_of(actor.view, (tag for tombstone in tombstones for tag in tombstone.draft.tags))
    with transaction.atomic():
        # No index is unique for tombstones: of two imports at once, the later one must see what the other has stored.
        lock_until_commit(AdvisoryLock.BATCH_INSERTION, actor.owner_id)
        known = find_tombstones(actor.view, [tombstone.identity for tombstone in tombstones])
        missing = [tombstone for tombstone in tombstones if tombstone.identity not in known]
        memories = Memory.objects.bulk_create([_as_memory(actor, tombstone, synonyms) for tombstone in missing])
        journal.write(journal.first_entry(actor, JournalEntry.Operation.REMEMBER, memory) for memory in memories)
        for tombstone, memory in zip(missing, memories, strict=True):
            if tombstone.draft.kept:
                store_values(actor.owner_id, memory.pk, tombstone.draft.kept)
        transaction.on_commit(index_soon)
    outcomes = {identity: RememberOutcome(memory_id, is_duplicate=True) for identity, memory_id in known.items()}
    return outcomes | {
        tombstone.identity: RememberOutcome(memory.pk, indexed=False)
        for tombstone, memory in zip(missing, memories, strict=True)
    }


def _as_memory(actor: Actor, tombstone: Tombstone, synonyms: dict[str, str]) -> Memory:
    draft = tombstone.draft
    created_at = draft.created_at or tombstone.deleted_at
    return Memory(
        owner_id=actor.owner_id,
        text=draft.text,
        text_hash=draft.text_hash,
        statement_key=statement_key(draft.text),
        aspect=aspect_of(draft.text),
        tags=actor.view.completed(apply_synonyms(draft.tags, synonyms)),
        importance=draft.importance,
        source_provider=draft.source_provider,
        capture_mode=draft.capture_mode,
        session_id=draft.session_id,
        agent=draft.agent,
        created_at=created_at,
        last_confirmed_at=draft.last_confirmed_at or created_at,
        expires_at=draft.expires_at,
        valid_from=draft.valid_from,
        valid_until=draft.valid_until,
        named_days=draft.named_days,
        deleted_at=tombstone.deleted_at,
        forget_reason=tombstone.reason,
        quarantined_from=draft.quarantined_from,
        briefing_place=draft.briefing_place if actor.is_owner else None,
        stored_by=actor.client,
    )


def link_successors(actor: Actor, successors: Mapping[int, int]) -> None:
    """Set the successor of each tombstone (id → id) that has none yet. Ids that do not exist any more are ignored."""
    with transaction.atomic():
        mine = Memory.objects.changeable_by(actor)
        present = set(mine.filter(pk__in=successors.values()).values_list("pk", flat=True))
        entries = []
        for memory in mine.forgotten().filter(pk__in=successors, replaced_by=None).select_for_update():
            if successors[memory.pk] in present - {memory.pk}:
                before = journal.snapshot(memory)
                memory.replaced_by_id = successors[memory.pk]
                memory.updated_at = Now()
                memory.save(update_fields=["replaced_by", "updated_at"])
                entries.append(journal.entry(actor, JournalEntry.Operation.FORGET, memory, before))
        journal.write(entries)
