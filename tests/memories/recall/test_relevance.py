"""Tests of the estimates: how probably a question is answered, and each match answers it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.utils import timezone

from memories.access import View
from memories.models import Memory
from memories.recall import relevance
from memories.recall.matches import Match
from memories.recall.names import has_unknown_name
from memories.recall.pipeline import Mode, Query, recall
from memories.recall.ranking import Ranked, rank
from memories.recall.relevance import MIN_CONFIDENCE, Estimate, Precision, estimate
from memories.recall.signals import HYBRID, Candidate
from oauthserver.models import User
from tests.support.embeddings.embedders import use_shipped_model
from tests.support.factories import make_memory, make_user
from tests.support.matches import ranked_candidate

FACTS = (
    "The user's dog is called Mochi and is afraid of thunder",
    "The user lives in Graz, in a flat on Lendkai",
    "Petra, the user's sister, is a midwife in Linz",
    "The user takes 75 µg of levothyroxine every morning",
    "The team meets on Mondays at nine",
    "The user prefers short answers in plain sentences",
    "The car is a 2014 Skoda Octavia",
    "The passport expires on 3 November 2026",
    "Birthday of Jonas: 27 June",
    "The garden needs two apple trees in October",
    "The printer only works over the USB cable",
    "The book club reads The Wall by Marlen Haushofer",
)


def ranked(*candidates: Candidate) -> list[Ranked]:
    return rank(candidates, HYBRID, timezone.now())


def candidate(number: int, similarity: float, words: float = 0.0) -> Candidate:
    return Candidate(number, similarity, similarity, words, session=similarity, stated=1.0)


def match(number: int, *conflicts: int) -> Match:
    return Match(Memory(pk=number), 0.5, ranked_candidate(number), conflicts_with=conflicts)


CLEAR = ranked(candidate(1, 0.8, 1.0), *(candidate(number, 0.2) for number in range(2, 12)))
VAGUE = ranked(*(candidate(number, 0.1) for number in range(1, 12)))


def test_a_match_far_above_the_others_gives_confidence_and_equally_vague_ones_do_not() -> None:
    clear = estimate(CLEAR, CLEAR, relevance.HYBRID, unknown_name=False)
    vague = estimate(VAGUE, VAGUE, relevance.HYBRID, unknown_name=False)
    assert clear.confidence > 0.9
    assert vague.confidence < MIN_CONFIDENCE[Precision.BALANCED]
    assert (clear.relevance[1] > 0.5, clear.relevance[2] < 0.05) == (True, True)


def test_a_name_that_no_memory_mentions_lowers_the_confidence() -> None:
    known, unknown = (estimate(CLEAR, CLEAR, relevance.HYBRID, unknown_name=name).confidence for name in (False, True))
    assert unknown < known


def test_without_candidates_nothing_is_known() -> None:
    nothing = estimate([], [], relevance.HYBRID, unknown_name=False)
    assert (nothing.confidence, nothing.relevance, nothing.keep([], Precision.ALL)) == (0.0, {}, [])


@pytest.mark.parametrize("calibration", [relevance.HYBRID, relevance.SEMANTIC, relevance.KEYWORD])
def test_estimates_are_probabilities_however_extreme_the_candidates_are(calibration: relevance.Calibration) -> None:
    extreme = [ranked(candidate(1, 0.0), candidate(2, 1.5, 1.5)), ranked(candidate(1, 0.0)), ranked(candidate(1, 9e3))]
    for found in extreme:
        estimated = estimate(found, found, calibration, unknown_name=True)
        assert 0 <= estimated.confidence <= 1
        assert all(0 <= value <= 1 for value in estimated.relevance.values())


def test_each_precision_keeps_what_is_relevant_enough() -> None:
    matches = [match(1), match(2), match(3)]
    sure = Estimate(0.9, {1: 0.8, 2: 0.1, 3: 0.001})
    kept = {precision: [each.memory.pk for each in sure.keep(matches, precision)] for precision in Precision}
    assert kept == {Precision.HIGH: [1], Precision.BALANCED: [1, 2], Precision.ALL: [1, 2, 3]}
    assert [each.relevance for each in sure.keep(matches, Precision.ALL)] == [0.8, 0.1, 0.001]
    doubtful = Estimate(0.2, {1: 0.1, 2: 0.01, 3: 0.001})
    kept = {precision: [each.memory.pk for each in doubtful.keep(matches, precision)] for precision in Precision}
    assert kept == {Precision.HIGH: [], Precision.BALANCED: [1, 2], Precision.ALL: [1, 2, 3]}
    assert Estimate(0.01, {1: 0.9, 2: 0.1, 3: 0.001}).keep(matches, Precision.BALANCED) == []


def test_the_best_match_of_a_confident_result_stays() -> None:
    assert [
        each.memory.pk for each in Estimate(0.9, {1: 0.05, 2: 0.04}).keep([match(1), match(2)], Precision.HIGH)
    ] == [1]


def test_a_correction_stays_with_what_it_corrects() -> None:
    kept = Estimate(0.9, {1: 0.8, 2: 0.001, 3: 0.001}).keep([match(2, 1), match(1, 2), match(3)], Precision.HIGH)
    assert [each.memory.pk for each in kept] == [2, 1]


def test_what_is_true_until_a_change_stays_with_the_change() -> None:
    present = replace(match(2), superseded_later_by=1)
    kept = Estimate(0.9, {1: 0.8, 2: 0.001, 3: 0.001}).keep([present, match(1), match(3)], Precision.HIGH)
    assert [each.memory.pk for each in kept] == [2, 1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where does Ragnvald live?", True),
        ("Where does Petra live?", False),
        ("Where does Pétra live?", False),
        ("Ragnvald", False),
        ("what do I like", False),
        ("Does I'm count? I think I do", False),
        ("wo wohnt meine Tante mit dem Hund in der Stadt", False),
        ("Wann hat mein Bruder Ragnvald Geburtstag", False),
    ],
)
def test_unknown_names_are_capitalized_words_that_no_memory_has(text: str, expected: bool) -> None:
    assert has_unknown_name(text, ["petra", "@petra", "lin"]) is expected


# --- Through the pipeline, with the shipped model


@pytest.fixture
def owner(db: None, monkeypatch: pytest.MonkeyPatch) -> User:
    use_shipped_model(monkeypatch)
    user = make_user()
    for fact in FACTS:
        make_memory(user, fact)
    return user


@pytest.mark.parametrize(
    ("question", "answer", "precision"),
    [
        ("What is my dog called?", 0, Precision.HIGH),
        ("When does my passport expire?", 7, Precision.HIGH),
        ("where do I live", 1, Precision.BALANCED),
    ],
)
def test_what_is_known_is_found_without_the_rest(owner: User, question: str, answer: int, precision: Precision) -> None:
    outcome = recall(View.whole(owner.pk), Query(question, precision=precision))
    assert outcome.matches[0].memory.text == FACTS[answer]
    assert outcome.confidence >= MIN_CONFIDENCE[precision]
    assert len(outcome.matches) < len(recall(View.whole(owner.pk), Query(question)).matches)


@pytest.mark.parametrize(
    "question", ["Who won the chess game against Ragnvald?", "Which hotel in Edinburgh did we book?"]
)
def test_what_is_unknown_is_not_found(owner: User, question: str) -> None:
    outcome = recall(View.whole(owner.pk), Query(question, precision=Precision.BALANCED))
    assert (outcome.matches, outcome.confidence < 0.09) == ([], True)
    assert len(outcome.near_misses) == 5
    assert len(recall(View.whole(owner.pk), Query(question)).matches) == 8


@pytest.mark.parametrize(
    "question", ["Welches Hotel in Edinburgh haben wir gebucht?", "¿Qué hotel reservamos en Edimburgo?"]
)
def test_in_other_languages_balanced_leaves_nothing_out(owner: User, question: str) -> None:
    outcome = recall(View.whole(owner.pk), Query(question, precision=Precision.BALANCED))
    assert len(outcome.matches) == 8
    assert outcome.confidence < 0.5
    assert recall(View.whole(owner.pk), Query(question, precision=Precision.HIGH)).matches == []


@pytest.mark.parametrize("mode", [Mode.SEMANTIC, Mode.KEYWORD])
def test_where_the_estimates_are_rough_balanced_leaves_nothing_out(owner: User, mode: Mode) -> None:
    question = "Which hotel in Graz did we book?"
    balanced, every = (
        recall(View.whole(owner.pk), Query(question, mode=mode, precision=precision))
        for precision in (Precision.BALANCED, Precision.ALL)
    )
    assert [each.memory.pk for each in balanced.matches] == [each.memory.pk for each in every.matches]
    assert balanced.matches
    assert balanced.confidence == every.confidence
