"""Memories like the one on a page: those that contradict it, those that say the same, and other similar ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from django.utils import timezone

from memories.access import View
from memories.admin.rows import MemoryRow, memory_row
from memories.admin.sources import with_source
from memories.cleanup.detection.similar import MAX_CONTRADICTIONS, are_contradicting
from memories.corpus import ACTIVE_CONDITION
from memories.models import Memory
from memories.recall.replacement_times import replaces_later
from memories.relations.comparison import are_near_duplicates
from memories.relations.statements import Statement, words_in_common
from memories.vectors.compared_pairs import Relation, read_relations
from memories.vectors.indexing import stored_vectors
from memories.vectors.nearest import Selection, nearest_items
from memories.vectors.settled_pairs import settled_pairs
from memories.writing.hidden_values import with_equal_values

NEAREST = 12
"""Number of the nearest memories that are compared."""

SHOWN_SIMILAR = 3
SHOWN_POSSIBLE = 2
MIN_SIMILAR_COSINE = 0.5
_DOUBTFUL = ("contradicting", "possible")


@dataclass(frozen=True, slots=True)
class Related:
    """Rows of memories like one memory, nearest first.

    `contradicting` are those that the clean-up would report as well. `possible` are other contradictions, which only
    the network reports. It is often wrong.
    """

    contradicting: Sequence[MemoryRow] = ()
    possible: Sequence[MemoryRow] = ()
    same: Sequence[MemoryRow] = ()
    similar: Sequence[MemoryRow] = ()


def related_to(view: View, memory: Memory) -> Related:
    """Return the active memories that are like `memory`. None are found while its vector is pending."""
    vectors = stored_vectors(view.owner_id, [memory.pk]).get(memory.pk)
    if vectors is None:
        return Related()
    near = nearest_items(Selection(view, ACTIVE_CONDITION), vectors.space_id, vectors.windows[0], NEAREST)
    cosines = {item.item_id: item.similarity for item in near if item.item_id != memory.pk}
    found = {each.pk: each for each in with_source(Memory.objects.visible_to(view).active().filter(pk__in=cosines))}
    read = _read_relations(view, memory, found)
    common = words_in_common([Statement.of(each.text) for each in (memory, *found.values())])
    groups: dict[str, list[MemoryRow]] = {"contradicting": [], "possible": [], "same": [], "similar": []}
    relations = {
        memory_id: _relation(memory, found[memory_id], cosine, read.get(memory_id), common)
        for memory_id, cosine in cosines.items()
        if memory_id in found
    }
    told_again = with_equal_values(memory, [found[pk] for pk, name in relations.items() if name in _DOUBTFUL])
    for memory_id, name in relations.items():
        if name:
            groups["same" if memory_id in told_again else name].append(memory_row(found[memory_id]))
    doubtful = groups["contradicting"] + groups["possible"]
    settled = settled_pairs(view, [memory.pk]) if doubtful else set()
    compatible = {sum(pair) - memory.pk for pair in settled if memory.pk in pair}
    if len(groups["contradicting"]) > MAX_CONTRADICTIONS:
        # A series, such as one memory for each month.
        compatible |= {row.id for row in groups["contradicting"]}
    return Related(
        [row for row in groups["contradicting"] if row.id not in compatible],
        [row for row in groups["possible"] if row.id not in compatible][:SHOWN_POSSIBLE],
        groups["same"],
        [*[row for row in doubtful if row.id in compatible], *groups["similar"]][:SHOWN_SIMILAR],
    )


def _read_relations(view: View, memory: Memory, others: Iterable[int]) -> dict[int, Relation]:
    """Return the others of which comparisons have shown how they are related to the memory."""
    related = read_relations(view, [memory.pk, *others])
    return {sum(pair) - memory.pk: relation for pair, relation in related if memory.pk in pair}


def _relation(memory: Memory, other: Memory, cosine: float, read: Relation | None, common: Set[str]) -> str:
    is_same = read == "repeats" or are_near_duplicates(memory.text, other.text, cosine)
    if is_same and read != "changes":
        return "same"
    older, newer = sorted((memory, other), key=lambda each: (each.last_confirmed_at, each.pk))
    # Both can be right if one of them has ended: "pays 17 euros" until October, "pays 12 euros" since then. So can they
    # if the newer one is still to come.
    if not (_has_ended(memory) or _has_ended(other) or replaces_later(older, newer, timezone.now())):
        if is_same or are_contradicting(Statement.of(newer.text), Statement.of(older.text), cosine, common):
            return "contradicting"
        if read == "changes":
            return "possible"
    return "same" if is_same else "similar" if cosine >= MIN_SIMILAR_COSINE else ""


def _has_ended(memory: Memory) -> bool:
    return memory.valid_until is not None and memory.valid_until < timezone.now()
