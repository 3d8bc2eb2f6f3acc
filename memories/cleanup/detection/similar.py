"""Duplicates and contradictions: memories about one subject, which their embeddings find and their words tell apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import datetime

from common.texts import translatable
from memories.access import View
from memories.cleanup.detection.found import ActiveMemory, FindingKind, Found
from memories.corpus import ACTIVE_CONDITION
from memories.errors import LimitExceeded
from memories.recall.replacement_times import replaces_later
from memories.relations.comparison import MIN_CONTRADICTION_COSINE, contradict, corrects, say_the_same
from memories.relations.statements import Statement, words_in_common
from memories.vectors.compared_pairs import compared_pairs, pair_of
from memories.vectors.duplicates import connected_pairs, find_similar_pairs
from memories.vectors.indexing import stored_vectors
from memories.vectors.nearest import Selection, nearest_items

MAX_GROUP = 5
"""Number of duplicates in one finding: a small task."""

MAX_CONTRADICTIONS = 5
"""Number of others that a memory contradicts at most. With more, they are a series: "Sprint 1" to "Sprint 40"."""

MAX_PAIRS = 150_000
"""Number of pairs whose texts are compared: a bound on the cost. With more of them, only nearer ones are."""

MAX_CHANGES = 1_000
"""Number of memories, the newest, for which those that they correct are searched."""

NEAREST = 12
"""Number of memories among which they are searched."""

_THRESHOLDS = (MIN_CONTRADICTION_COSINE, 0.85, 0.92, 0.97)

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_ONCE = re.compile(r"\b(?:born|date of birth|geboren|nées?|nés?|nacid[oa]s?|(?:è|sono) nat[oaie])\b")
"""Signs of an event that happens only once, so that two years of it contradict each other."""

_CODE = re.compile(r"\b[a-z]+[-_]?\d+\b")

Pairs = Mapping[tuple[int, int], float]


def find_similar(view: View, memories: Mapping[int, ActiveMemory], now: datetime) -> Iterator[Found]:
    """Yield the duplicates and contradictions among the memories.

    The network, which reads both texts, decides about pairs that have nearly the same words: "allergic to walnuts" and
    "can eat walnuts now".
    """
    changed = compared_pairs(view, "changes")
    same: dict[tuple[int, int], float] = {}
    contradicting: list[tuple[ActiveMemory, ActiveMemory, float]] = []
    # Sorted, so that the parts of the first text are computed once.
    for (one, other), cosine in sorted(_near_pairs(view).items()):
        if one not in memories or other not in memories:
            continue
        newer, older = _by_confirmation(memories[one], memories[other])
        new, old = Statement.of(newer.text), Statement.of(older.text)
        is_same = say_the_same(new, old, cosine)
        is_changed = is_same and pair_of(one, other) in changed
        if is_same and not is_changed:
            same[one, other] = cosine
        elif _has_ended(newer, now) or _has_ended(older, now) or replaces_later(older, newer, now):
            continue
        elif is_changed or are_contradicting(new, old, cosine):
            contradicting.append((newer, older, cosine))
    known = {(newer.id, older.id) for newer, older, _ in contradicting}
    further = _corrections(view, [memory for memory in memories.values() if not _has_ended(memory, now)], now)
    contradicting += [pair for pair in further if (pair[0].id, pair[1].id) not in known]
    yield from _contradictions(contradicting)
    yield from _duplicates(memories, same)


def are_contradicting(newer: Statement, older: Statement, cosine: float, common: Set[str] = frozenset()) -> bool:
    """Return whether the older statement is probably not true any more.

    Things with different codes ("db1", "db2") are different facts, and so are events of different years, unless the
    newer one says that something has changed. `common` are words that many memories near both have. Only names among
    them are no evidence of a common subject: near each other are memories about one thing, such as work.
    """
    if set(_CODE.findall(newer.lowered)) != set(_CODE.findall(older.lowered)):
        return False
    if corrects(newer, older, cosine, common=common & newer.capitalized_words):
        return True
    same_years = set(_YEAR.findall(newer.lowered)) == set(_YEAR.findall(older.lowered))
    is_once = _ONCE.search(newer.lowered) and _ONCE.search(older.lowered)
    return bool(same_years or is_once) and contradict(newer, older, cosine)


def _corrections(
    view: View, memories: Sequence[ActiveMemory], now: datetime
) -> Iterator[tuple[ActiveMemory, ActiveMemory, float]]:
    """Yield the newest memories which say that something has changed, each with those near it that it corrects.

    A change that is still to come corrects nothing yet.
    Such pairs are often far from each other: "I live in Graz", "We have moved: our address is now 3 Elm Road".
    """
    by_id = {memory.id: memory for memory in memories}
    telling = [memory for memory in memories if Statement.of(memory.text).may_correct]
    newest = sorted(telling, key=lambda memory: (memory.last_confirmed_at, memory.id))[-MAX_CHANGES:]
    stored = stored_vectors(view.owner_id, [memory.id for memory in newest])
    for memory in newest:
        if (vectors := stored.get(memory.id)) is None:
            continue
        nearest = nearest_items(Selection(view, ACTIVE_CONDITION), vectors.space_id, vectors.windows[0], NEAREST)
        near = [(by_id[item.item_id], item.similarity) for item in nearest if item.item_id in by_id]
        common = words_in_common([Statement.of(other.text) for other, _ in near])
        new = Statement.of(memory.text)
        for other, cosine in near:
            is_older = other is not memory and _by_confirmation(memory, other)[0] is memory
            is_current = is_older and not replaces_later(other, memory, now)
            if is_current and are_contradicting(new, Statement.of(other.text), cosine, common):
                yield memory, other, cosine


def _near_pairs(view: View) -> Pairs:
    for threshold in _THRESHOLDS:
        try:
            return find_similar_pairs(view, threshold, MAX_PAIRS)
        except LimitExceeded:
            continue
    return {}


def _by_confirmation(one: ActiveMemory, other: ActiveMemory) -> tuple[ActiveMemory, ActiveMemory]:
    """Return the memory that was confirmed later, and the other one."""
    first, last = sorted((one, other), key=lambda memory: (memory.last_confirmed_at, memory.id))
    return last, first


def _has_ended(memory: ActiveMemory, now: datetime) -> bool:
    return memory.valid_until is not None and memory.valid_until < now


def _contradictions(pairs: Sequence[tuple[ActiveMemory, ActiveMemory, float]]) -> Iterator[Found]:
    """Yield a finding for each pair, unless both memories are of a series."""
    others = Counter(memory.id for newer, older, _ in pairs for memory in (newer, older))
    for newer, older, cosine in pairs:
        if min(others[newer.id], others[older.id]) <= MAX_CONTRADICTIONS:
            yield _contradiction(newer, older, cosine)


def _contradiction(newer: ActiveMemory, older: ActiveMemory, cosine: float) -> Found:
    reason = translatable("It seems to contradict a memory that was confirmed later.")
    details = {"kept_id": newer.id}
    return Found(FindingKind.CONTRADICTION, [older.id, newer.id], reason, cosine, details)


def _duplicates(memories: Mapping[int, ActiveMemory], same: Pairs) -> Iterator[Found]:
    for group in connected_pairs(same):
        ids = sorted({memory_id for pair in group for memory_id in pair})[:MAX_GROUP]
        kept = max((memories[memory_id] for memory_id in ids), key=lambda each: (each.last_confirmed_at, each.id))
        reason = translatable("They seem to say the same.")
        yield Found(FindingKind.DUPLICATES, ids, reason, max(same[pair] for pair in group), {"kept_id": kept.id})
