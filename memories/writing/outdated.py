"""Search for the memories that a new text may make outdated. Whether it does, the assistant that stores it decides."""

from __future__ import annotations

from collections.abc import Collection

from memories.access import View
from memories.corpus import ACTIVE_CONDITION
from memories.models import Memory
from memories.relations.statements import Statement
from memories.vectors.nearest import Selection, nearest_items
from memories.vectors.spaces import TextVectors

MAX_SHOWN = 3
"""Number of memories that a result names at most."""

MIN_OUTDATED_COSINE = 0.33
"""Least cosine of a memory to the text: a correction often shares no word with what it corrects."""


def find_possibly_outdated(
    view: View, text: str, vectors: TextVectors, known: Collection[int]
) -> list[tuple[Memory, float]]:
    """Return the active memories that are nearest to a text which says that something has changed, with their cosines.

    The memories `known` are left out. Takes no query for other texts, else that of a search and one more.
    """
    if not Statement.of(text).may_correct:
        return []
    # A long text says at its beginning that something has changed.
    count = MAX_SHOWN + len(known)
    nearest = nearest_items(Selection(view, ACTIVE_CONDITION), vectors.space_id, vectors.windows[0], count)
    near = [each for each in nearest if each.item_id not in known and each.similarity >= MIN_OUTDATED_COSINE]
    memories = Memory.objects.visible_to(view).in_bulk([each.item_id for each in near]) if near else {}
    return [(memories[pk], similarity) for pk, similarity in near if pk in memories][:MAX_SHOWN]
