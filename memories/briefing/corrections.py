"""Corrections and repetitions among the memories of a briefing: what is outdated is left out or marked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime
from heapq import nlargest
from typing import NamedTuple

from memories.access import View
from memories.aspects.reading import Aspect
from memories.briefing.candidates import Candidate
from memories.briefing.selection import Ranked
from memories.recall.replacement_times import is_event, replaces_later
from memories.relations.comparison import MIN_RELATED_COSINE, are_near_duplicates, contradict, corrects, elaborates
from memories.relations.statements import Statement
from memories.vectors.compared_pairs import Pair, pair_of, read_relations
from memories.vectors.indexing import stored_vectors
from memories.vectors.near_pairs import Windows, near_pairs, similarity_between
from memories.vectors.settled_pairs import settled_pairs

MIN_OUTDATED_COSINE, MIN_COMMON_WORDS = 0.55, 2
"""Least cosine of a memory and the correction that takes its place, and number of words that they share. With less, as
in recall, the briefing contains both."""

OUTDATED = "(may be outdated)"
"""Mark of a memory that has been corrected, at the beginning of its line."""

LATEST_OTHERS = 100
"""Number of memories without a place in the briefing that may correct one with a place: the latest confirmed."""


class _Told(NamedTuple):
    """A memory that corrects or repeats an older one, comes before it, and may leave it out or mark it."""

    newer: Ranked
    older: Ranked
    leaves_out: bool = False
    marks: bool = False


def current_ones(view: View, day: datetime, ranked: Sequence[Ranked], others: Sequence[Ranked]) -> list[Ranked]:
    """Return the memories of `ranked` with their corrections, and without those that say the same as another one.

    A correction replaces the memory that it corrects or denies. It comes before that memory instead if the memory is
    pinned, or says who the owner is and may still be partly true. Such a memory is marked in its text. The correction
    may also be among the latest of `others`. A change that begins after `day` corrects nothing yet. Two queries, and
    one more if there are corrections.
    """
    latest = nlargest(LATEST_OTHERS, others, key=_confirmation)
    related = read_relations(view, [each.memory.id for each in (*ranked, *latest)])
    changes = {pair for pair, relation in related if relation == "changes"}
    changing = {memory_id for pair in changes for memory_id in pair}
    compared = [
        *ranked,
        *(each for each in latest if each.memory.id in changing or Statement.of(each.memory.text).may_correct),
    ]
    left_out, told = _compare(view, compared, changes, day)
    corrections: defaultdict[int, list[Ranked]] = defaultdict(list)
    outdated: set[int] = set()
    correcting: set[int] = set()
    for each in _unsettled(view, [*_read_corrections(compared, changes, day), *told]):
        corrections[each.older.memory.id].append(each.newer)
        if each.marks:
            outdated.add(each.older.memory.id)
            correcting.add(each.newer.memory.id)
        if each.leaves_out:
            left_out.add(each.older.memory.id)
    placed = _with_corrections(ranked, left_out, corrections)
    placed = [_marked(each) if each.memory.id in outdated else each for each in placed]
    return [_correcting(each) if each.memory.id in correcting else each for each in placed]


def _compare(view: View, compared: Sequence[Ranked], changes: Set[Pair], day: datetime) -> tuple[set[int], list[_Told]]:
    """Return the ids of memories that say the same as an earlier one, and the corrections. One query."""
    vectors = stored_vectors(view.owner_id, [each.memory.id for each in compared])
    embedded = [each for each in compared if each.memory.id in vectors]
    left_out: set[int] = set()
    told: list[_Told] = []
    if len(embedded) < 2:
        return left_out, told
    windows = Windows.of_texts([vectors[each.memory.id].windows for each in embedded])
    for later, earlier in near_pairs(windows, MIN_RELATED_COSINE):
        first, second = embedded[earlier], embedded[later]
        cosine = similarity_between(windows.of_text(later), windows.of_text(earlier))
        if are_near_duplicates(second.memory.text, first.memory.text, cosine):
            left_out.add(second.memory.id)
            continue
        older, newer = sorted((first, second), key=_confirmation)
        is_read = pair_of(older.memory.id, newer.memory.id) in changes
        if not replaces_later(older.memory, newer.memory, day) and (
            _corrects(newer.memory, older.memory, cosine, is_read=is_read)
            or _denies(newer.memory, older.memory, cosine)
        ):
            takes_place = _takes_the_place(newer.memory, older.memory, cosine, is_read=is_read)
            told.append(_Told(newer, older, leaves_out=takes_place, marks=True))
        elif _is_known_from(first.memory, second.memory):
            shorter, longer = sorted((first, second), key=lambda each: len(each.memory.text))
            told.append(_Told(longer, shorter, leaves_out=True))
    return left_out, told


def _unsettled(view: View, told: Sequence[_Told]) -> list[_Told]:
    """Return the corrections without pairs of which the owner has said that both are true."""
    if not told:
        return []
    settled = settled_pairs(view, {each.memory.id for pair in told for each in (pair.newer, pair.older)})
    return [pair for pair in told if pair_of(pair.newer.memory.id, pair.older.memory.id) not in settled]


def _read_corrections(compared: Sequence[Ranked], changes: Set[Pair], day: datetime) -> list[_Told]:
    """Return the memories that, according to the cross-encoder, cannot be current at the same time.

    The newer one comes first, but does not replace the older one: part of it may still be true. The older one is marked
    if it says who the owner or a relative is, and the newer one is about the same person. Many of the other pairs are
    wrong: "Dev eats gluten-free", "Maya has coeliac disease".
    """
    by_id = {each.memory.id: each for each in compared}
    told = []
    for first, second in sorted(changes):
        older, newer = sorted((by_id[first], by_id[second]), key=_confirmation)
        is_stated = newer.memory.is_explicit or not older.memory.is_explicit
        if is_stated and not replaces_later(older.memory, newer.memory, day):
            told.append(_Told(newer, older, marks=_are_about_one_person(older.memory, newer.memory)))
    return told


def _are_about_one_person(older: Candidate, newer: Candidate) -> bool:
    """Return whether the older memory says who the owner or a relative is, and the newer one begins with the same name,
    or without any."""
    if older.aspect in (None, Aspect.PREFERENCES, Aspect.ANSWERS):
        return False
    return Statement.of(older.text).subjects[:1] == Statement.of(newer.text).subjects[:1]


def _is_known_from(first: Candidate, second: Candidate) -> bool:
    """Return whether one of two memories that say who the owner or a relative is says what the other one says."""
    if first.aspect is None or first.aspect != second.aspect or first.is_explicit != second.is_explicit:
        return False
    return elaborates(Statement.of(first.text), Statement.of(second.text))


def _marked(outdated: Ranked) -> Ranked:
    return replace(outdated, memory=replace(outdated.memory, text=f"{OUTDATED} {outdated.memory.text}"))


def _correcting(each: Ranked) -> Ranked:
    return replace(each, reasons=replace(each.reasons, corrects=True))


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


def _corrects(newer: Candidate, older: Candidate, cosine: float, *, is_read: bool) -> bool:
    """Return whether the newer memory corrects the older one.

    An inference of an app never corrects a statement of the owner. Only memories that say who the owner is are
    corrected on little evidence: they have a place in the briefing however old they are. `is_read`: the cross-encoder
    has found the change, too.
    """
    new, old = Statement.of(newer.text), Statement.of(older.text)
    if not new.may_correct or (older.is_explicit and not newer.is_explicit):
        return False
    if older.aspect is None and not _takes_the_place(newer, older, cosine, is_read=is_read):
        return False
    return corrects(new, old, cosine)


def _denies(newer: Candidate, older: Candidate, cosine: float) -> bool:
    """Return whether the newer memory says that the older one is not true, and is not only an inference.

    Other contradictions, such as two numbers, are often a series, of which each memory is true.
    """
    new, old = Statement.of(newer.text), Statement.of(older.text)
    if new.is_negated == old.is_negated or (older.is_explicit and not newer.is_explicit):
        return False
    return _takes_the_place(newer, older, cosine, is_read=False) and contradict(new, old, cosine)


def _takes_the_place(newer: Candidate, older: Candidate, cosine: float, *, is_read: bool) -> bool:
    """Return whether nothing of the older memory is still true if the newer one corrects it.

    Of an appointment that was moved, nothing is.
    """
    shared = Statement.of(newer.text).subject_words & Statement.of(older.text).subject_words
    is_sure = is_read or cosine >= MIN_OUTDATED_COSINE
    if is_event(older) and shared:
        return is_event(newer) or is_sure
    return is_sure and len(shared) >= MIN_COMMON_WORDS
