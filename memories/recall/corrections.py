"""Corrections among matches: the current statement comes before those that it replaces, which are marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils import timezone

from common.clock import TOLERANCE
from memories.models import Memory
from memories.recall.matches import Cosines, Match
from memories.relations.comparison import MIN_CONTRADICTION_COSINE, contradict, corrects
from memories.relations.statements import Statement

CONSIDERED_MATCHES = 24
"""Number of candidates among which corrections are looked for: they often use other words than the question."""

MAX_LEAD, MAX_LEAD_OF_CONTRADICTED = 1.0, 0.4
"""Largest lead in rank at which an older statement still comes after its correction, or after a newer statement that
contradicts it without saying so. With a larger one, both are about something else."""

COMMON_SHARE, MIN_COMMON = 0.25, 2
"""A word that more matches have, as a share and in number, is no evidence that two of them are about one thing."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """Two matches that cannot both be current. `is_correction`: the newer one says that it replaces the older one."""

    newer: int
    older: int
    is_correction: bool


def put_current_first(
    matches: Sequence[Match], cosines: Cosines, question: str, limit: int, *, may_move: bool
) -> list[Match]:
    """Return the first `limit` matches, each after those that replace it, and mark the replaced ones.

    Without `may_move` the order stays.
    """
    found = _replacements(matches, cosines, Statement.of(question))
    ordered = _moved(matches, found) if may_move else list(matches)
    shown = ordered[:limit]
    return [_marked(match, found, {each.memory.pk for each in shown}) for match in shown] if found else shown


def _replacements(matches: Sequence[Match], cosines: Cosines, question: Statement) -> list[Replacement]:
    """Return the pairs of matches of which the later confirmed one replaces the other."""
    if not cosines:
        return []
    latest = timezone.now() + TOLERANCE
    by_id = {match.memory.pk: match.memory for match in matches}
    ranks = {match.memory.pk: match.rank for match in matches}
    statements = {match.memory.pk: Statement.of(match.found_text) for match in matches}
    common: Set[str] | None = None
    found = []
    for (first, second), cosine in cosines.items():
        if first not in by_id or second not in by_id:
            continue
        newer, older = _by_confirmation(by_id[first], by_id[second], latest)
        lead = ranks[older] - ranks[newer]
        if lead > MAX_LEAD:
            continue
        new, old = statements[newer], statements[older]
        if cosine < MIN_CONTRADICTION_COSINE and not new.changes:
            continue
        # Cheap tests first: the signs of change of a text take the longest to find.
        if not (new.is_conversation and old.is_conversation) and new.changes and common is None:
            common = _common_words(list(statements.values()))
        if common is not None and corrects(new, old, cosine, asked=question.words, common=common):
            found.append(Replacement(newer, older, is_correction=True))
        elif lead <= MAX_LEAD_OF_CONTRADICTED and contradict(new, old, cosine):
            found.append(Replacement(newer, older, is_correction=False))
    return found


def _by_confirmation(first: Memory, second: Memory, latest: datetime) -> tuple[int, int]:
    """Return the ids of the later confirmed memory and of the other one.

    A date after `latest` comes from a clock that was wrong: ids decide the order then.
    """
    times = (first.last_confirmed_at, second.last_confirmed_at)
    is_later = first.pk > second.pk if times[0] == times[1] or max(times) > latest else times[0] > times[1]
    return (first.pk, second.pk) if is_later else (second.pk, first.pk)


def _common_words(statements: Sequence[Statement]) -> Set[str]:
    counts = Counter(word for statement in statements for word in statement.words)
    least = max(COMMON_SHARE * len(statements), MIN_COMMON)
    return frozenset(word for word, count in counts.items() if count > least)


def _moved(matches: Sequence[Match], found: Sequence[Replacement]) -> list[Match]:
    """Return the matches with each one before the first of those that it replaces."""
    replaced = {(pair.newer, pair.older) for pair in found}
    ordered: list[Match] = []
    for match in matches:
        places = (place for place, other in enumerate(ordered) if (match.memory.pk, other.memory.pk) in replaced)
        ordered.insert(next(places, len(ordered)), match)
    return ordered


def _marked(match: Match, found: Sequence[Replacement], shown: Set[int]) -> Match:
    """Return the match with the ids of the shown matches that it conflicts with."""
    pk = match.memory.pk
    pairs = [pair for pair in found if pk in (pair.newer, pair.older) and {pair.newer, pair.older} <= shown]
    corrections = [pair.newer for pair in pairs if pair.older == pk and pair.is_correction]
    return replace(
        match,
        conflicts_with=sorted({pair.newer if pair.older == pk else pair.older for pair in pairs}),
        superseded_by=max(corrections, default=None),
    )
