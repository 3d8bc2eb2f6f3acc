"""Corrections that end the validity of a memory: it was true until a time, and another one is true since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from common.texts import translatable
from memories.access import Actor
from memories.database import refuse_growth
from memories.drafts import Draft, KeptValue, checked_time, safe_text, stated_times
from memories.errors import InvalidInput
from memories.models import JournalEntry, Memory
from memories.tags import canonical_tags
from memories.validation.text import normalized_hash
from memories.vectors.indexing import embed_or_leave_pending
from memories.writing import journal, locking
from memories.writing.briefing_places import inherit_place
from memories.writing.hidden_values import Hiding, inherit_values, store_values
from memories.writing.merging import insert, refuse_known
from memories.writing.updating import MemoryUpdate


@dataclass(frozen=True, slots=True)
class Succession:
    """The memory that is true since then, None in a dry run, and whether its vector is known.

    `kept` are the values that were hidden.
    """

    new_id: int | None
    indexed: bool = True
    kept: Sequence[KeptValue] = ()


def succeed_memory(
    actor: Actor, memory_id: int, changes: MemoryUpdate, since: datetime, *, dry_run: bool = False
) -> Succession:
    """End the validity of a memory at `since`, and store the new text of `changes` as one that is true from then on.

    The new memory has the tags, importance, source and place in briefings of the old one, but for what `changes` say.
    Raises NotFound for a tombstone, InvalidInput for a text that a memory has already, and for a `since` that is not
    later than the beginning of the old one, StorageFull, and the errors of `Draft.checked`.
    """
    if changes.text is None:
        raise InvalidInput(translatable("needs text: what has been true since then."), argument="since")
    safe, begins = safe_text(changes.text, Hiding(actor, dry_run=dry_run)), _checked_since(since)
    text = safe.text
    if not dry_run:
        refuse_growth()
    vectors = None if dry_run else embed_or_leave_pending([text])[0]
    with transaction.atomic():
        old = _lock_with_room(actor, memory_id, begins)
        if bytes(old.text_hash) == normalized_hash(text):
            raise InvalidInput(translatable("is the text that the memory already has."), argument="text")
        refuse_known(actor, [text])
        draft = _successor(actor, old, text, begins, changes)
        if dry_run:
            draft.checked()
            return Succession(None)
        new = insert(actor, [draft], [vectors])[0]
        _end(actor, old, begins, new)
        store_values(actor.owner_id, new.pk, safe.values)
        inherit_values(actor.owner_id, [old.pk], [new])
    return Succession(new.pk, vectors is not None, safe.values)


def _checked_since(since: datetime) -> datetime:
    checked = checked_time("since", since)
    assert checked is not None
    return checked


def _lock_with_room(actor: Actor, memory_id: int, begins: datetime) -> Memory:
    """Lock the memory. Raises NotFound, and InvalidInput unless it can have held before `begins`."""
    old = locking.lock_not_deleted(actor, memory_id)
    if old.quarantined_from is not None:
        raise locking.not_found(memory_id)
    if old.valid_from is not None and begins <= old.valid_from:
        raise InvalidInput(
            translatable("must be later than valid_from of memory %(memory_id)s.", memory_id=memory_id),
            argument="since",
        )
    if old.valid_until is not None and begins > old.valid_until + timedelta(seconds=1):
        raise InvalidInput(
            translatable("must not be later than valid_until of memory %(memory_id)s.", memory_id=memory_id),
            argument="since",
        )
    return old


def _successor(actor: Actor, old: Memory, text: str, begins: datetime, changes: MemoryUpdate) -> Draft:
    tags = old.tags if changes.tags is None else changes.tags
    _, stated_end, _ = stated_times(text, timezone.now())
    end = changes.valid_until or (stated_end if stated_end and stated_end > begins else None)
    return Draft(
        text,
        tuple(actor.view.completed(canonical_tags(actor.view, tags))),
        old.importance if changes.importance is None else changes.importance,
        old.source_provider,
        old.capture_mode,
        old.session_id,
        changes.expires_at,
        changes.last_confirmed_at,
        valid_from=begins,
        valid_until=end,
    )


def _end(actor: Actor, old: Memory, begins: datetime, new: Memory) -> None:
    before = journal.snapshot(old)
    # The last second of its time, as everywhere.
    old.valid_until = begins - timedelta(seconds=1)
    old.last_confirmed_at = min(old.last_confirmed_at, old.valid_until)
    place, old.briefing_place = old.briefing_place, None
    locking.save(actor.view, old, journal.changed_between(before, journal.snapshot(old)))
    journal.write([journal.entry(actor, JournalEntry.Operation.UPDATE, old, before)])
    inherit_place(actor, new, place)
