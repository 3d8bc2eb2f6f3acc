"""The owner's decisions about quarantined memories, each with its journal entry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext

from memories.access import Actor, View
from memories.drafts import checked_reason
from memories.errors import InvalidInput
from memories.models import JournalEntry, Memory, MemoryQuerySet
from memories.vectors.indexing import stored_vectors
from memories.vectors.neighbours import EmbeddedText, Neighbours, find_neighbours
from memories.writing import journal, locking
from memories.writing.lifecycle import revive_memory

Operation = JournalEntry.Operation

DECISION_BATCH_SIZE = 500
"""Number of decisions per transaction."""


def inbox(view: View) -> MemoryQuerySet:
    """Select the quarantined memories that await the review of the owner of `view`, latest first."""
    return Memory.objects.visible_including_quarantined(view).awaiting_review().order_by("-pk")


def accept_memories(actor: Actor, memory_ids: Sequence[int], seen_at: datetime | None = None) -> int:
    """Accept those of the memories that await review, confirmed now, in one transaction. Return how many those were.

    Memories changed after `seen_at`, by the database's clock, stay quarantined. If a memory outside of quarantine has
    the same text, that one is kept (and revived if it has expired), and the accepted one becomes a tombstone with it as
    successor. Quarantined memories of other clients with the same text become such tombstones, too. Raises InvalidInput
    if another process has just stored the same text.
    """
    now = timezone.now()
    entries = []
    with transaction.atomic():
        accepted, duplicates = _lock_with_same_text(actor, memory_ids, seen_at)
        ids_by_text_hash = _ids_by_text_hash(actor.owner_id, [bytes(memory.text_hash) for memory in accepted])
        for memory in [*accepted, *duplicates]:
            before = journal.snapshot(memory)
            said_by = ids_by_text_hash.setdefault(bytes(memory.text_hash), memory.pk)
            if said_by == memory.pk:
                memory.quarantined_from, memory.last_confirmed_at = None, now
            else:
                memory.deleted_at, memory.replaced_by_id = now, said_by
                locking.save(actor.view, memory, ["deleted_at", "replaced_by"])
                revive_memory(actor, said_by, expires_at=memory.expires_at)
            entries.append(journal.entry(actor, Operation.ACCEPT, memory, before))
        _activate(actor, [memory.pk for memory in accepted if memory.quarantined_from is None], now)
        journal.write(entries)
    return len(accepted)


def reject_memories(
    actor: Actor, memory_ids: Sequence[int], reason: str | None = None, seen_at: datetime | None = None
) -> int:
    """Turn those of the memories that await review into tombstones, in one transaction. Return how many those were.

    They leave quarantine, so that a client that remembers the same text again learns that it was rejected, and why.
    Memories changed after `seen_at`, by the database's clock, stay quarantined. Raises InvalidInput or SecretRejected
    for a reason that cannot be stored.
    """
    reason = checked_reason(reason)
    now = timezone.now()
    entries = []
    with transaction.atomic():
        waiting = _unchanged_since(_lock(_awaiting_review(actor).filter(pk__in=memory_ids)), seen_at)
        for memory in waiting:
            before = journal.snapshot(memory)
            memory.quarantined_from, memory.deleted_at, memory.forget_reason = None, now, reason
            entries.append(journal.entry(actor, Operation.REJECT, memory, before))
        decided = Memory.objects.changeable_by(actor).filter(pk__in=[memory.pk for memory in waiting])
        decided.update(quarantined_from=None, deleted_at=now, forget_reason=reason, updated_at=Now())
        journal.write(entries)
    return len(waiting)


def rejected_among(view: View, memory_ids: Iterable[int]) -> set[int]:
    """Return the ids of those tombstones that the owner rejected rather than forgot. One query; none for no ids."""
    ends = JournalEntry.objects.filter(
        owner_id=view.owner_id, memory_id__in=set(memory_ids), operation__in=[Operation.FORGET, Operation.REJECT]
    )
    latest = ends.order_by("memory_id", "-pk").distinct("memory_id").values_list("memory_id", "operation")
    return {memory_id for memory_id, operation in latest if memory_id and operation == Operation.REJECT}


def decide_all_from(actor: Actor, client: str, up_to_id: int, decide: Callable[[Actor, Sequence[int]], int]) -> int:
    """Apply `decide` to the inbox of `client` up to `up_to_id`, the newest that the owner has seen. Return the total.

    Uses transactions of DECISION_BATCH_SIZE: if one fails, those before it stay decided. Raises the errors of `decide`.
    """
    ids = list(inbox(actor.view).filter(quarantined_from=client, pk__lte=up_to_id).values_list("pk", flat=True))
    starts = range(0, len(ids), DECISION_BATCH_SIZE)
    return sum(decide(actor, ids[start : start + DECISION_BATCH_SIZE]) for start in starts)


def _lock_with_same_text(
    actor: Actor, memory_ids: Iterable[int], seen_at: datetime | None
) -> tuple[list[Memory], list[Memory]]:
    """Lock all memories that await review and have the text of one of `memory_ids`.

    Return those of `memory_ids` that are unchanged since `seen_at`, and the other memories with their texts.
    """
    waiting, wanted = _awaiting_review(actor), set(memory_ids)
    locked = _lock(waiting.filter(text_hash__in=waiting.filter(pk__in=wanted).values("text_hash")))
    chosen = {memory.pk: memory for memory in _unchanged_since(locked, seen_at) if memory.pk in wanted}
    texts = {bytes(memory.text_hash) for memory in chosen.values()}
    duplicates = [memory for memory in locked if memory.pk not in chosen and bytes(memory.text_hash) in texts]
    return list(chosen.values()), duplicates


def _awaiting_review(actor: Actor) -> MemoryQuerySet:
    return Memory.objects.changeable_by(actor).awaiting_review()


def _lock(waiting: MemoryQuerySet) -> list[Memory]:
    """Lock the memories until the transaction ends, in id order to avoid deadlocks, and return them."""
    return list(waiting.order_by("pk").select_for_update(no_key=True))


def _unchanged_since(waiting: Sequence[Memory], seen_at: datetime | None) -> list[Memory]:
    return [memory for memory in waiting if seen_at is None or memory.updated_at <= seen_at]


def _ids_by_text_hash(owner_id: int, text_hashes: Iterable[bytes]) -> dict[bytes, int]:
    """Return the ids of the owner's memories with these texts, by hash: neither deleted nor quarantined."""
    found = Memory.objects.visible_to(View.whole(owner_id)).not_deleted().filter(text_hash__in=text_hashes)
    return {bytes(text_hash): memory_id for text_hash, memory_id in found.values_list("text_hash", "pk")}


def _activate(actor: Actor, memory_ids: Sequence[int], confirmed_at: datetime) -> None:
    accepted = Memory.objects.changeable_by(actor).filter(pk__in=memory_ids)
    try:
        with transaction.atomic():
            accepted.update(quarantined_from=None, last_confirmed_at=confirmed_at, updated_at=Now())
    except IntegrityError:
        raise InvalidInput(gettext("One of these was stored again a moment ago. Decide again.")) from None


def neighbours_of(view: View, memories: Sequence[Memory]) -> dict[int, Neighbours]:
    """Find the neighbours in the view of each quarantined memory, by id. Memories with pending vectors are left out."""
    vectors = stored_vectors(view.owner_id, [memory.pk for memory in memories])
    texts = {memory.pk: EmbeddedText(memory.text, vectors[memory.pk]) for memory in memories if memory.pk in vectors}
    return dict(zip(texts, find_neighbours(view, list(texts.values())), strict=True))
