"""Pinned and hidden memories: the owner's decisions about the briefing."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext

from memories.access import Actor
from memories.errors import InvalidInput, LimitExceeded
from memories.models import JournalEntry, Memory
from memories.writing import journal, locking

MOST_PINNED = 100
"""A briefing has room for about a dozen memories. Many more pinned ones would push each other out."""


def place_memory(actor: Actor, memory_id: int, place: Memory.BriefingPlace) -> None:
    """Pin a memory to the top of the briefing, or hide it from the briefing.

    Only for owners: an app must not pin its own memories. Raises NotFound for a tombstone, InvalidInput for a memory in
    the inbox, and LimitExceeded for more than MOST_PINNED pinned memories.
    """
    assert actor.is_owner
    with transaction.atomic():
        memory = locking.lock_not_deleted(actor, memory_id)
        if memory.quarantined_from is not None:
            raise InvalidInput(
                gettext("Memory %(memory_id)s is in your inbox. Accept it first.") % {"memory_id": memory_id}
            )
        if place == Memory.BriefingPlace.PINNED:
            _check_pinned(actor, memory_id)
        _set_place(actor, memory, place)


def remove_from_place(actor: Actor, memory_id: int, place: Memory.BriefingPlace) -> None:
    """Undo `place_memory`. Does nothing to a memory that has another place. Raises NotFound for a tombstone."""
    assert actor.is_owner
    with transaction.atomic():
        memory = locking.lock_not_deleted(actor, memory_id)
        if memory.briefing_place == place:
            _set_place(actor, memory, None)


def inherit_place(actor: Actor, successor: Memory, place: str | None) -> None:
    """Give a locked memory the place of the one that it replaces, unless the owner gave it a place of its own."""
    if place is not None and successor.briefing_place is None:
        _set_place(actor, successor, place)


def _set_place(actor: Actor, memory: Memory, place: str | None) -> None:
    if memory.briefing_place == place:
        return
    before = journal.snapshot(memory)
    memory.briefing_place = place
    memory.save(update_fields=["briefing_place"])
    journal.write([journal.entry(actor, JournalEntry.Operation.UPDATE, memory, before)])


def _check_pinned(actor: Actor, memory_id: int) -> None:
    active = Memory.objects.visible_to(actor.view).active()
    if active.filter(briefing_place=Memory.BriefingPlace.PINNED).exclude(pk=memory_id).count() >= MOST_PINNED:
        raise LimitExceeded(
            gettext("%(most_pinned)s memories are pinned, which is the maximum. Unpin one first.")
            % {"most_pinned": MOST_PINNED}
        )
