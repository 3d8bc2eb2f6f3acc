"""Lists of change sets, latest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef, Window
from django.db.models.functions import RowNumber
from django.utils.translation import gettext

from memories.access import Actor
from memories.errors import NotFound
from memories.models import JournalEntry
from memories.undo.selection import Selection, selected_entries
from memories.undo.versions import Version, versions_by_document, versions_by_memory

MAX_PAGE = 100
MAX_SHOWN_CHANGES = 10
"""Number of changes that a list shows of each change set."""


@dataclass(frozen=True, slots=True)
class SynonymChange:
    """A tag synonym before and after a change; None if it had no canonical tag."""

    variant: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """The changes of one call, page action, import or undo, and when it began.

    `size` counts its changes. Of the first MAX_SHOWN_CHANGES, `versions` are the results, except for memories and
    documents that were deleted permanently, and `synonyms` the changes of tag synonyms.
    """

    id: UUID
    at: datetime
    client: str
    session_id: str
    size: int
    versions: Sequence[Version]
    synonyms: Sequence[SynonymChange]


ShownChange = Version | SynonymChange


@dataclass(frozen=True, slots=True)
class ChangeSetPage:
    """A page of change sets, and whether there are earlier ones."""

    change_sets: Sequence[ChangeSet]
    has_more: bool


def list_change_sets(actor: Actor, selection: Selection, *, limit: int, before: UUID | None = None) -> ChangeSetPage:
    """Return at most `limit` change sets with changes in `selection`, latest begun first. At most seven queries.

    `before` is the last change set of the page before. Changes that `actor` may not know of are left out. Raises
    NotFound if there is no such change set any more.
    """
    entries = selected_entries(actor, selection)
    earlier = entries.filter(change_set=OuterRef("change_set"), pk__lt=OuterRef("pk"))
    firsts = entries.filter(~Exists(earlier)).order_by("-pk")
    if before is not None:
        firsts = firsts.filter(pk__lt=_first_entry_id(actor, before))
    found: list[ChangeSet] = []
    while len(found) <= limit:
        heads = list(firsts[: limit + 1])
        found += _described(actor, selection, heads)
        if len(heads) <= limit:
            break
        # More are read only for an app that may not know of some of them.
        firsts = firsts.filter(pk__lt=heads[-1].pk)
    return ChangeSetPage(found[:limit], len(found) > limit)


def _described(actor: Actor, selection: Selection, heads: Sequence[JournalEntry]) -> list[ChangeSet]:
    """Return the change sets that begin with the entries, without those of which an app may know nothing."""
    sizes, shown = _contents(actor, selection, [head.change_set for head in heads])
    return [
        ChangeSet(
            head.change_set,
            head.at,
            head.client,
            head.session_id,
            sizes[head.change_set],
            [change for change in shown[head.change_set] if isinstance(change, Version)],
            [change for change in shown[head.change_set] if isinstance(change, SynonymChange)],
        )
        for head in heads
        if _knows_all(actor) or shown[head.change_set]
    ]


def _knows_all(actor: Actor) -> bool:
    """Return whether nothing that was selected must be left out, so that only what is shown needs to be read."""
    return actor.is_owner or actor.view.is_whole


def _first_entry_id(actor: Actor, change_set: UUID) -> int:
    first = selected_entries(actor, Selection(change_set=change_set)).order_by("pk").first()
    if first is None:
        raise NotFound(gettext("This change set no longer exists. Begin with the first page again."))
    return first.pk


def _contents(
    actor: Actor, selection: Selection, change_sets: Sequence[UUID]
) -> tuple[dict[UUID, int], dict[UUID, list[ShownChange]]]:
    """Return the number of changes of each change set, and the first of them."""
    entries = selected_entries(actor, selection).filter(change_set__in=change_sets).order_by("pk")
    sizes = dict(entries.order_by().values_list("change_set").annotate(size=Count("pk")))
    if _knows_all(actor):
        position = Window(RowNumber(), partition_by=[F("change_set")], order_by=F("pk").asc())
        entries = entries.annotate(position=position).filter(position__lte=MAX_SHOWN_CHANGES)
    found = list(entries)
    changes = _changes(actor, found)
    shown: dict[UUID, list[ShownChange]] = {change_set: [] for change_set in change_sets}
    for entry in found:
        if entry.pk in changes:
            shown[entry.change_set].append(changes[entry.pk])
    if not _knows_all(actor):
        # An app does not learn how many changes it may not see.
        sizes = {change_set: len(group) for change_set, group in shown.items()}
    return sizes, {change_set: group[:MAX_SHOWN_CHANGES] for change_set, group in shown.items()}


def _changes(actor: Actor, entries: Sequence[JournalEntry]) -> dict[int, ShownChange]:
    """Return what the entries changed, by their ids."""
    of_memories = versions_by_memory(actor, {entry.memory_id for entry in entries if entry.memory_id is not None})
    of_documents = versions_by_document(actor, {entry.document_id for entry in entries if entry.document_id})
    changes: dict[int, ShownChange] = {
        version.entry_id: version for group in (*of_memories.values(), *of_documents.values()) for version in group
    }
    for entry in entries:
        if entry.variant is not None:
            before, after = entry.before["canonical"], entry.after["canonical"]
            changes[entry.pk] = SynonymChange(entry.variant, before, after)
    return changes
