"""Undoing changes of tag synonyms, which belong to the change sets of the memories that were retagged with them."""

from __future__ import annotations

from itertools import groupby

from django.db.models import Q, QuerySet

from memories.access import Actor
from memories.models import SynonymChange, TagSynonym
from memories.undo.selection import Selection
from memories.writing.synonyms import locked_synonyms, put_synonyms


def count_synonyms(actor: Actor, selection: Selection) -> int:
    """Return the number of synonyms that `undo_synonyms` would set back. At most two queries."""
    changes = _selected_changes(actor, selection)
    if changes is None or not (found := list(changes)):
        return 0
    known = dict(TagSynonym.objects.filter(owner_id=actor.owner_id).values_list("variant", "canonical"))
    return len(_earlier(found, known))


def undo_synonyms(actor: Actor, selection: Selection) -> int:
    """Set back the synonyms that the selection has changed and nobody since. Return how many those were.

    Call it in a transaction.
    """
    changes = _selected_changes(actor, selection)
    if changes is None or not changes.exists():
        return 0
    known = locked_synonyms(actor)
    return len(put_synonyms(actor, known, _earlier(list(changes), known)))


def _selected_changes(actor: Actor, selection: Selection) -> QuerySet[SynonymChange] | None:
    """Return the selected changes by variant, latest first; None for a single memory and for an app limited to tags."""
    is_about_memory = selection.memory_id is not None or selection.entry_id is not None
    if is_about_memory or not actor.view.is_whole:
        return None
    conditions = Q(owner_id=actor.owner_id)
    for name, value in (
        ("change_set", selection.change_set),
        ("client__in", selection.clients),
        ("session_id", selection.session_id),
        ("at__gte", selection.since),
        ("at__lt", selection.until),
    ):
        if value is not None:
            conditions &= Q(**{name: value})
    return SynonymChange.objects.filter(conditions).order_by("variant", "-pk")


def _earlier(changes: list[SynonymChange], known: dict[str, str]) -> dict[str, str | None]:
    """Return the canonical tags before the changes, by variant, without those that somebody has changed since."""
    earlier: dict[str, str | None] = {}
    for variant, group in groupby(changes, key=lambda change: change.variant):
        run = list(group)
        if run[0].after == known.get(variant) != _first_of(run).before:
            earlier[variant] = _first_of(run).before
    return earlier


def _first_of(run: list[SynonymChange]) -> SynonymChange:
    """Return the earliest change, latest first, that others led on from without somebody else's in between."""
    first = run[0]
    for change in run[1:]:
        if change.after != first.before:
            break
        first = change
    return first
