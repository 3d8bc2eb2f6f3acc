"""Corrections among matches: the current statement comes before those that it replaces, which are marked.

A memory replaces another one if their texts say so, or if it was stored as the successor of the other one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple, Self

from django.utils import timezone
from django.utils.functional import cached_property

from common.clock import TOLERANCE
from memories.recall.asked_aspects import with_all_telling
from memories.recall.dated import Dated
from memories.recall.matches import Match, Pairs
from memories.recall.replacement_times import asks_about_later, replaces_later
from memories.recall.successions import successions
from memories.relations.comparison import MIN_CONTRADICTION_COSINE, contradict, corrects
from memories.relations.statements import Statement, words_in_common
from memories.times.periods import Period
from memories.vectors.compared_pairs import Pair, pair_of

CONSIDERED_MATCHES = 24
"""Number of candidates among which corrections are looked for: they often use other words than the question."""

MAX_LEAD, MAX_LEAD_OF_READ, MAX_LEAD_OF_CONTRADICTED = 1.0, 0.85, 0.4
"""Largest leads in rank at which an older statement is still moved behind a newer one: behind its correction, behind a
change that the cross-encoder has found, and behind a statement that contradicts it without saying so. With a larger
lead, the two are about different things."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """Two matches that cannot both be current.

    - `is_correction`: the newer one says that it replaces the older one, or was stored as its successor.
    - `is_to_come`: until then, the older one is true: "from January the rent is 900 euros".
    """

    newer: int
    older: int
    is_correction: bool
    is_to_come: bool = False


class _Compared(NamedTuple):
    """The parts of a match that are compared. They are read once: most matches are compared with all others."""

    pk: int
    rank: float
    confirmed_at: datetime
    statement: Statement
    has_changes: bool

    @classmethod
    def of(cls, match: Match) -> Self:
        statement = Statement.of(match.found_text)
        return cls(match.memory.id, match.rank, match.memory.last_confirmed_at, statement, statement.may_correct)


def put_current_first(
    matches: Sequence[Match],
    pairs: Pairs,
    question: str,
    limit: int,
    *,
    may_move: bool,
    period: Period | None = None,
    moment: datetime | None = None,
    dated: Dated | None = None,
) -> list[Match]:
    """Return the first `limit` matches, each after those that replace it, and mark the replaced ones.

    Without `may_move` the order stays. `period` is the past period that the question refers to, if any: a memory that
    was true then is not moved behind its successor. `moment` is the time at which memories are current; None for now. A
    change that is still to come is moved behind what is true until then, unless the question may be about later.
    `dated` come before all others, if the question only asks what is on at a time.
    """
    linked = [Replacement(newer, older, is_correction=True) for newer, older in successions(matches, pairs, period)]
    known = {(pair.newer, pair.older) for pair in linked}
    told = _replacements(matches, pairs, Statement.of(question))
    found = [*linked, *(pair for pair in told if not {(pair.newer, pair.older), (pair.older, pair.newer)} & known)]
    if not found:
        return with_all_telling(dated.first(matches, {}) if dated else matches, limit)[:limit]
    moment = moment or timezone.now()
    found = _with_times(found, matches, moment)
    newer_of = _newer_of(pair for pair in found if not pair.is_to_come)
    ordered = matches
    if may_move:
        coming = [] if asks_about_later(question, moment) else [pair for pair in found if pair.is_to_come]
        ordered = _moved(matches, _with_present(newer_of, coming, matches))
    shown = with_all_telling(dated.first(ordered, newer_of) if dated else ordered, limit)[:limit]
    shown_ids = {match.memory.id for match in shown}
    shown_pairs = [pair for pair in found if pair.newer in shown_ids and pair.older in shown_ids]
    return [_marked(match, shown_pairs) for match in shown]


def _with_times(found: Sequence[Replacement], matches: Sequence[Match], moment: datetime) -> list[Replacement]:
    """Return the pairs with the information whether the newer one replaces the older one only after `moment`."""
    by_id = {match.memory.id: match.memory for match in matches}
    return [replace(pair, is_to_come=replaces_later(by_id[pair.older], by_id[pair.newer], moment)) for pair in found]


def _replacements(matches: Sequence[Match], pairs: Pairs, question: Statement) -> list[Replacement]:
    """Return the pairs of matches in which the one that was confirmed later replaces the other.

    Pairs of which the owner has said that both are true are left out.
    """
    if not (pairs.cosines or pairs.changes):
        return []
    latest = timezone.now() + TOLERANCE
    compared = {match.memory.id: _Compared.of(match) for match in matches}
    texts = _Texts([each.statement for each in compared.values()])
    found = _read_changes(pairs.changes, compared, texts, latest)
    for (first, second), cosine in pairs.cosines.items():
        one, other = compared.get(first), compared.get(second)
        if one is None or other is None:
            continue
        # Cheap tests first: often all pairs of matches come here.
        if cosine < MIN_CONTRADICTION_COSINE and not (one.has_changes or other.has_changes):
            continue
        newer, older = _by_confirmation(one, other, latest)
        lead = older.rank - newer.rank
        if lead > MAX_LEAD or (cosine < MIN_CONTRADICTION_COSINE and not newer.has_changes):
            continue
        new, old = newer.statement, older.statement
        if (
            newer.has_changes
            and not texts.are_lines(new, old)
            and corrects(new, old, cosine, asked=question.words, common=texts.common_words)
        ):
            found[newer.pk, older.pk] = Replacement(newer.pk, older.pk, is_correction=True)
        elif lead <= MAX_LEAD_OF_CONTRADICTED and contradict(new, old, cosine):
            found.setdefault((newer.pk, older.pk), Replacement(newer.pk, older.pk, is_correction=False))
    return [pair for (one, other), pair in found.items() if pair_of(one, other) not in pairs.settled]


def _read_changes(
    changes: Set[Pair], compared: Mapping[int, _Compared], texts: _Texts, latest: datetime
) -> dict[Pair, Replacement]:
    """Return the replacements that the cross-encoder has found, by the ids of the newer and the older match. They do
    not count as corrections, because up to a third of them are wrong. An assistant that reads both matches can
    recognize this.
    """
    found = {}
    for first, second in sorted(changes):
        if first not in compared or second not in compared:
            continue
        newer, older = _by_confirmation(compared[first], compared[second], latest)
        if older.rank - newer.rank <= MAX_LEAD_OF_READ and not texts.are_lines(newer.statement, older.statement):
            found[newer.pk, older.pk] = Replacement(newer.pk, older.pk, is_correction=False)
    return found


@dataclass
class _Texts:
    """The statements of all matches, and what they have in common, which is computed when it is needed."""

    statements: Sequence[Statement]

    def are_lines(self, new: Statement, old: Statement) -> bool:
        """Return whether both are lines of a conversation: "Ada: I no longer live there"."""
        return bool(new.speaker and old.speaker and {new.speaker, old.speaker} <= self._talkers)

    @cached_property
    def common_words(self) -> Set[str]:
        """The words that many statements have."""
        return words_in_common(self.statements)

    @cached_property
    def _talkers(self) -> Set[str]:
        return talkers(self.statements)


def talkers(statements: Sequence[Statement]) -> Set[str]:
    """Return the speakers of a conversation: words before a colon for which at least half of the lines address
    somebody. A single line need not do so, as in "Ada: Quiet, as always", and a note may contain "I".
    """
    lines = Counter(each.speaker for each in statements if each.speaker)
    talking = Counter(each.speaker for each in statements if each.speaker and each.is_conversation)
    return {speaker for speaker, count in lines.items() if 2 * talking[speaker] >= count}


def _by_confirmation(first: _Compared, second: _Compared, latest: datetime) -> tuple[_Compared, _Compared]:
    """Return the later confirmed match and the other one.

    If a date is after `latest`, a clock was wrong, and ids decide the order.
    """
    one, other = first.confirmed_at, second.confirmed_at
    is_later = first.pk > second.pk if one == other or one > latest or other > latest else one > other
    return (first, second) if is_later else (second, first)


def _newer_of(found: Iterable[Replacement]) -> Mapping[int, set[int]]:
    """Return the ids of the matches that replace each match."""
    newer_of: defaultdict[int, set[int]] = defaultdict(set)
    for pair in found:
        newer_of[pair.older].add(pair.newer)
    return newer_of


def _with_present(
    newer_of: Mapping[int, set[int]], coming: Iterable[Replacement], matches: Sequence[Match]
) -> Mapping[int, set[int]]:
    """Return the ids of the matches that come before each match: those that replace it, and for a change that is still
    to come, what is true until then, unless its rank is much lower.
    """
    ranks = {match.memory.id: match.rank for match in matches}
    before = {pk: set(newer) for pk, newer in newer_of.items()}
    for pair in coming:
        if ranks[pair.newer] - ranks[pair.older] <= MAX_LEAD:
            before.setdefault(pair.newer, set()).add(pair.older)
    return before


def _moved(matches: Sequence[Match], before: Mapping[int, set[int]]) -> list[Match]:
    """Return the matches in an order in which each comes after those that must come before it, by their ids, and after
    those that must come before these.
    """
    ordered: list[Match] = []
    seen: set[int] = set()

    def place(match: Match) -> None:
        if match.memory.id in seen:
            return
        seen.add(match.memory.id)
        earlier = before.get(match.memory.id, set())
        for each in matches if earlier else ():
            if each.memory.id in earlier:
                place(each)
        ordered.append(match)

    for match in matches:
        place(match)
    return ordered


def _marked(match: Match, found: Sequence[Replacement]) -> Match:
    """Return the match with the ids of the shown matches that it conflicts with."""
    pk = match.memory.id
    later = [pair.newer for pair in found if pair.older == pk and pair.is_to_come]
    pairs = [pair for pair in found if pk in (pair.newer, pair.older) and not pair.is_to_come]
    corrections = [pair.newer for pair in pairs if pair.older == pk and pair.is_correction]
    return replace(
        match,
        conflicts_with=sorted({pair.newer if pair.older == pk else pair.older for pair in pairs}),
        superseded_by=max(corrections, default=None),
        superseded_later_by=max(later, default=None),
    )
