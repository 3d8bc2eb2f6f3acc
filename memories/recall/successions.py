"""Matches that were stored as the successors of others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

from memories.models import Memory
from memories.recall.matches import Match, Pairs
from memories.recall.replacement_times import is_event
from memories.times.periods import Period
from memories.vectors.compared_pairs import pair_of

LAST_SECOND = timedelta(seconds=1)
"""The time from the end of a memory to the beginning of its successor: an end is the last second."""

SAVED_TOGETHER = timedelta(seconds=1)
"""Longest time between storing a memory and ending the one that it replaces, if one call does both."""


def successions(matches: Sequence[Match], pairs: Pairs, period: Period | None) -> list[tuple[int, int]]:
    """Return the pairs of matches in which the first was stored as the successor of the second, by their ids. `period`
    is the past period that the question refers to, if any: matches that begin after it are left out.
    """
    ended = [match.memory for match in matches if match.memory.is_past or match.memory.replaced_by_id is not None]
    if not ended:
        return []
    beginning: defaultdict[datetime, list[Memory]] = defaultdict(list)
    for match in matches:
        if match.memory.valid_from is not None:
            beginning[match.memory.valid_from].append(match.memory)
    by_id = {match.memory.id: match.memory for match in matches}
    found = []
    for older in ended:
        if older.replaced_by_id is not None:
            newer = [by_id[older.replaced_by_id]] if older.replaced_by_id in by_id else []
        else:
            assert older.valid_until is not None
            following = beginning.get(older.valid_until + LAST_SECOND, ())
            newer = [each for each in following if _are_linked(older, each, pairs)]
        found += [(each.id, older.id) for each in newer if not _is_later(each, period)]
    return found


def _are_linked(older: Memory, newer: Memory, pairs: Pairs) -> bool:
    """Return whether a memory that begins when another one ends is true in its place.

    Two independent facts can end and begin at one midnight. Both must therefore be about the same subject, or have been
    saved by one call. Events end anyway: an appointment on the next day does not take the place of one.
    """
    is_near = pair_of(older.id, newer.id) in pairs.cosines and not is_event(older)
    return is_near or timedelta(0) <= older.updated_at - newer.created_at <= SAVED_TOGETHER


def _is_later(newer: Memory, period: Period | None) -> bool:
    """Return whether a memory begins after the period that the question refers to."""
    return period is not None and newer.valid_from is not None and period.end <= newer.valid_from
