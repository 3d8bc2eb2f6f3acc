"""Search for the memories to which a new text is related: those that say the same, and those that it makes outdated.

Whether a memory is outdated, the assistant that stores the text decides.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from memories.access import View
from memories.comparisons.comparing import (
    COMPARED,
    Compared,
    NearMemory,
    compare,
    compared_space_id,
    near_memories,
)
from memories.comparisons.judging import MIN_POSSIBLE_COSINE, is_readable
from memories.errors import EmbeddingError
from memories.relations.comparison import corrects
from memories.relations.statements import Statement
from memories.vectors.spaces import TextVectors

logger = logging.getLogger(__name__)

MAX_SHOWN = 3
"""Number of memories that a result names at most as possibly outdated."""

MIN_OUTDATED_COSINE = 0.33
"""Least cosine of a memory to a text that says that something has changed: it often shares no word with it."""


MIN_OUTDATED_COSINE_WITHOUT_WORDS = 0.6
"""Least cosine of a memory that shares no word with a text, and that the network does not take for a change."""


@dataclass(frozen=True, slots=True)
class Related:
    """The memories to which a new text is related.

    `compared`: the result of comparing it with those nearest to it; None if it was not compared.
    """

    possibly_outdated: Sequence[NearMemory] = ()
    compared: Compared | None = None


def find_related(
    view: View, text: str, vectors: TextVectors, confirmed_at: datetime, known: Collection[int]
) -> Related:
    """Return the active memories to which a text is related. `known` are memories that say the same, by their words.

    A text that says that something has changed may make outdated what is near: first what it corrects by its words,
    then what the network takes for a change, then what shares a word with it. Takes the queries of a search and one
    more; none for a text that neither says so nor can be compared.
    """
    statement = Statement.of(text)
    says_change = statement.may_correct
    is_compared = vectors.space_id == compared_space_id() and is_readable(text)
    if not (says_change or is_compared):
        return Related()
    least = MIN_OUTDATED_COSINE if says_change else MIN_POSSIBLE_COSINE
    near = near_memories(view, vectors, max(MAX_SHOWN + len(known), COMPARED), least)
    compared = compare_if_possible(text, confirmed_at, near) if is_compared else None
    ended = list(compared.possible_changes) if compared else []
    if says_change:
        repeated = {each.memory.pk for each in compared.repeats} if compared else set()
        unaffected = {each.memory.pk for each in compared.unaffected} if compared else set()
        others = [each for each in near if each.memory.pk not in repeated]
        corrected = [each for each in others if corrects(statement, Statement.of(each.memory.text), each.cosine)]
        further = [each for each in others if each.memory.pk not in unaffected]
        ended = [*corrected, *ended, *(each for each in further if _may_share_a_subject(statement, each))]
    same_words = set(known).difference(each.memory.pk for each in compared.changes) if compared else known
    distinct = {each.memory.pk: each for each in ended if each.memory.pk not in same_words}
    return Related(list(distinct.values())[:MAX_SHOWN], compared)


def _may_share_a_subject(statement: Statement, near: NearMemory) -> bool:
    if near.cosine >= MIN_OUTDATED_COSINE_WITHOUT_WORDS:
        return True
    return not statement.subject_words.isdisjoint(Statement.of(near.memory.text).subject_words)


def compare_if_possible(text: str, confirmed_at: datetime, near: Sequence[NearMemory]) -> Compared | None:
    """Return what `compare` returns; None if the network cannot be loaded."""
    try:
        return compare(text, confirmed_at, near)
    except EmbeddingError as error:
        logger.warning("A text was stored without being compared for now: %s", error)
        return None
