"""The answer that an app would get: its memories, what just missed, what it must not see, and documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext, ngettext

from common.pages.list_rows import Flag
from documents.search import FoundPassage, search_documents
from documents.selectors import has_documents
from mcpapi.tools.fact_notes import notes_on
from mcpapi.tools.reading.build_context_prompt import as_fact, prompt_with_facts
from memories.access import View
from memories.admin.changes.kinds import joined
from memories.admin.recall_reasons import Reasons, common_words, reasons_of
from memories.admin.rows import MemoryRow, memory_row
from memories.admin.sources import with_source
from memories.models import Memory
from memories.recall.matches import Match
from memories.recall.pipeline import Query, RecallOutcome, recall
from memories.recall.relevance import WEAK, Precision

MOST_PASSAGES = 5

DOUBTFUL = 0.2
"""Confidence below which the page says that probably nothing is known."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A memory that the app would receive."""

    row: MemoryRow
    reasons: Reasons
    flags: Sequence[Flag]
    is_weak: bool


@dataclass(frozen=True, slots=True)
class Missed:
    """A memory that the app would not receive, and why."""

    row: MemoryRow
    why: str


@dataclass(frozen=True, slots=True)
class Answers:
    """All that an app would receive for a question."""

    matches: Sequence[Answer]
    missed: Sequence[Missed]
    passages: Sequence[FoundPassage]
    only_keywords: bool
    prompt: str
    """The prompt that `build_context_prompt` would return for the question."""

    confidence: float | None
    """The confidence of the result, 0–1; None if it is only a rough estimate."""

    @property
    def are_weak(self) -> bool:
        """Whether probably none of the matches answers the question."""
        is_doubtful = self.confidence is not None and self.confidence < DOUBTFUL
        return bool(self.matches) and (is_doubtful or all(answer.is_weak for answer in self.matches))

    @property
    def percent(self) -> int | None:
        """The confidence in percent, at most 99; None if it is only a rough estimate."""
        return None if self.confidence is None else min(round(100 * self.confidence), 99)


def answers_to(view: View, question: str) -> Answers:
    """Return what an app with `view` would receive for `question`, with the default limit. At most nine queries.

    Nothing is recorded. Raises MemoriesError.
    """
    query = Query(question, argument="q", precision=Precision.BALANCED)
    outcome = recall(view, query)
    best = max((match.rank for match in outcome.matches), default=1.0)
    shown = _shown_memories(view, outcome)
    common = common_words(memory.text for memory in shown.values())
    places = {match.memory.pk: place for place, match in enumerate(outcome.matches, start=1)}
    matches = [
        Answer(
            memory_row(shown.get(match.memory.pk, match.memory), passage=match.passage.text if match.passage else ""),
            reasons_of(
                match.parts, question, match.memory.text, best, has_session=bool(match.memory.session_id), common=common
            ),
            list(_flags(match, places)),
            outcome.is_calibrated and match.relevance < WEAK,
        )
        for match in outcome.matches
    ]
    passages = search_documents(view, query).passages[:MOST_PASSAGES] if has_documents(view) else ()
    notes = notes_on(outcome.matches)
    facts = [as_fact(match.memory.text) + notes[match.memory.id] for match in outcome.matches]
    prompt = prompt_with_facts(question, facts)
    confidence = outcome.confidence if outcome.is_calibrated else None
    return Answers(matches, _missed(shown, outcome), passages, outcome.only_keywords, prompt, confidence)


def _flags(match: Match, places: Mapping[int, int]) -> Iterator[Flag]:
    """Yield how a match relates to other answers. `places` has the number of each answer, by the id of its memory."""
    corrects = match.superseded_by
    others = sorted(places[pk] for pk in match.conflicts_with if pk in places and pk != corrects)
    if corrects is not None and corrects in places:
        yield Flag(gettext("may be corrected by answer %(place)s") % {"place": places[corrects]}, "warn")
    if others:
        text = ngettext("may not fit answer %(places)s", "may not fit answers %(places)s", len(others))
        # Not a warning: up to a third of these are wrong.
        yield Flag(text % {"places": joined(map(str, others))})


def _shown_memories(view: View, outcome: RecallOutcome) -> Mapping[int, Memory]:
    """Return the matches and near misses with their sources, by id. One query."""
    found = [match.memory.pk for match in outcome.matches]
    missed = [ranked.candidate.item_id for ranked in outcome.near_misses]
    return with_source(Memory.objects.visible_to(view)).in_bulk([*found, *missed])


def _missed(memories: Mapping[int, Memory], outcome: RecallOutcome) -> list[Missed]:
    return [
        Missed(
            memory_row(memories[ranked.candidate.item_id]),
            _why_missed(len(outcome.matches), number),
        )
        for number, ranked in enumerate(outcome.near_misses, start=1)
        if ranked.candidate.item_id in memories
    ]


def _why_missed(matches: int, number: int) -> str:
    """Return why the app would not receive the memory with this number after the last of `matches`."""
    if matches < settings.DEFAULT_RECALL_LIMIT:
        return gettext("Not relevant enough: it probably does not answer the question.")
    return gettext("Just missed: ranked %(rank)s, and apps get %(number)s by default.") % {
        "rank": matches + number,
        "number": matches,
    }
