"""Preference for matches that can give the kind of answer that the question asks for, such as a time after "when"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from memories.recall.matches import Match
from memories.recall.ranking import Ranked, with_answer_kind
from memories.relations.answer_kinds import asked_kinds
from memories.relations.statements import Statement


def prefer_answers(question: str, considered: list[Ranked], loaded: list[Match]) -> tuple[list[Ranked], list[Match]]:
    """Return the candidates, and the matches loaded for them, with the signal `answer_kind` and in their new order."""
    telling = ids_telling(question, ((match.memory.id, match.found_text) for match in loaded))
    if not telling:
        return considered, loaded
    considered = with_answer_kind(considered, telling)
    return considered, list(_in_order(considered, loaded))


def ids_telling(question: str, texts: Iterable[tuple[int, str]]) -> Set[int]:
    """Return the ids of the texts that can give the kind of answer that the question asks for; none if it asks none."""
    asked = asked_kinds(question)
    return {pk for pk, text in texts if Statement.of(text).told_kinds & asked} if asked else set()


def _in_order(ranked: Iterable[Ranked], loaded: Iterable[Match]) -> Iterator[Match]:
    matches = {match.memory.id: match for match in loaded}
    for item in ranked:
        match = matches.get(item.candidate.item_id)
        if match is not None:
            yield Match(match.memory, match.cosine, item, passage=match.passage)
