"""Preference for matches whose texts answer the question, or contain the kind of answer that it asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from memories.recall.matches import Match
from memories.recall.other_subjects import ids_about_others
from memories.recall.ranking import Ranked, with_signal
from memories.recall.reading import answers_among
from memories.relations.answer_kinds import asked_kinds
from memories.relations.statements import Statement


def prefer_answers(
    question: str,
    considered: list[Ranked],
    loaded: list[Match],
    *,
    is_read: bool,
    owner_names: Iterable[Sequence[str]] = (),
) -> tuple[list[Ranked], list[Match]]:
    """Return the candidates and the matches loaded for them in their new order, with the signals of their texts."""
    texts = {match.memory.id: match.found_text for match in loaded}
    preferred = with_signals_of_texts(question, considered, texts, is_read=is_read, owner_names=owner_names)
    return preferred, loaded if preferred is considered else _in_order(preferred, loaded)


def with_signals_of_texts(
    question: str,
    ranked: list[Ranked],
    texts: Mapping[int, str],
    *,
    is_read: bool,
    owner_names: Iterable[Sequence[str]] = (),
) -> list[Ranked]:
    """Return the candidates with the signals `answer_kind`, `about_other` and, if they are read, `answers`, in their
    new order."""
    telling = ids_telling(question, texts.items())
    if telling:
        ranked = with_signal(ranked, "answer_kind", dict.fromkeys(telling, 1.0))
    others = ids_about_others(question, texts.items(), owner_names)
    if others:
        ranked = with_signal(ranked, "about_other", dict.fromkeys(others, 1.0))
    answers = answers_among(question, ranked, texts, others) if is_read else {}
    return with_signal(ranked, "answers", answers) if answers else ranked


def ids_telling(question: str, texts: Iterable[tuple[int, str]]) -> Set[int]:
    """Return the ids of the texts that contain the kind of answer that the question asks for; none if it asks for
    none."""
    asked = asked_kinds(question)
    return {pk for pk, text in texts if Statement.of(text).told_kinds & asked} if asked else set()


def _in_order(ranked: Iterable[Ranked], loaded: Iterable[Match]) -> list[Match]:
    """Return the loaded matches of the candidates in their order, with the signals that these have now."""
    matches = {match.memory.id: match for match in loaded}
    found = ((item, matches.get(item.candidate.item_id)) for item in ranked)
    return [Match(match.memory, match.cosine, item, passage=match.passage) for item, match in found if match]
