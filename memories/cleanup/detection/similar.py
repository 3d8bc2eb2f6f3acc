"""Duplicates and contradictions: memories about one subject, which their embeddings find and their words tell apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from common.texts import translatable
from memories.access import View
from memories.cleanup.detection.found import ActiveMemory, FindingKind, Found
from memories.errors import LimitExceeded
from memories.relations.comparison import MIN_CONTRADICTION_COSINE, contradict, corrects, say_the_same
from memories.relations.statements import Statement
from memories.vectors.compared_pairs import compared_pairs
from memories.vectors.duplicates import connected_pairs, find_similar_pairs

MAX_GROUP = 5
"""Number of duplicates in one finding: a small task."""

MAX_CONTRADICTIONS = 5
"""Number of others that a memory contradicts at most. With more, they are a series: "Sprint 1" to "Sprint 40"."""

MAX_PAIRS = 150_000
"""Number of pairs whose texts are compared: a bound on the cost. With more of them, only nearer ones are."""

_THRESHOLDS = (MIN_CONTRADICTION_COSINE, 0.85, 0.92, 0.97)

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
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
        is_changed = is_same and (max(one, other), min(one, other)) in changed
        if is_same and not is_changed:
            same[one, other] = cosine
        elif _has_ended(newer, now) or _has_ended(older, now):
            continue
        elif is_changed or are_contradicting(new, old, cosine):
            contradicting.append((newer, older, cosine))
    yield from _contradictions(contradicting)
    yield from _duplicates(memories, same)


def are_contradicting(newer: Statement, older: Statement, cosine: float) -> bool:
    """Return whether the older statement is probably not true any more.

    Events of different years, and things with different codes ("db1", "db2"), are different facts.
    """
    for distinguishing in (_YEAR, _CODE):
        if set(distinguishing.findall(newer.lowered)) != set(distinguishing.findall(older.lowered)):
            return False
    return contradict(newer, older, cosine) or corrects(newer, older, cosine)


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
