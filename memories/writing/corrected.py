"""Search for forgotten memories that new texts state again, in whole or in part, in the same or in other words.

Near-duplicates are found by `memories.vectors.neighbours`. Of a fact that was corrected, less is enough: an assistant
that hears it again rarely repeats all of its details, and a report costs only a question to the user.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from memories.access import View
from memories.comparisons.comparing import COMPARED, NearMemory, compared_space_id
from memories.comparisons.cross_encoder import read
from memories.comparisons.judging import is_readable
from memories.database import fetch_rows
from memories.errors import EmbeddingError
from memories.models import Memory
from memories.relations.statements import Statement
from memories.vectors.nearest import MAX_COMPARED_ITEMS, Selection, nearest_items
from memories.vectors.neighbours import MAX_SEARCHED_TEXTS, MAX_SHOWN
from memories.vectors.spaces import TextVectors
from memories.vectors.vector_blocks import vectors_of
from memories.writing.deduplication import NewText
from memories.writing.merging import names_successors

MIN_RESTATED_COSINE: Final = 0.55
"""Least cosine of two statements of which one has all words and numbers of the other one."""

MIN_REPEATED: Final = 0.5
MIN_REPEATED_COSINE: Final = 0.5
"""Least probability, by the cross-encoder, and least cosine of a statement in other words."""

_CURRENCIES = frozenset({"euro", "eur", "dollar", "pound", "franken", "chf", "usd", "gbp"})
_FORGOTTEN = "deleted_at IS NOT NULL"
_NEWEST_FORGOTTEN = """
SELECT id FROM memories_memory WHERE owner_id = %(owner)s AND deleted_at IS NOT NULL {restriction}
ORDER BY deleted_at DESC LIMIT %(most)s
"""

Near = Sequence[tuple[int, float]]
"""Ids of memories with their cosines, nearest first."""


def note_corrected(view: View, texts: Iterable[NewText]) -> None:
    """Add the tombstones that each text states again to its neighbours. Merged and split ones were not corrected.

    Takes no query if nothing is forgotten, and otherwise two for each text, or two for more than `MAX_SEARCHED_TEXTS`,
    and one if any is near.
    """
    asking = [
        (text, text.vectors)
        for text in texts
        if text.vectors and text.wants_neighbours and not text.is_duplicate and text.neighbours.may_be_forgotten
    ]
    found = _nearest_forgotten(view, [vectors for _, vectors in asking])
    ids = {memory_id for near in found for memory_id, _ in near}
    memories = Memory.objects.visible_to(view).in_bulk(ids) if ids else {}
    reads_pairs = len(asking) <= MAX_SEARCHED_TEXTS
    for (text, vectors), near in zip(asking, found, strict=True):
        known = {memory.pk for memory, _ in text.neighbours.forgotten}
        tombstones = [NearMemory(memories[pk], cosine) for pk, cosine in near if pk in memories and pk not in known]
        corrected = [each for each in tombstones if not names_successors(each.memory.forget_reason)]
        stated = _stated_again(text.draft.text, corrected, reads_pairs=reads_pairs and _is_compared(vectors))
        text.neighbours.forgotten = [*text.neighbours.forgotten, *stated][:MAX_SHOWN]


def _is_compared(vectors: TextVectors) -> bool:
    return vectors.space_id == compared_space_id()


def _nearest_forgotten(view: View, vectors: Sequence[TextVectors]) -> Sequence[Near]:
    """Return the forgotten memories nearest to the beginning of each text, if they are near enough."""
    if len(vectors) > MAX_SEARCHED_TEXTS:
        return _nearest_of_newest(view, vectors)
    selection = Selection(view, _FORGOTTEN, is_narrow=True)
    found = [nearest_items(selection, each.space_id, each.windows[0], COMPARED) for each in vectors]
    return [[pair for pair in near if pair.similarity >= MIN_REPEATED_COSINE] for near in found]


def _nearest_of_newest(view: View, vectors: Sequence[TextVectors]) -> Sequence[Near]:
    """Return the nearest of the memories that were forgotten last, by reading all their vectors."""
    parameters = {"owner": view.owner_id, "only_tags": list(view.only_tags), "most": MAX_COMPARED_ITEMS}
    ids = [row[0] for row in fetch_rows(_NEWEST_FORGOTTEN.format(restriction=view.restriction), parameters)]
    block = vectors_of(view.owner_id, vectors[0].space_id, ids) if ids else None
    if block is None:
        return [[] for _ in vectors]
    cosines = np.stack([each.windows[0] for each in vectors]) @ block.vectors.astype(np.float32).T
    found = []
    for row in cosines:
        best: dict[int, float] = {}
        for place in np.flatnonzero(row >= MIN_REPEATED_COSINE):
            memory_id = int(block.memory_ids[place])
            best[memory_id] = max(float(row[place]), best.get(memory_id, -1.0))
        found.append(sorted(best.items(), key=lambda pair: (-pair[1], -pair[0]))[:COMPARED])
    return found


def _stated_again(text: str, near: Sequence[NearMemory], *, reads_pairs: bool) -> list[NearMemory]:
    """Return those of the memories that a text states again. `reads_pairs`: also those that only the network finds."""
    stated = {each.memory.pk for each in near if restates(text, each.memory.text, each.cosine)}
    if reads_pairs:
        left = [each for each in near if each.memory.pk not in stated]
        stated |= _read_as_repeated(text, left)
    return [each for each in near if each.memory.pk in stated]


def _read_as_repeated(text: str, near: Sequence[NearMemory]) -> set[int]:
    """Return the ids of the memories that the cross-encoder reads as a text in other words; none if it is missing."""
    readable = [each for each in near if is_readable(each.memory.text) and _agree(text, each.memory.text)]
    if not readable or not is_readable(text):
        return set()
    try:
        readings = read([(each.memory.text, text) for each in readable])
    except EmbeddingError:
        return set()
    return {each.memory.pk for each, reading in zip(readable, readings, strict=True) if reading.same >= MIN_REPEATED}


def _agree(text: str, forgotten: str) -> bool:
    """Return whether no number of one text is missing in the other, with more of them, and both or neither deny it."""
    new, old = Statement.of(text), Statement.of(forgotten)
    return new.is_negated == old.is_negated and (new.numbers <= old.numbers or old.numbers <= new.numbers)


def restates(text: str, forgotten: str, cosine: float) -> bool:
    """Return whether one text has all words and numbers of the other one, and both or neither deny it."""
    new, old = Statement.of(text), Statement.of(forgotten)
    if cosine < MIN_RESTATED_COSINE or new.is_question or new.is_negated != old.is_negated:
        return False
    return _is_contained(new, old) or _is_contained(old, new)


def _is_contained(part: Statement, whole: Statement) -> bool:
    words = part.words - _CURRENCIES
    return len(words) > 1 and words <= whole.words and part.numbers <= whole.numbers and part.weekdays <= whole.weekdays
