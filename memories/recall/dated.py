"""Questions that ask only what is on at a time: the memories that name its days answer them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from memories.models import Memory
from memories.recall.matches import Match
from memories.recall.ranking import Ranked
from memories.times.periods import Period


class Dated(NamedTuple):
    """The ids of the memories that name an asked day: events that begin in the asked time, and others, such as notes
    that mention the day."""

    beginning: frozenset[int] = frozenset()
    others: frozenset[int] = frozenset()

    @classmethod
    def among(cls, matches: Iterable[Match], periods: Sequence[Period]) -> Dated:
        """Return the matches that name a day of the periods."""
        named = [match.memory for match in matches if match.ranked.candidate.is_named_day]
        beginning = frozenset(memory.id for memory in named if any(_begins_in(memory, period) for period in periods))
        return cls(beginning, frozenset(memory.id for memory in named) - beginning)

    def first(self, matches: Sequence[Match], newer_of: Mapping[int, set[int]]) -> list[Match]:
        """Return the matches in their order, but those that name an asked day first.

        One that others replace, by `newer_of`, follows with them: an appointment that was moved is not the answer, but
        what has become of it is.
        """
        replaced = {pk for pk in self.beginning | self.others if pk in newer_of}
        related = replaced.union(*(newer_of[pk] for pk in replaced))

        def place(match: Match) -> int:
            pk = match.memory.id
            if pk in related and (pk in replaced or not self.names(pk)):
                return 2
            return 0 if pk in self.beginning else 1 if pk in self.others else 3

        return sorted(matches, key=place)

    def names(self, memory_id: int) -> bool:
        """Return whether the memory names an asked day."""
        return memory_id in self.beginning or memory_id in self.others


def naming_days(ranked: Iterable[Ranked]) -> list[Ranked]:
    """Return the candidates that name an asked day."""
    return [item for item in ranked if item.candidate.is_named_day]


def _begins_in(memory: Memory, period: Period) -> bool:
    start = memory.valid_from
    return start is not None and memory.valid_until is not None and period.start <= start < period.end
