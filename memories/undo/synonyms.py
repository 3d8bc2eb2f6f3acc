"""Undoing changes of tag synonyms, which belong to the change sets of the memories that were retagged with them."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

from django.db.models import QuerySet

from memories.access import Actor
from memories.models import JournalEntry, TagSynonym
from memories.undo.selection import Selection, selected_entries
from memories.writing.synonyms import locked_synonyms, put_synonyms


def count_synonyms(actor: Actor, selection: Selection) -> int:
    """Return the number of synonyms that `undo_synonyms` would set back. At most two queries."""
    changes = list(_selected_changes(actor, selection))
    if not changes:
        return 0
    known = dict(TagSynonym.objects.filter(owner_id=actor.owner_id).values_list("variant", "canonical"))
    return len(_earlier(changes, known))


def undo_synonyms(actor: Actor, selection: Selection, operation: JournalEntry.Operation) -> int:
    """Set back the synonyms that the selection has changed and nobody since. Return how many those were.

    The journal names `operation`. Call it in a transaction.
    """
    changes = _selected_changes(actor, selection)
    if not changes.exists():
        return 0
    known = locked_synonyms(actor)
    return len(put_synonyms(actor, known, _earlier(list(changes), known), operation))


def _selected_changes(actor: Actor, selection: Selection) -> QuerySet[JournalEntry]:
    """Return the selected changes by variant, latest first. All parts of an undo concern all synonyms."""
    whole = replace(selection, memory_ids=None, document_ids=None)
    return selected_entries(actor, whole).filter(variant__isnull=False).order_by("variant", "-pk")


def _earlier(changes: list[JournalEntry], known: dict[str, str]) -> dict[str, str | None]:
    """Return the canonical tags before the changes, by variant, without those that somebody has changed since."""
    earlier: dict[str, str | None] = {}
    for variant, group in groupby(changes, key=lambda change: str(change.variant)):
        run = list(group)
        first = _first_of(run).before["canonical"]
        if run[0].after["canonical"] == known.get(variant) != first:
            earlier[variant] = first
    return earlier


def _first_of(run: list[JournalEntry]) -> JournalEntry:
    """Return the earliest change, latest first, that others led on from without somebody else's in between."""
    first = run[0]
    for change in run[1:]:
        if change.after != first.before:
            break
        first = change
    return first
