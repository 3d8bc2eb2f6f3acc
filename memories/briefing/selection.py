"""The order of memories in a briefing: pinned ones, who the owner is, important, often recalled and upcoming ones."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from heapq import nlargest

from memories.access import View
from memories.aspects.names import owner_name_in
from memories.aspects.reading import Aspect
from memories.briefing.candidates import UPCOMING_DAYS, Candidate, find_candidates
from memories.recall.replacement_times import is_event, replaces_later
from memories.relations.comparison import MIN_RELATED_COSINE, are_near_duplicates, contradict, corrects
from memories.relations.statements import Statement
from memories.vectors.compared_pairs import Pair, compared_pairs, pair_of
from memories.vectors.indexing import stored_vectors
from memories.vectors.near_pairs import Windows, near_pairs, similarity_between
from memories.vectors.settled_pairs import settled_pairs

FRESHNESS_HALF_LIFE_DAYS = 90.0
ABOUT_OWNER, IMPORTANCE, RECALLED, FRESHNESS, UPCOMING, EXPLICIT = 0.6, 0.4, 0.3, 0.2, 0.3, 0.1
"""Weights of the reasons."""

FULL_PER_ASPECT = 4
"""Number of memories of an app about one aspect that count in full. The others count half, and so do all preferences:
they come after who the owner is, and before commands and notes about things."""

INTRODUCTION = (Aspect.NAME, Aspect.WORK, Aspect.HOME)
"""Aspects of which the best memory comes first, in this order: an assistant must know whom it works for."""

MIN_OUTDATED_COSINE, MIN_COMMON_WORDS = 0.55, 2
"""Least cosine of a memory and the correction that takes its place, and number of words that they share. With less, as
in recall, the briefing contains both."""

OUTDATED = "(may be outdated)"
"""Mark of a memory that has been corrected, at the beginning of its line."""

LATEST_OTHERS = 100
"""Number of memories without a place in the briefing that may correct one with a place: the latest confirmed."""


@dataclass(frozen=True, slots=True)
class Reasons:
    """The reasons for a memory to be in a briefing, each 0–1.

    A pinned memory comes before all others, and after these one that introduces the owner.
    """

    is_pinned: bool
    about_owner: float
    importance: float
    recalled: float
    freshness: float
    upcoming: float
    explicit: float
    introduces_owner: bool = False

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
    canonical; None for no restriction. Memories that are past are left out. Three queries.
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

    Of each app and aspect, the first FULL_PER_ASPECT count in full: an app that says a lot about the owner's health
    leaves room for the family and the home, and for what other apps say.
    """
    by_aspect: dict[tuple[str, str], list[Candidate]] = {}
    for memory in candidates:
        if memory.aspect is not None:
            by_aspect.setdefault((memory.stored_by, memory.aspect), []).append(memory)
    shares: dict[int, float] = {}
    for (_, aspect), members in by_aspect.items():
        members.sort(key=lambda memory: (memory.importance, memory.last_confirmed_at, memory.id), reverse=True)
        full = 0 if aspect == Aspect.PREFERENCES else FULL_PER_ASPECT
        shares |= {memory.id: 1.0 if place < full else 0.5 for place, memory in enumerate(members)}
    return shares


def _reasons(memory: Candidate, day: datetime, about_owner: float) -> Reasons:
    age_days = max((day - memory.last_confirmed_at).total_seconds() / 86_400, 0.0)
    soon = day + timedelta(days=UPCOMING_DAYS)
    return Reasons(
        is_pinned=memory.is_pinned,
        about_owner=about_owner,
        importance=memory.importance,
        # The first recalls count most: a fact of daily use need not be recalled a hundred times.
        recalled=min(math.log2(1 + memory.recalls) / 4, 1.0),
        freshness=0.5 ** (age_days / FRESHNESS_HALF_LIFE_DAYS),
        upcoming=float(_is_upcoming(memory, day, soon)),
        explicit=float(memory.is_explicit),
    )


def _is_upcoming(memory: Candidate, day: datetime, soon: datetime) -> bool:
    """Return whether it expires soon, or begins or stops being true between the beginning of the day and then."""
    limits = [limit for limit in (memory.valid_from, memory.valid_until) if limit is not None]
    return (memory.expires_at is not None and memory.expires_at <= soon) or any(
        day <= limit <= soon for limit in limits
    )


def current_ones(view: View, day: datetime, ranked: Sequence[Ranked], others: Sequence[Ranked]) -> list[Ranked]:
    """Return the memories of `ranked` with their corrections, and without those that say the same as an earlier one.

    A correction replaces the memory that it corrects or denies. It comes before that memory instead if the memory is
    pinned, or says who the owner is and may still be partly true. Such a memory is marked in its text. The correction
    may also be among the latest of `others`. A change that begins after `day` corrects nothing yet. Two queries, and
    one more if there are corrections.
    """
    latest = nlargest(LATEST_OTHERS, others, key=_confirmation)
    changes = compared_pairs(view, "changes", [each.memory.id for each in (*ranked, *latest)])
    changing = {memory_id for pair in changes for memory_id in pair}
    compared = [
        *ranked,
        *(each for each in latest if each.memory.id in changing or Statement.of(each.memory.text).may_correct),
    ]
    vectors = stored_vectors(view.owner_id, [each.memory.id for each in compared])
    embedded = [each for each in compared if each.memory.id in vectors]
    if len(embedded) < 2:
        return list(ranked)
    windows = Windows.of_texts([vectors[each.memory.id].windows for each in embedded])
    left_out: set[int] = set()
    told: list[tuple[Ranked, Ranked, float]] = []
    for later, earlier in near_pairs(windows, MIN_RELATED_COSINE):
        first, second = embedded[earlier], embedded[later]
        cosine = similarity_between(windows.of_text(later), windows.of_text(earlier))
        older, newer = sorted((first, second), key=_confirmation)
        if are_near_duplicates(second.memory.text, first.memory.text, cosine):
            left_out.add(second.memory.id)
        elif not replaces_later(older.memory, newer.memory, day) and (
            _corrects(newer.memory, older.memory, cosine) or _denies(newer.memory, older.memory, cosine)
        ):
            told.append((newer, older, cosine))
    corrections = _read_corrections(compared, changes, day)
    outdated: set[int] = set()
    for newer, older, cosine in _unsettled(view, told):
        corrections[older.memory.id].append(newer)
        outdated.add(older.memory.id)
        if _takes_the_place(newer.memory, older.memory, cosine):
            left_out.add(older.memory.id)
    placed = _with_corrections(ranked, left_out, corrections)
    return [_marked(each) if each.memory.id in outdated else each for each in placed]


def _unsettled(view: View, told: Sequence[tuple[Ranked, Ranked, float]]) -> list[tuple[Ranked, Ranked, float]]:
    """Return the corrections without pairs of which the owner has said that both are true."""
    settled = settled_pairs(view, {each.memory.id for pair in told for each in pair[:2]}) if told else set()
    return [pair for pair in told if pair_of(pair[0].memory.id, pair[1].memory.id) not in settled]


def _read_corrections(compared: Sequence[Ranked], changes: Set[Pair], day: datetime) -> defaultdict[int, list[Ranked]]:
    """Return, by the id of an older memory, the newer ones that cannot be current at the same time. They come before
    it, but do not replace it: part of it may still be true.
    """
    by_id = {each.memory.id: each for each in compared}
    corrections: defaultdict[int, list[Ranked]] = defaultdict(list)
    for first, second in sorted(changes):
        older, newer = sorted((by_id[first], by_id[second]), key=_confirmation)
        is_stated = newer.memory.is_explicit or not older.memory.is_explicit
        if is_stated and not replaces_later(older.memory, newer.memory, day):
            corrections[older.memory.id].append(newer)
    return corrections


def _marked(outdated: Ranked) -> Ranked:
    return replace(outdated, memory=replace(outdated.memory, text=f"{OUTDATED} {outdated.memory.text}"))


def _confirmation(each: Ranked) -> tuple[datetime, int]:
    return each.memory.last_confirmed_at, each.memory.id


def _with_corrections(
    ranked: Sequence[Ranked], left_out: Set[int], corrections: Mapping[int, Sequence[Ranked]]
) -> list[Ranked]:
    """Return the memories, each after its corrections, which introduce the owner if it does.

    Pinned ones stay also if they are to be left out.
    """
    placed: dict[int, Ranked] = {}
    seen: set[int] = set()

    def place(each: Ranked, introduces_owner: bool) -> None:
        if each.memory.id in seen:
            return
        seen.add(each.memory.id)
        for correction in corrections.get(each.memory.id, ()):
            place(correction, introduces_owner)
        if each.reasons.is_pinned or each.memory.id not in left_out:
            reasons = replace(each.reasons, introduces_owner=introduces_owner and not each.reasons.is_pinned)
            placed[each.memory.id] = replace(each, reasons=reasons)

    for each in ranked:
        place(each, each.reasons.introduces_owner)
    return list(placed.values())


def _corrects(newer: Candidate, older: Candidate, cosine: float) -> bool:
    """Return whether the newer memory corrects the older one.

    An inference of an app never corrects a statement of the owner. Only memories that say who the owner is are
    corrected on little evidence: they have a place in the briefing however old they are.
    """
    new, old = Statement.of(newer.text), Statement.of(older.text)
    if not new.may_correct or (older.is_explicit and not newer.is_explicit):
        return False
    if older.aspect is None and not _takes_the_place(newer, older, cosine):
        return False
    return corrects(new, old, cosine)


def _denies(newer: Candidate, older: Candidate, cosine: float) -> bool:
    """Return whether the newer memory says that the older one is not true, and is not only an inference.

    Other contradictions, such as two numbers, are often a series, of which each memory is true.
    """
    new, old = Statement.of(newer.text), Statement.of(older.text)
    if new.is_negated == old.is_negated or (older.is_explicit and not newer.is_explicit):
        return False
    return _takes_the_place(newer, older, cosine) and contradict(new, old, cosine)


def _takes_the_place(newer: Candidate, older: Candidate, cosine: float) -> bool:
    """Return whether nothing of the older memory is still true if the newer one corrects it.

    Of an appointment that was moved, nothing is.
    """
    shared = Statement.of(newer.text).subject_words & Statement.of(older.text).subject_words
    if is_event(older) and shared:
        return is_event(newer) or cosine >= MIN_OUTDATED_COSINE
    return cosine >= MIN_OUTDATED_COSINE and len(shared) >= MIN_COMMON_WORDS
