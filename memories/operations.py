"""Every change to memories but their making: one transaction each, each with its lines in the journal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from memories import journal
from memories.actor import Actor
from memories.drafts import (
    checked_importance,
    checked_items,
    checked_past,
    checked_reason,
    checked_text,
    checked_time,
)
from memories.embeddings.base import Matrix
from memories.errors import InvalidInput, MemoriesError, NotFound
from memories.indexing import embed_or_leave_pending, replace_vectors
from memories.models import JournalEntry, Memory
from memories.tags import canonical_tags
from memories.tasks import index_soon
from memories.text import normalized_hash

Operation = JournalEntry.Operation


@dataclass(frozen=True, slots=True)
class Changes:
    """What an update sets; None leaves a field as it is. `forever` takes an expiry away."""

    text: str | None = None
    tags: Sequence[str] | None = None
    importance: float | None = None
    expires_at: datetime | None = None
    forever: bool = False
    last_confirmed_at: datetime | None = None

    def values(self, user_id: int) -> dict[str, Any]:
        """The fields to set, checked and cleaned. Raises InvalidInput, LimitExceeded or SecretRejected."""
        values: dict[str, Any] = {}
        if self.text is not None:
            values["text"] = checked_text(self.text)
        if self.tags is not None:
            values["tags"] = canonical_tags(user_id, self.tags)
        if self.importance is not None:
            values["importance"] = checked_importance(self.importance)
        if self.expires_at is not None or self.forever:
            values["expires_at"] = checked_time("expires_at", self.expires_at)
        if self.last_confirmed_at is not None:
            values["last_confirmed_at"] = checked_past("last_confirmed_at", self.last_confirmed_at)
        if not values:
            raise InvalidInput(
                "Nothing to change: give at least one of text, tags, importance, expires_at, last_confirmed_at."
            )
        return values


@dataclass(frozen=True, slots=True)
class Updated:
    """The fields that an update changed, or would change; `indexed` is False while a new text's vector is pending."""

    changed_fields: list[str]
    indexed: bool = True


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What a forget found: whether the memory was a tombstone already."""

    already_deleted: bool


def _locked(user_id: int, memory_id: int) -> Memory:
    """The user's memory, tombstones included, held until the transaction ends. Raises NotFound."""
    memory = Memory.objects.owned_by(user_id).select_for_update().filter(pk=memory_id).first()
    if memory is None:
        raise NotFound(f"There is no memory with id {memory_id}.")
    return memory


def _locked_in_force(user_id: int, memory_id: int) -> Memory:
    memory = _locked(user_id, memory_id)
    if memory.deleted_at is not None:
        raise NotFound(f"Memory {memory_id} was forgotten.")
    return memory


def update_memory(actor: Actor, memory_id: int, changes: Changes, *, dry_run: bool = False) -> Updated:
    """Change fields of a memory in force; a new text is embedded anew.

    Raises NotFound for a tombstone, InvalidInput for a text that another memory in force has, and what `Changes` does.
    """
    values = changes.values(actor.user_id)
    vectors = None
    if "text" in values and not dry_run:
        vectors = _vectors_if_changed(actor.user_id, memory_id, values["text"])
    with transaction.atomic():
        memory = _locked_in_force(actor.user_id, memory_id)
        before = journal.state_of(memory)
        for name, value in values.items():
            setattr(memory, name, value)
        changed = journal.changed_between(before, journal.state_of(memory))
        if "text" in changed:
            memory.text_hash = normalized_hash(memory.text)
            _refuse_duplicate(memory)
        if changed and not dry_run:
            _save(memory, changed)
            journal.write([journal.entry(actor, Operation.UPDATE, memory, before)])
            if "text" in changed:
                replace_vectors(memory, vectors)
                if vectors is None:
                    transaction.on_commit(index_soon)
    return Updated(changed, indexed="text" not in changed or vectors is not None)


def _vectors_if_changed(user_id: int, memory_id: int, text: str) -> Matrix | None:
    """The vectors of a memory's new text, made before its row is locked; None when unchanged or the embedder fails."""
    current = Memory.objects.owned_by(user_id).kept().filter(pk=memory_id).values_list("text", flat=True).first()
    if current is None or current == text:
        return None
    return embed_or_leave_pending([text])[0]


def _refuse_duplicate(memory: Memory) -> None:
    twin = Memory.objects.owned_by(memory.owner_id).kept().filter(text_hash=memory.text_hash).exclude(pk=memory.pk)
    twin_id = twin.values_list("pk", flat=True).first()
    if twin_id is not None:
        raise InvalidInput(f"text: memory {twin_id} says this already. Forget one of the two instead.")


def _save(memory: Memory, changed: Sequence[str]) -> None:
    memory.updated_at = Now()
    extra = ["text_hash"] if "text" in changed else []
    memory.save(update_fields=[*changed, *extra, "updated_at"])


def confirm_memory(actor: Actor, memory_id: int) -> datetime:
    """Record that a memory in force still holds; the time of it. Raises NotFound."""
    with transaction.atomic():
        memory = _locked_in_force(actor.user_id, memory_id)
        before = journal.state_of(memory)
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
) -> Forgotten:
    """Make a memory a tombstone; of one that is, change the reason or the successor where they are given.

    Raises NotFound, and InvalidInput for a successor that is not a memory in force of the same owner.
    """
    reason = checked_reason(reason)
    with transaction.atomic():
        memory = _locked(actor.user_id, memory_id)
        if replaced_by_id is not None:
            _check_successor(actor.user_id, memory_id, replaced_by_id)
        already_deleted = memory.deleted_at is not None
        before = journal.state_of(memory)
        memory.deleted_at = memory.deleted_at or timezone.now()
        memory.forget_reason = reason if reason is not None else memory.forget_reason
        memory.replaced_by_id = replaced_by_id if replaced_by_id is not None else memory.replaced_by_id
        changed = journal.changed_between(before, journal.state_of(memory))
        if changed and not dry_run:
            _save(memory, changed)
            journal.write([journal.entry(actor, Operation.FORGET, memory, before)])
    return Forgotten(already_deleted)


def _check_successor(user_id: int, memory_id: int, replaced_by_id: int) -> None:
    if replaced_by_id == memory_id:
        raise InvalidInput("replaced_by_id: a memory cannot replace itself.")
    if not Memory.objects.owned_by(user_id).kept().filter(pk=replaced_by_id).exists():
        raise InvalidInput(f"replaced_by_id: there is no memory in force with id {replaced_by_id}.")


def forget_memories(
    actor: Actor, memory_ids: Sequence[int], *, reason: str | None = None, dry_run: bool = False
) -> list[Forgotten | MemoriesError]:
    """Make memories tombstones; the outcome of each by position. One that fails does not stop the others."""
    checked_items("ids", memory_ids)
    checked_reason(reason)
    with transaction.atomic():
        # Locked in one order: two calls with the same ids in another order would wait for each other for ever.
        list(Memory.objects.owned_by(actor.user_id).filter(pk__in=memory_ids).order_by("pk").select_for_update())
        return [_forgotten_or_error(actor, memory_id, reason, dry_run) for memory_id in memory_ids]


def _forgotten_or_error(actor: Actor, memory_id: int, reason: str | None, dry_run: bool) -> Forgotten | MemoriesError:
    try:
        return forget_memory(actor, memory_id, reason=reason, dry_run=dry_run)
    except MemoriesError as error:
        return error


def restore_memory(actor: Actor, memory_id: int) -> None:
    """Put a tombstone back in force, as it was. Raises NotFound, and InvalidInput when its text is in force again."""
    with transaction.atomic():
        memory = _locked(actor.user_id, memory_id)
        if memory.deleted_at is None:
            raise InvalidInput(f"Memory {memory_id} is not forgotten.")
        _refuse_duplicate(memory)
        before = journal.state_of(memory)
        memory.deleted_at = memory.forget_reason = memory.replaced_by_id = None
        _save(memory, journal.changed_between(before, journal.state_of(memory)))
        journal.write([journal.entry(actor, Operation.RESTORE, memory, before)])


def hard_delete_memory(actor: Actor, memory_id: int, *, dry_run: bool = False) -> Forgotten:
    """Remove a memory, its vectors and its history. What stays is a line that this happened, without content."""
    with transaction.atomic():
        memory = _locked(actor.user_id, memory_id)
        already_deleted = memory.deleted_at is not None
        if not dry_run:
            JournalEntry.objects.filter(owner_id=actor.user_id, memory_id=memory_id).delete()
            memory.delete()
            journal.write(
                [
                    JournalEntry(
                        owner_id=actor.user_id,
                        memory_id=memory_id,
                        operation=Operation.HARD_DELETE,
                        client=actor.client,
                        call_id=actor.call_id,
                    )
                ]
            )
    return Forgotten(already_deleted)
