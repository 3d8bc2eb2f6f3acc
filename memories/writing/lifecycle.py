"""Confirming, forgetting, restoring, reviving and hard-deleting memories, with one transaction per call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from memories.access import Actor
from memories.drafts import Draft, check_batch_size, checked_reason
from memories.errors import InvalidInput, MemoriesError
from memories.models import CleanupFinding, CleanupLine, JournalEntry, Memory
from memories.writing import journal, locking
from memories.writing.briefing_places import inherit_place
from memories.writing.hidden_values import inherit_values

Operation = JournalEntry.Operation


@dataclass(frozen=True, slots=True)
class ForgetOutcome:
    """The outcome of forgetting a memory: whether it was a tombstone already."""

    already_deleted: bool


def confirm_memory(actor: Actor, memory_id: int, *, dry_run: bool = False) -> datetime:
    """Record that a memory is still true and return the time of that. Raises NotFound for a tombstone."""
    with transaction.atomic():
        memory = locking.lock_not_deleted(actor, memory_id)
        if dry_run:
            return memory.last_confirmed_at
        before = journal.snapshot(memory)
        memory.last_confirmed_at = timezone.now()
        memory.save(update_fields=["last_confirmed_at"])
        journal.write([journal.entry(actor, Operation.CONFIRM, memory, before)])
        return memory.last_confirmed_at


def forget_memory(
    actor: Actor,
    memory_id: int,
    *,
    reason: str | None = None,
    replaced_by_id: int | None = None,
    dry_run: bool = False,
) -> ForgetOutcome:
    """Make a memory a tombstone. If it already is one, change its reason or successor where they are given.

    A successor takes over its place in briefings. Raises NotFound, and InvalidInput unless the successor is another
    memory of the same view that is not deleted.
    """
    reason = checked_reason(reason)
    with transaction.atomic():
        successor = None
        if replaced_by_id is not None:
            successor = _lock_with_successor(actor, memory_id, replaced_by_id)
        memory = locking.lock(actor, memory_id)
        already_deleted = memory.deleted_at is not None
        before = journal.snapshot(memory)
        memory.deleted_at = memory.deleted_at or timezone.now()
        memory.forget_reason = reason if reason is not None else memory.forget_reason
        memory.replaced_by_id = replaced_by_id if replaced_by_id is not None else memory.replaced_by_id
        place, memory.briefing_place = memory.briefing_place, memory.briefing_place if successor is None else None
        changed = journal.changed_between(before, journal.snapshot(memory))
        if changed and not dry_run:
            locking.save(actor.view, memory, changed)
            journal.write([journal.entry(actor, Operation.FORGET, memory, before)])
            if successor is not None:
                inherit_place(actor, successor, place)
                inherit_values(actor.owner_id, [memory_id], [successor])
    return ForgetOutcome(already_deleted)


def _lock_with_successor(actor: Actor, memory_id: int, replaced_by_id: int) -> Memory:
    """Lock a memory and its successor, and return the successor. Raises InvalidInput and NotFound."""
    if replaced_by_id == memory_id:
        raise InvalidInput(gettext("a memory cannot replace itself."), argument="replaced_by_id")
    locked = {memory.pk: memory for memory in locking.lock_all(actor, [memory_id, replaced_by_id])}
    if memory_id not in locked:
        raise locking.not_found(memory_id)
    successor = locked.get(replaced_by_id)
    if successor is None or successor.deleted_at is not None or successor.quarantined_from is not None:
        raise InvalidInput(
            gettext("there is no active memory with id %(replaced_by_id)s.") % {"replaced_by_id": replaced_by_id},
            argument="replaced_by_id",
        )
    return successor


def forget_memories(
    actor: Actor, memory_ids: Sequence[int], *, reason: str | None = None, dry_run: bool = False
) -> list[ForgetOutcome | MemoriesError]:
    """Make memories tombstones and return the outcomes by position. A failed one does not stop the others."""
    check_batch_size("ids", memory_ids)
    checked_reason(reason)
    with transaction.atomic():
        locking.lock_all(actor, memory_ids)
        outcomes = [_forget_or_error(actor, memory_id, reason, dry_run) for memory_id in memory_ids]
    return _forgotten_once(memory_ids, outcomes) if dry_run else outcomes


def _forgotten_once(
    memory_ids: Sequence[int], outcomes: Sequence[ForgetOutcome | MemoriesError]
) -> list[ForgetOutcome | MemoriesError]:
    """Return the outcomes of a dry run as those of the call: an id that occurs again is forgotten already by then."""
    seen = set[int]()
    once = list[ForgetOutcome | MemoriesError]()
    for memory_id, outcome in zip(memory_ids, outcomes, strict=True):
        is_again = memory_id in seen and not isinstance(outcome, MemoriesError)
        once.append(ForgetOutcome(already_deleted=True) if is_again else outcome)
        seen.add(memory_id)
    return once


def _forget_or_error(actor: Actor, memory_id: int, reason: str | None, dry_run: bool) -> ForgetOutcome | MemoriesError:
    try:
        return forget_memory(actor, memory_id, reason=reason, dry_run=dry_run)
    except MemoriesError as error:
        return error


def restore_memory(actor: Actor, memory_id: int) -> None:
    """Restore a tombstone as it was before.

    Raises NotFound, and InvalidInput if the memory is not forgotten or another one has its text now.
    """
    with transaction.atomic():
        memory = locking.lock(actor, memory_id)
        if memory.deleted_at is None:
            raise InvalidInput(gettext("Memory %(memory_id)s is not forgotten.") % {"memory_id": memory_id})
        locking.refuse_duplicate(actor.view, memory)
        before = journal.snapshot(memory)
        memory.deleted_at = memory.forget_reason = memory.replaced_by_id = None
        locking.save(actor.view, memory, journal.changed_between(before, journal.snapshot(memory)))
        journal.write([journal.entry(actor, Operation.RESTORE, memory, before)])


def revive_memory(
    actor: Actor, memory_id: int, *, expires_at: datetime | None, confirmed_at: datetime | None = None
) -> bool:
    """Reactivate an expired memory until `expires_at`, confirmed at `confirmed_at` or else now. Return whether it was.

    A quarantined memory stays quarantined. Does nothing if `expires_at` is past, or if another call has forgotten or
    revived the memory meanwhile.
    """
    now = timezone.now()
    if expires_at is not None and expires_at <= now:
        return False
    with transaction.atomic():
        expired = Memory.objects.changeable_by(actor).not_deleted().filter(pk=memory_id, expires_at__lte=now)
        memory = expired.select_for_update(no_key=True).first()
        if memory is not None:
            before = journal.snapshot(memory)
            memory.expires_at = expires_at
            memory.last_confirmed_at = confirmed_at or now
            locking.save(actor.view, memory, ["expires_at", "last_confirmed_at"])
            journal.write([journal.entry(actor, Operation.REVIVE, memory, before)])
    return memory is not None


def restate_memory(actor: Actor, memory_id: int, draft: Draft) -> None:
    """Give a memory whose time has ended the times of `draft`, which has its text, and confirm it.

    Does nothing if the time of `draft` has ended, too, or if another call has changed the memory meanwhile.
    """
    now = timezone.now()
    if draft.valid_until is None or draft.valid_until < now:
        return
    with transaction.atomic():
        ended = (
            Memory.objects.changeable_by(actor)
            .not_deleted()
            .filter(pk=memory_id, valid_until__lt=now, text_hash=draft.text_hash)
        )
        memory = ended.select_for_update(no_key=True).first()
        if memory is not None:
            before = journal.snapshot(memory)
            memory.valid_from, memory.valid_until, memory.named_days = (
                draft.valid_from, draft.valid_until, draft.named_days
            )  # fmt: skip
            memory.last_confirmed_at = draft.last_confirmed_at or now
            locking.save(actor.view, memory, ["valid_from", "valid_until", "named_days", "last_confirmed_at"])
            journal.write([journal.entry(actor, Operation.CONFIRM, memory, before)])


def hard_delete_memory(actor: Actor, memory_id: int, *, dry_run: bool = False) -> ForgetOutcome:
    """Remove a memory, its vectors, its history and what plans propose for it.

    One journal entry without content records that this happened.
    """
    with transaction.atomic():
        memory = locking.lock(actor, memory_id)
        already_deleted = memory.deleted_at is not None
        if not dry_run:
            JournalEntry.objects.filter(owner_id=actor.owner_id, memory_id=memory_id).delete()
            CleanupLine.objects.filter(plan__owner_id=actor.owner_id, memory_ids__contains=[memory_id]).delete()
            CleanupFinding.objects.filter(owner_id=actor.owner_id, memory_ids__contains=[memory_id]).delete()
            memory.delete()
            journal.write(
                [
                    JournalEntry(
                        owner_id=actor.owner_id,
                        memory_id=memory_id,
                        operation=Operation.HARD_DELETE,
                        before=journal.hard_delete_state(memory),
                        client=actor.client,
                        change_set=actor.change_set,
                        session_id=actor.session_id,
                    )
                ]
            )
    return ForgetOutcome(already_deleted)
