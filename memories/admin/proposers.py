"""The apps whose plans made memories that the owner has added."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from memories.admin.base import ADMIN_CLIENT
from memories.models import JournalEntry, Memory
from memories.queries.clients import client_names


def proposers_of(owner_id: int, memories: Collection[Memory]) -> Mapping[int, str]:
    """Return by id the name of the app that proposed to add a memory, of those that have one. At most three queries."""
    own = [memory.pk for memory in memories if memory.stored_by == ADMIN_CLIENT]
    if not own:
        return {}
    added = JournalEntry.objects.filter(
        owner_id=owner_id, memory_id__in=own, operation=JournalEntry.Operation.REMEMBER
    ).exclude(proposed_by="")
    clients = dict(added.values_list("memory_id", "proposed_by"))
    names = client_names(set(clients.values()))
    return {memory_id: names[client] for memory_id, client in clients.items() if memory_id is not None}
