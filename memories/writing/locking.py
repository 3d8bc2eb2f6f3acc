"""Row locks, duplicate checks and saving of single memories."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils.translation import gettext

from memories.access import Actor, View
from memories.database import among
from memories.errors import InvalidInput, NotFound
from memories.models import Memory, MemoryQuerySet


def lock(actor: Actor, memory_id: int) -> Memory:
    """Lock a memory that `actor` may change, possibly a tombstone, until the transaction ends. Raises NotFound."""
    # NO KEY: a lock on the key would conflict with those that a successor's foreign key takes, and could deadlock.
    rows = Memory.objects.changeable_by(actor).select_for_update(no_key=True)
    memory = rows.filter(pk=memory_id).first()
    if memory is None:
        raise not_found(memory_id)
    return memory


def not_found(memory_id: int) -> NotFound:
    """Return the error for a memory that does not exist, or that the actor may not change."""
    return NotFound(gettext("There is no memory with id %(memory_id)s.") % {"memory_id": memory_id})


def lock_all(actor: Actor, memory_ids: Collection[int]) -> list[Memory]:
    """Lock those of the memories that `actor` may change, until the transaction ends. Return them by id."""
    # Locked in id order: two calls with the same ids in a different order would deadlock.
    return list(
        Memory.objects.changeable_by(actor)
        .filter(pk__in=among(memory_ids))
        .order_by("pk")
        .select_for_update(no_key=True)
    )


def lock_not_deleted(actor: Actor, memory_id: int) -> Memory:
    """Lock a memory that is not deleted and that `actor` may change. Raises NotFound."""
    memory = lock(actor, memory_id)
    if memory.deleted_at is not None:
        raise NotFound(gettext("Memory %(memory_id)s is forgotten.") % {"memory_id": memory_id})
    return memory


def with_same_text(owner_id: int, text_hash: bytes | memoryview, quarantined_from: str | None = None) -> MemoryQuerySet:
    """Select the memory with this text that is neither deleted nor quarantined, in view or not: there is at most one.

    With `quarantined_from`, select the one that this client has in quarantine, where a text is unique per client.
    """
    everything = Memory.objects.visible_including_quarantined(View.whole(owner_id))
    return everything.not_deleted().filter(text_hash=text_hash, quarantined_from=quarantined_from)


def refuse_duplicate(view: View, memory: Memory) -> None:
    """Raise InvalidInput if another memory has the same text, outside of quarantine or in it from the same client.

    A memory that the view does not show conflicts too, but the error does not identify it.
    """
    duplicate = with_same_text(view.owner_id, memory.text_hash, memory.quarantined_from).exclude(pk=memory.pk).first()
    if duplicate is None:
        return
    if view.shows(duplicate.tags):
        raise InvalidInput(
            gettext("memory %(pk)s already has this text. Forget one of the two instead.") % {"pk": duplicate.pk},
            argument="text",
        )
    raise InvalidInput(
        gettext("another memory already has this text. Remember it again, and forget this memory instead."),
        argument="text",
    )


def save(view: View, memory: Memory, changed: Sequence[str]) -> None:
    """Save the changed fields. Raises InvalidInput if another process has just stored the same text."""
    memory.updated_at = Now()
    extra = ["text_hash", "statement_key", "aspect", "named_days"] if "text" in changed else []
    try:
        with transaction.atomic():
            memory.save(update_fields=[*changed, *extra, "updated_at"])
    except IntegrityError:
        refuse_duplicate(view, memory)
        raise
