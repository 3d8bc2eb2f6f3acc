"""The order of memories in a briefing: pinned ones, who the owner is, important, often recalled and upcoming ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from memories.access import View
from memories.aspects.names import owner_name_in
from memories.aspects.reading import Aspect
from memories.briefing.candidates import CLOSEST, UPCOMING_DAYS, Candidate, find_candidates

FRESHNESS_HALF_LIFE_DAYS = 90.0
ABOUT_OWNER, IMPORTANCE, RECALLED, FRESHNESS, UPCOMING, EXPLICIT = 1.0, 0.4, 0.3, 0.2, 0.3, 0.1
"""Weights of the reasons."""

ASPECT_SHARES = {Aspect.HOME: 0.6, Aspect.WORK: 0.6, Aspect.FAMILY: 0.9, Aspect.PREFERENCES: 0.3}
"""Shares of the aspects that count less than the others. Preferences come after who the owner is, and before commands
and notes about things. What the owner, a partner or a child must not eat, who they are, and how the owner wants to be
answered comes before everything else: no assistant may get that wrong."""

ESSENTIAL = 0.9
"""Least share of an essential memory."""

DISTANT_SHARE = 0.6
"""Share that an aspect of a relative counts who is neither a partner nor a child."""

FULL_PER_ASPECT = 6
"""Number of memories of an app about one aspect that have its share. The others have half of it, except preferences."""

INTRODUCTION = (Aspect.NAME, Aspect.WORK, Aspect.HOME)
"""Aspects of which the best memory comes first, in this order: an assistant must know whom it works for."""


@dataclass(frozen=True, slots=True)
class Reasons:
    """The reasons for a memory to be in a briefing, each 0–1.

    A pinned memory comes before all others, and after these one that introduces the owner. `is_of_relative`:
    `about_owner` is about the owner's family. `corrects`: it has its place because it corrects another memory.
    """

    is_pinned: bool
    about_owner: float
    importance: float
    recalled: float
    freshness: float
    upcoming: float
    explicit: float
    is_of_relative: bool = False
    corrects: bool = False
    introduces_owner: bool = False

    @property
    def is_essential(self) -> bool:
        """Whether it tells of the owner, a partner or a child what no assistant may get wrong."""
        return self.about_owner >= ESSENTIAL

    @property
    def weight(self) -> float:
        """Their weighted sum."""
        return (
            ABOUT_OWNER * self.about_owner
            + IMPORTANCE * self.importance
            + RECALLED * self.recalled
            + FRESHNESS * self.freshness
            + UPCOMING * self.upcoming
            + EXPLICIT * self.explicit
        )


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate and the reasons for its rank."""

    memory: Candidate
    reasons: Reasons


def rank_memories(
    view: View, day: datetime, tags: Sequence[str] | None = None, session_id: str | None = None
) -> list[Ranked]:
    """Return memories for a briefing: pinned ones, then those that introduce the owner, then most useful first.

    `day` is the beginning of the current day: within a day, the same memories give the same order. `tags` are
    canonical; None for no restriction. Memories that are past are left out. Four queries.
    """
    candidates = find_candidates(view, day, tags, session_id)
    shares = _aspect_shares(candidates)
    ranked = [Ranked(memory, _reasons(memory, day, shares.get(memory.id, 0.0))) for memory in candidates]
    ranked.sort(key=lambda each: (not each.reasons.is_pinned, -each.reasons.weight, each.memory.id))
    return _with_introduction(ranked)


def _with_introduction(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return the memories with those first that introduce the owner: the best one of each aspect of INTRODUCTION."""
    best: dict[str, Ranked] = {}
    for each in ranked:
        if (aspect := each.memory.aspect) in INTRODUCTION and _introduces(each.memory):
            best.setdefault(aspect, each)
    first = [best[aspect] for aspect in INTRODUCTION if aspect in best and not best[aspect].reasons.is_pinned]
    ids = {each.memory.id for each in first}
    pinned = [each for each in ranked if each.reasons.is_pinned]
    others = [each for each in ranked if not each.reasons.is_pinned and each.memory.id not in ids]
    introducing = [replace(each, reasons=replace(each.reasons, introduces_owner=True)) for each in first]
    return [*pinned, *introducing, *others]


def _introduces(memory: Candidate) -> bool:
    """Return whether it says who the owner is. A birthday has the aspect of the name, too, but does not say it."""
    return memory.is_explicit and (memory.aspect != Aspect.NAME or owner_name_in(memory.text) is not None)


def _aspect_shares(candidates: Sequence[Candidate]) -> dict[int, float]:
    """Return how much each memory that says who the owner is counts, 0–1, by id.

    Of each app and aspect, the first FULL_PER_ASPECT have the share of the aspect: an app that says a lot about the
    owner's health leaves room for the family and the home, and for what other apps say.
    """
    by_aspect: dict[tuple[str, str], list[Candidate]] = {}
    for memory in candidates:
        if memory.aspect is not None:
            by_aspect.setdefault((memory.stored_by, memory.aspect), []).append(memory)
    shares: dict[int, float] = {}
    for members in by_aspect.values():
        members.sort(key=lambda each: (each.closeness, each.importance, each.last_confirmed_at, each.id), reverse=True)
        for place, memory in enumerate(members):
            is_full = place < FULL_PER_ASPECT or memory.aspect == Aspect.PREFERENCES
            shares[memory.id] = _share_of(memory) * (1.0 if is_full else 0.5)
    return shares


def _share_of(memory: Candidate) -> float:
    assert memory.aspect is not None
    return ASPECT_SHARES.get(Aspect(memory.aspect), 1.0) if memory.closeness == CLOSEST else DISTANT_SHARE


def _reasons(memory: Candidate, day: datetime, about_owner: float) -> Reasons:
    age_days = max((day - memory.last_confirmed_at).total_seconds() / 86_400, 0.0)
    soon = day + timedelta(days=UPCOMING_DAYS)
    is_over = memory.announced_day is not None and memory.aspect is None
    return Reasons(
        is_pinned=memory.is_pinned,
        about_owner=about_owner,
        importance=memory.importance,
        # The first recalls count most: a fact of daily use need not be recalled a hundred times.
        recalled=0.0 if is_over else min(math.log2(1 + memory.recalls) / 4, 1.0),
        freshness=0.0 if is_over else 0.5 ** (age_days / FRESHNESS_HALF_LIFE_DAYS),
        upcoming=float(_is_upcoming(memory, day, soon)),
        explicit=float(memory.is_explicit),
        is_of_relative=memory.is_of_relative,
    )


def _is_upcoming(memory: Candidate, day: datetime, soon: datetime) -> bool:
    """Return whether it expires soon, or begins or stops being true between the beginning of the day and then."""
    limits = [limit for limit in (memory.valid_from, memory.valid_until) if limit is not None]
    return (memory.expires_at is not None and memory.expires_at <= soon) or any(
        day <= limit <= soon for limit in limits
    )
