"""The functions that the journal and the undo need of documents, whose app is above this one and provides it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID

from django.db.models import QuerySet

from common.provided import Provided
from memories.access import Actor, View
from memories.models import JournalEntry
from memories.undo.reversal import Fields, Reversal, State


@dataclass(frozen=True, slots=True)
class DescribedDocument:
    """The title of a document, and the numbers of its versions by their contents."""

    title: str
    versions: Mapping[str, int]

    def shown(self, state: State) -> State:
        """Return a state with the number of the version in place of its content."""
        if "content" not in state:
            return state
        version = {"version": self.versions.get(state["content"] or "")}
        return {**version, **{name: value for name, value in state.items() if name != "content"}}


class JournalledDocuments(Protocol):
    """Documents as the journal sees them: their journalled fields, by id."""

    fields: Fields

    def known_to(self, actor: Actor) -> QuerySet[Any]:
        """Return the documents whose history `actor` may know: quarantined ones are for the owner alone."""

    def states(self, actor: Actor, document_ids: Collection[UUID], *, lock: bool = False) -> Mapping[UUID, State]:
        """Return the states of those of the documents that `actor` may change, locked until the transaction ends."""

    def known_states(self, actor: Actor, document_ids: Collection[UUID]) -> Mapping[UUID, State]:
        """Return the states of those of the documents whose history `actor` may know."""

    def with_obstacles(
        self, actor: Actor, reversals: Iterable[Reversal[UUID]], states: Mapping[UUID, State]
    ) -> list[Reversal[UUID]]:
        """Return the reversals, with the obstacles of those that would break a rule."""

    def store(
        self,
        actor: Actor,
        reversals: Sequence[Reversal[UUID]],
        states: Mapping[UUID, State],
        operation: JournalEntry.Operation,
    ) -> None:
        """Set locked documents back, with a journal entry each. Call it in a transaction."""

    def write_first_entries(self, actor: Actor, document_ids: Collection[UUID]) -> None:
        """Record that `actor` has stored those of the documents that are not forgotten."""

    def described(self, view: View, document_ids: Collection[UUID]) -> Mapping[UUID, DescribedDocument]:
        """Return the titles and versions of those of the documents in view that exist. At most two queries."""

    def titled(self, view: View, wanted: str, *, limit: int) -> list[UUID]:
        """Return the owner's documents whose title contains `wanted`, latest updated first."""

    def count_from_sources(self, document_ids: Collection[UUID]) -> int:
        """Return how many of the documents come from a source that still exists, which may store them again."""


documents: Provided[[], JournalledDocuments] = Provided("the documents of the journal")
"""Function that returns them."""
