"""The owner's decisions about what waits in quarantine, each with its line in the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils import timezone

from memories.access import Actor, View
from memories.drafts import checked_reason
from memories.errors import InvalidInput
from memories.models import JournalEntry, Memory, MemoryQuerySet
from memories.vectors.indexing import stored_vectors
from memories.vectors.neighbours import Neighbours, find_neighbours
from memories.writing import journal, locking
from memories.writing.lifecycle import revive_memory

Operation = JournalEntry.Operation

DECISION_BATCH_SIZE = 500
"""How many decisions are one transaction."""


def inbox(view: View) -> MemoryQuerySet:
    """What waits for the owner of `view`, what was inferred last first."""
    return Memory.objects.visible_including_quarantined(view).awaiting_review().order_by("-pk")


def accept_memories(actor: Actor, memory_ids: Sequence[int], seen_at: datetime | None = None) -> int:
    """Put those of the memories that wait in force, confirmed now; how many those were. One transaction.

    Those changed after `seen_at`, by the database's clock, go on waiting. Where a memory in force says the same, that
    one stays, put in force again if its time had run out, and what waited becomes a tombstone that names it; and so
    does what waits with the same text from other clients. Raises InvalidInput when the same was stored a moment ago.
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
    """Make those of the memories that wait tombstones, out of quarantine; how many those were. One transaction.

    Those changed after `seen_at`, by the database's clock, go on waiting. Who says the same again is told of it, and
    why. Raises InvalidInput or SecretRejected for a reason that cannot be kept.
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
    """Those of the tombstones that the owner rejected, rather than had forgotten. One query, none for no ids."""
    ends = JournalEntry.objects.filter(
        owner_id=view.owner_id, memory_id__in=set(memory_ids), operation__in=[Operation.FORGET, Operation.REJECT]
    )
    latest = ends.order_by("memory_id", "-pk").distinct("memory_id").values_list("memory_id", "operation")
    return {memory_id for memory_id, operation in latest if operation == Operation.REJECT}


def decide_all_from(actor: Actor, client: str, up_to_id: int, decide: Callable[[Actor, Sequence[int]], int]) -> int:
    """Apply `decide` to all that waits from `client`, as far as the owner has seen it; how many that were.

    In transactions of DECISION_BATCH_SIZE: one that fails leaves those before it decided. Raises what `decide` does.
    """
    ids = list(inbox(actor.view).filter(quarantined_from=client, pk__lte=up_to_id).values_list("pk", flat=True))
    starts = range(0, len(ids), DECISION_BATCH_SIZE)
    return sum(decide(actor, ids[start : start + DECISION_BATCH_SIZE]) for start in starts)


def _lock_with_same_text(
    actor: Actor, memory_ids: Iterable[int], seen_at: datetime | None
) -> tuple[list[Memory], list[Memory]]:
    """Those of the memories that wait and were not changed since, and whatever else waits with one of their texts."""
    waiting, wanted = _awaiting_review(actor), set(memory_ids)
    locked = _lock(waiting.filter(text_hash__in=waiting.filter(pk__in=wanted).values("text_hash")))
    chosen = {memory.pk: memory for memory in _unchanged_since(locked, seen_at) if memory.pk in wanted}
    texts = {bytes(memory.text_hash) for memory in chosen.values()}
    duplicates = [memory for memory in locked if memory.pk not in chosen and bytes(memory.text_hash) in texts]
    return list(chosen.values()), duplicates


def _awaiting_review(actor: Actor) -> MemoryQuerySet:
    return Memory.objects.changeable_by(actor).awaiting_review()


def _lock(waiting: MemoryQuerySet) -> list[Memory]:
    """The memories, oldest first, held in one order until the transaction ends."""
    return list(waiting.order_by("pk").select_for_update(no_key=True))


def _unchanged_since(waiting: Sequence[Memory], seen_at: datetime | None) -> list[Memory]:
    return [memory for memory in waiting if seen_at is None or memory.updated_at <= seen_at]


def _ids_by_text_hash(owner_id: int, text_hashes: Iterable[bytes]) -> dict[bytes, int]:
    """The memories of the user that say the texts, expired ones too, by the texts' hashes."""
    found = Memory.objects.visible_to(View.whole(owner_id)).not_deleted().filter(text_hash__in=text_hashes)
    return {bytes(text_hash): memory_id for text_hash, memory_id in found.values_list("text_hash", "pk")}


def _activate(actor: Actor, memory_ids: Sequence[int], confirmed_at: datetime) -> None:
    accepted = Memory.objects.changeable_by(actor).filter(pk__in=memory_ids)
    try:
        with transaction.atomic():
            accepted.update(quarantined_from=None, last_confirmed_at=confirmed_at, updated_at=Now())
    except IntegrityError:
        raise InvalidInput("One of these was remembered elsewhere a moment ago. Decide again.") from None


def neighbours_of(view: View, memories: Sequence[Memory]) -> dict[int, Neighbours]:
    """What of the view is near each of the memories that wait, by their ids; nothing of one whose vector is pending."""
    vectors = stored_vectors(view.owner_id, memories)
    return dict(zip(vectors, find_neighbours(view, list(vectors.values())), strict=True))
