"""Questions about what is on at a time, or about the next of something: the memories that name its days answer them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import date, datetime
from typing import NamedTuple

from django.conf import settings

from memories.lexicon.translating import in_english
from memories.models import Memory
from memories.recall.matches import Match
from memories.recall.ranking import Ranked
from memories.relations.statements import Statement, stem
from memories.times.periods import Period
from memories.times.statements import next_yearly_day, stated_period

_BETWEEN_SENTENCES = re.compile(r"(?<=\w\w[.!?]) +|\n")


_LONGEST_DAYS = 27
"""Number of days of a period whose beginning is the day of something: what is said of a month has no day."""


class Dated(NamedTuple):
    """The ids of the memories that name an asked day.

    - `beginning`: events that begin in the asked time. `others`: others, such as notes that mention the day.
    - `following`: what a question for the next of something asks about, with its day, the nearest first.
    - `is_only_time`: the question asks about nothing but the time. `is_past`: it asks what was on.
    """

    beginning: frozenset[int] = frozenset()
    others: frozenset[int] = frozenset()
    following: tuple[tuple[date, int], ...] = ()
    is_only_time: bool = True
    is_past: bool = False

    @classmethod
    def among(cls, matches: Iterable[Match], periods: Sequence[Period]) -> Dated:
        """Return the matches that name a day of the periods."""
        named = [match.memory for match in matches if match.ranked.candidate.is_named_day]
        beginning = frozenset(memory.id for memory in named if any(_begins_in(memory, period) for period in periods))
        return cls(beginning, frozenset(memory.id for memory in named) - beginning)

    @classmethod
    def next_of(cls, words: Iterable[str], matches: Iterable[Match], now: datetime) -> Dated:
        """Return the matches with a sentence that has all words and names a day to come, the nearest one first."""
        today = now.astimezone(settings.OWNER_TIME_ZONE)
        wanted = [_stems(word) for word in words]
        found = [(match.memory, _sentences_with(wanted, match.found_text)) for match in matches]
        days = [(day, memory.id) for memory, text in found if text and (day := _next_day(memory, text, today))]
        return cls(following=tuple(sorted(days)))

    def first(self, matches: Sequence[Match], newer_of: Mapping[int, set[int]]) -> list[Match]:
        """Return the matches in their order, but those that name an asked day first, or those that follow.

        One that others replace, by `newer_of`, follows with them: an appointment that was moved is not the answer, but
        what has become of it is. What happened is still the answer.
        """
        may_be_replaced = self.beginning if self.is_past else self.beginning | self.others
        replaced = {pk for pk in may_be_replaced if pk in newer_of}
        related = replaced.union(*(newer_of[pk] for pk in replaced))
        following = self._following(newer_of)

        def place(match: Match) -> int:
            pk = match.memory.id
            if pk in following:
                return following.index(pk) - len(following)
            if pk in related and (pk in replaced or not self.names(pk)):
                return 2
            return 0 if pk in self.beginning else 1 if pk in self.others else 3

        return sorted(matches, key=place)

    def next_id(self, replaced: Set[int]) -> int | None:
        """Return the id of what follows, without what is replaced; None if there is none."""
        return next((pk for _, pk in self.following if pk not in replaced), None)

    def _following(self, newer_of: Mapping[int, set[int]]) -> list[int]:
        """Return the ids of what follows by its days. On one day, what others replace comes last, after those."""
        ids: dict[int, None] = {}
        for _, pk in sorted(self.following, key=lambda item: (item[0], item[1] in newer_of)):
            ids.update(dict.fromkeys((*sorted(newer_of.get(pk, ())), pk)))
        return list(ids)

    def names(self, memory_id: int) -> bool:
        """Return whether the memory names an asked day."""
        return memory_id in self.beginning or memory_id in self.others


def naming_days(ranked: Iterable[Ranked]) -> list[Ranked]:
    """Return the candidates that name an asked day."""
    return [item for item in ranked if item.candidate.is_named_day]


def _begins_in(memory: Memory, period: Period) -> bool:
    start = memory.valid_from
    return start is not None and memory.valid_until is not None and period.start <= start < period.end


def _stems(word: str) -> set[str]:
    """Return the stem of a word of a question, and those of its English translations."""
    # A German appointment: "Zahnarzttermin".
    shorter = word.removesuffix("termin") or word
    return {stem(shorter), *map(stem, in_english(shorter))}


def _sentences_with(wanted: Sequence[set[str]], text: str) -> str:
    """Return the sentences of a text that have each of the wanted words, in one of its stems."""
    sentences = _BETWEEN_SENTENCES.split(text)
    return " ".join(each for each in sentences if all(stems & Statement.of(each).words for stems in wanted))


def _next_day(memory: Memory, text: str, now: datetime) -> date | None:
    """Return the first day to come, or today, that a part of a memory's text names; None if there is none."""
    zone, today = settings.OWNER_TIME_ZONE, now.date()
    if yearly := next_yearly_day(text, now):
        return yearly
    if memory.valid_until is not None and memory.valid_until.astimezone(zone).date() < today:
        return None
    if memory.valid_from is not None and memory.valid_from.astimezone(zone).date() >= today:
        return memory.valid_from.astimezone(zone).date()
    stated = stated_period(text, memory.created_at.astimezone(zone))
    days = stated.days if stated else ()
    coming = [start for start, end in days if end > today and (end - start).days <= _LONGEST_DAYS]
    return max(min(coming), today) if coming else None
