"""One memory's row: held for a change, kept from saying what another says, saved."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from memories.access import Actor, View
from memories.errors import InvalidInput, NotFound
from memories.models import Memory, MemoryQuerySet


def lock(actor: Actor, memory_id: int) -> Memory:
    """A memory that `actor` may change, tombstones included, held until the transaction ends. Raises NotFound."""
    # A lock on the key as well would collide with those that a successor's foreign key takes, and could deadlock.
    rows = Memory.objects.changeable_by(actor).select_for_update(no_key=True)
    memory = rows.filter(pk=memory_id).first()
    if memory is None:
        raise NotFound(f"There is no memory with id {memory_id}.")
    return memory


def lock_all(actor: Actor, memory_ids: Collection[int]) -> list[Memory]:
    """Those of the memories with these ids that `actor` may change, by id, held until the transaction ends."""
    # Locked in one order: two calls with the same ids in another order would wait for each other for ever.
    return list(
        Memory.objects.changeable_by(actor).filter(pk__in=memory_ids).order_by("pk").select_for_update(no_key=True)
    )


def lock_not_deleted(actor: Actor, memory_id: int) -> Memory:
    """The same for a memory that was not forgotten."""
    memory = lock(actor, memory_id)
    if memory.deleted_at is not None:
        raise NotFound(f"Memory {memory_id} was forgotten.")
    return memory


def with_same_text(owner_id: int, text_hash: bytes | memoryview, quarantined_from: str | None = None) -> MemoryQuerySet:
    """The memory in force with this text, if there is one, in view or not: a user has each text only once.

    In quarantine, of which nothing else knows, a user has each text once of each client.
    """
    everything = Memory.objects.visible_including_quarantined(View.whole(owner_id))
    return everything.not_deleted().filter(text_hash=text_hash, quarantined_from=quarantined_from)


def refuse_duplicate(view: View, memory: Memory) -> None:
    """Raise InvalidInput when another memory says the same as this one, both in force or both in quarantine.

    One that the view does not show is in the way too, but nothing of it is told.
    """
    duplicate = with_same_text(view.owner_id, memory.text_hash, memory.quarantined_from).exclude(pk=memory.pk).first()
    if duplicate is None:
        return
    if view.shows(duplicate.tags):
        raise InvalidInput(f"text: memory {duplicate.pk} says this already. Forget one of the two instead.")
    raise InvalidInput("text: this is remembered already. Remember it anew, and forget this memory instead.")


def save(view: View, memory: Memory, changed: Sequence[str]) -> None:
    """Save the changed fields. Raises InvalidInput when another process has stored the same text a moment ago."""
    memory.updated_at = Now()
    extra = ["text_hash"] if "text" in changed else []
    try:
        with transaction.atomic():
            memory.save(update_fields=[*changed, *extra, "updated_at"])
    except IntegrityError:
        refuse_duplicate(view, memory)
        raise
