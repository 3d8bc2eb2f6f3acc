"""One memory's row: held for a change, kept from saying what another says, saved."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from memories.errors import InvalidInput, NotFound
from memories.models import Memory


def lock(user_id: int, memory_id: int) -> Memory:
    """The user's memory, tombstones included, held until the transaction ends. Raises NotFound."""
    # A lock on the key as well would collide with those that a successor's foreign key takes, and could deadlock.
    rows = Memory.objects.owned_by(user_id).select_for_update(no_key=True)
    memory = rows.filter(pk=memory_id).first()
    if memory is None:
        raise NotFound(f"There is no memory with id {memory_id}.")
    return memory


def lock_in_force(user_id: int, memory_id: int) -> Memory:
    """The same for a memory that was not forgotten."""
    memory = lock(user_id, memory_id)
    if memory.deleted_at is not None:
        raise NotFound(f"Memory {memory_id} was forgotten.")
    return memory


def refuse_twin(memory: Memory) -> None:
    """Raise InvalidInput when another memory in force says the same as this one."""
    twins = Memory.objects.owned_by(memory.owner_id).kept().filter(text_hash=memory.text_hash).exclude(pk=memory.pk)
    twin_id = twins.values_list("pk", flat=True).first()
    if twin_id is not None:
        raise InvalidInput(f"text: memory {twin_id} says this already. Forget one of the two instead.")


def save(memory: Memory, changed: Sequence[str]) -> None:
    """Save the changed fields. Raises InvalidInput when another process has stored the same text a moment ago."""
    memory.updated_at = Now()
    extra = ["text_hash"] if "text" in changed else []
    try:
        with transaction.atomic():
            memory.save(update_fields=[*changed, *extra, "updated_at"])
    except IntegrityError:
        refuse_twin(memory)
        raise
