"""The changes to undo or to list, as a caller selects them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from common.texts import translatable
from memories.access import Actor
from memories.database import among, among_uuids
from memories.errors import InvalidInput, NotFound
from memories.models import JournalEntry, Memory, MemoryQuerySet
from memories.queries.clients import client_names, clients_called, clients_with_changes
from memories.undo.documents import documents
from memories.validation.text import check_storable


@dataclass(frozen=True, slots=True)
class Selection:
    """Conditions on changes, all of which must be met. None means no condition.

    `since` is included, `until` is not. `after_entry_id` selects the later changes of one memory. `memory_ids` and
    `document_ids` select changes of some memories and documents only; both are given or none.
    """

    change_set: uuid.UUID | None = None
    entry_id: int | None = None
    memory_id: int | None = None
    after_entry_id: int | None = None
    clients: Sequence[str] | None = None
    session_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    memory_ids: Sequence[int] | None = None
    document_ids: Sequence[uuid.UUID] | None = None

    @property
    def restores_version(self) -> bool:
        """Whether undoing the changes brings back an earlier version of one memory."""
        return self.after_entry_id is not None


def selected_entries(actor: Actor, selection: Selection) -> QuerySet[JournalEntry]:
    """Return the journal entries of `selection` that `actor` may know of.

    Those are the entries of memories and documents that it may know, and of synonyms if its view is whole. The entry
    of a hard delete, which names no content, is for the owner alone. That the owner looked at a hidden value is no
    change, so that those entries are left out.
    """
    conditions = Q(owner_id=actor.owner_id)
    for name, value in (
        ("change_set", selection.change_set),
        ("pk", selection.entry_id),
        ("memory_id", selection.memory_id),
        ("pk__gt", selection.after_entry_id),
        ("client__in", selection.clients),
        ("session_id", selection.session_id),
        ("at__gte", selection.since),
        ("at__lt", selection.until),
    ):
        if value is not None:
            conditions &= Q(**{name: value})
    entries = JournalEntry.objects.filter(conditions).exclude(operation=JournalEntry.Operation.SHOW)
    if selection.memory_ids is not None or selection.document_ids is not None:
        entries = entries.filter(
            Q(memory_id__in=among(selection.memory_ids or ()))
            | Q(document_id__in=among_uuids(selection.document_ids or ()))
        )
    if actor.is_owner:
        return entries
    known = Q(Exists(known_memories(actor).filter(pk=OuterRef("memory_id"))))
    known |= Q(Exists(documents().known_to(actor).filter(pk=OuterRef("document_id"))))
    return entries.filter(known | Q(variant__isnull=False) if actor.view.is_whole else known)


def known_memories(actor: Actor) -> MemoryQuerySet:
    """Return the memories whose history `actor` may know: quarantined ones are for the owner alone."""
    if actor.is_owner:
        return Memory.objects.visible_including_quarantined(actor.view)
    return Memory.objects.visible_to(actor.view)


def checked_session(session_id: str) -> str:
    """Return `session_id`. Raises InvalidInput for an empty one, which would mean all changes without a session."""
    check_storable("session_id", session_id)
    if not session_id.strip():
        raise InvalidInput(translatable("must not be empty."), argument="session_id")
    return session_id


def clients_of_app(actor: Actor, app: str) -> list[str]:
    """Return the clients that have this name or id. Raises NotFound if none of them has changed anything.

    The error names the clients that have, but only to the owner.
    """
    clients = clients_called(actor.owner_id, app)
    if clients:
        return clients
    problem = f"There are no changes by an app called {app!r}."
    if actor.is_owner:
        known = ", ".join(sorted(client_names(clients_with_changes(actor.owner_id)).values())) or "none"
        problem = f"{problem} Apps with changes: {known}."
    raise NotFound(problem)
