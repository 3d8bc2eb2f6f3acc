"""The versions of a memory or document: its state after each change."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.translation import gettext

from memories.access import Actor
from memories.database import among, among_uuids
from memories.errors import NotFound
from memories.models import JournalEntry
from memories.undo.documents import documents
from memories.undo.reversal import State
from memories.undo.selection import Selection, known_memories
from memories.writing import journal, locking


@dataclass(frozen=True, slots=True)
class Version:
    """A memory or document after a change. `number` counts from 1. `state` holds all journalled fields as JSON values.

    `before` and `after` hold the fields that the change has set. `hides_before` marks the first version that an app may
    see of something that it could not see before.
    """

    memory_id: int | None
    document_id: UUID | None
    number: int
    entry_id: int
    at: datetime
    operation: str
    client: str
    change_set: UUID
    before: State
    after: State
    state: State
    hides_before: bool


def versions_of(actor: Actor, memory_id: int) -> list[Version]:
    """Return the versions of a memory that `actor` may see, oldest first. Raises NotFound."""
    versions = versions_by_memory(actor, [memory_id])
    if memory_id not in versions:
        raise locking.not_found(memory_id)
    return versions[memory_id]


def is_complete(versions: Sequence[Version]) -> bool:
    """Return whether the versions of a memory, oldest first, begin with the change that stored it."""
    return bool(versions) and versions[0].operation == JournalEntry.Operation.REMEMBER


def versions_by_memory(actor: Actor, memory_ids: Collection[int]) -> dict[int, list[Version]]:
    """Return the versions of those of the memories that `actor` may know, by id and oldest first. Three queries.

    A version that was outside of an app's view, or in quarantine, is left out, as if the memory began after it. So is
    one that only names a successor that the app may not see.
    """
    memories = list(known_memories(actor).filter(pk__in=among(memory_ids)))
    entries: dict[int, list[JournalEntry]] = {memory.pk: [] for memory in memories}
    changes = JournalEntry.objects.exclude(operation=JournalEntry.Operation.SHOW)
    for entry in changes.filter(owner_id=actor.owner_id, memory_id__in=among(entries)).order_by("pk"):
        if entry.memory_id is not None:
            entries[entry.memory_id].append(entry)
    shown = _shown_successors(actor, [entry for group in entries.values() for entry in group])
    return {memory.pk: _versions(actor, journal.snapshot(memory), entries[memory.pk], shown) for memory in memories}


def versions_by_document(actor: Actor, document_ids: Collection[UUID]) -> dict[UUID, list[Version]]:
    """Return the versions of those of the documents that `actor` may know, as `versions_by_memory` does."""
    if not document_ids:
        return {}
    states = documents().known_states(actor, document_ids)
    entries: dict[UUID, list[JournalEntry]] = {document_id: [] for document_id in states}
    for entry in JournalEntry.objects.filter(owner_id=actor.owner_id, document_id__in=among_uuids(states)).order_by(
        "pk"
    ):
        if entry.document_id is not None:
            entries[entry.document_id].append(entry)
    return {document_id: _versions(actor, state, entries[document_id], None) for document_id, state in states.items()}


def _shown_successors(actor: Actor, entries: Iterable[JournalEntry]) -> set[int] | None:
    """Return the successors in the entries that `actor` may know; None for the owner, who knows all."""
    if actor.is_owner:
        return None
    named = {state.get("replaced_by_id") for entry in entries for state in (entry.before, entry.after)} - {None}
    return set(known_memories(actor).filter(pk__in=among(named)).values_list("pk", flat=True)) if named else set()


def _versions(
    actor: Actor, current: State, entries: Sequence[JournalEntry], shown: Container[int] | None
) -> list[Version]:
    """Return the versions, worked out backwards from the current state, which is known for certain."""
    state: dict[str, Any] = dict(current)
    found: list[tuple[JournalEntry, State, bool]] = []
    for entry in reversed(entries):
        after, state = state, {**state, **entry.before}
        if _may_see(actor, after) and _says_something(entry, shown):
            found.append((entry, after, not _may_see(actor, state)))
    numbered = enumerate(reversed(found), start=1)
    return [_version(number, entry, state, is_hidden, shown) for number, (entry, state, is_hidden) in numbered]


def _says_something(entry: JournalEntry, shown: Container[int] | None) -> bool:
    return shown is None or set(entry.after) != {"replaced_by_id"} or entry.after["replaced_by_id"] in shown


def _version(
    number: int, entry: JournalEntry, state: State, hides_before: bool, shown: Container[int] | None
) -> Version:
    return Version(
        entry.memory_id,
        entry.document_id,
        number,
        entry.pk,
        entry.at,
        entry.operation,
        entry.client,
        entry.change_set,
        {} if hides_before else _masked(entry.before, shown),
        _masked(entry.after, shown),
        state,
        hides_before,
    )


def _masked(state: State, shown: Container[int] | None) -> State:
    """Return `state` without a successor that may not be seen."""
    if shown is None or state.get("replaced_by_id") is None or state["replaced_by_id"] in shown:
        return state
    return {name: value for name, value in state.items() if name != "replaced_by_id"}


def later_than(actor: Actor, memory_id: int, number: int) -> Selection:
    """Return the changes of a memory after one of its versions: undoing them restores it. Raises NotFound."""
    versions = versions_of(actor, memory_id)
    version = next((version for version in versions if version.number == number), None)
    if version is None:
        numbers = ", ".join(str(version.number) for version in versions)
        raise NotFound(
            gettext("Memory %(memory_id)s has no version %(number)s. Its versions: %(numbers)s.")
            % {"memory_id": memory_id, "number": number, "numbers": numbers}
        )
    if version is versions[-1]:
        raise NotFound(
            gettext("Version %(number)s of memory %(memory_id)s is the current one.")
            % {"number": number, "memory_id": memory_id}
        )
    return Selection(memory_id=memory_id, after_entry_id=version.entry_id)


def _may_see(actor: Actor, state: State) -> bool:
    if actor.is_owner:
        return True
    return actor.view.shows(state["tags"] or []) and state["quarantined_from"] is None
