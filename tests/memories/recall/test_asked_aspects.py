"""Tests of memories that tell the aspect of the owner that a question asks about, in other words."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from memories.access import View
from memories.recall.asked_aspects import LEAST_RELEVANCE
from memories.recall.pipeline import Mode, Query, RecallOutcome, recall
from memories.recall.relevance import Precision
from memories.recall.signals import HYBRID
from memories.writing.lifecycle import forget_memory
from oauthserver.models import User
from tests.support.factories import actor_for, make_memory, make_user

pytestmark = pytest.mark.django_db

DINNER = "Recommend a dinner for all of us"
COELIAC = "Maya has coeliac disease, so strictly no gluten."
LIMIT = 8


@pytest.fixture
def owner() -> User:
    return make_user()


def asked(owner: User, question: str, **query: object) -> list[str]:
    """Return the texts that a question finds."""
    return [match.memory.text for match in outcome_of(owner, question, **query).matches]


def outcome_of(owner: User, question: str, **query: object) -> RecallOutcome:
    """Return the outcome of a question."""
    values = {"limit": LIMIT, "precision": Precision.BALANCED} | query
    return recall(View.whole(owner.pk), Query(question, **values))  # type: ignore[arg-type]


def test_who_asks_for_a_dinner_hears_who_must_not_eat_what(owner: User) -> None:
    for number in range(3 * LIMIT):
        make_memory(owner, f"A dinner for all of us in restaurant {number}")
    for text in (COELIAC, "Dev is lactose intolerant.", "I am vegetarian.", "Mum takes donepezil 5 mg in the evening."):
        make_memory(owner, text)
    found = asked(owner, DINNER)
    assert len(found) == LIMIT
    assert {COELIAC, "Dev is lactose intolerant.", "I am vegetarian."} <= set(found)
    assert found[0].startswith("A dinner")
    assert "Mum takes donepezil 5 mg in the evening." not in found


def test_at_most_half_of_the_matches_are_found_for_their_aspect_alone(owner: User) -> None:
    for number in range(2 * LIMIT):
        make_memory(owner, f"A dinner for all of us in restaurant {number}")
        make_memory(owner, f"Person{number} is allergic to peanuts.")
    found = asked(owner, DINNER)
    assert [text.startswith("A dinner") for text in found[: LIMIT // 2]] == [True] * (LIMIT // 2)
    assert len(found) == LIMIT


def test_the_signal_is_shown_and_the_match_is_relevant(owner: User) -> None:
    make_memory(owner, COELIAC)
    make_memory(owner, "The dinner table was made in Leeds.")
    matches = {match.memory.text: match for match in outcome_of(owner, DINNER, precision=Precision.ALL).matches}
    assert matches[COELIAC].parts["aspect"] == HYBRID["aspect"]
    assert matches[COELIAC].relevance >= LEAST_RELEVANCE
    assert matches["The dinner table was made in Leeds."].parts["aspect"] == 0


def test_the_allergies_of_others_do_not_answer_for_a_named_person(owner: User) -> None:
    for number in range(2 * LIMIT):
        make_memory(owner, f"Theo has a dinner in restaurant {number}")
    make_memory(owner, COELIAC)
    assert COELIAC not in asked(owner, "Which dinner is safe for Theo?")


def test_of_homes_only_that_of_the_owner_counts(owner: User) -> None:
    make_memory(owner, "My name is Ruth.")
    for text in ("Ruth lives in Kiel.", "I live at 3 Elm Road.", "Ada lives in Graz."):
        make_memory(owner, text)
    matches = outcome_of(owner, "Where do I live?", precision=Precision.ALL).matches
    told = {match.memory.text for match in matches if match.parts["aspect"]}
    assert told == {"Ruth lives in Kiel.", "I live at 3 Elm Road."}


def test_what_is_forgotten_or_somebody_elses_is_not_found(owner: User) -> None:
    forgotten = make_memory(owner, COELIAC)
    forget_memory(actor_for(owner), forgotten.pk)
    make_memory(make_user(), "Dev is lactose intolerant.")
    make_memory(owner, "The lawn was mown.", tags=["garden"])
    assert asked(owner, DINNER, precision=Precision.ALL) == ["The lawn was mown."]
    make_memory(owner, "Nina is allergic to nuts.", tags=["school"])
    assert asked(owner, DINNER, precision=Precision.ALL, tags=["garden"]) == ["The lawn was mown."]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("question", "mode", "queries"),
    [(DINNER, Mode.HYBRID, 5), ("tea", Mode.HYBRID, 4), (DINNER, Mode.KEYWORD, 2), (DINNER, Mode.SEMANTIC, 1)],
)
def test_a_question_about_an_aspect_takes_one_more_query(
    question: str, mode: Mode, queries: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    owner = make_user()
    make_memory(owner, "Ada has tea.")
    outcome_of(owner, question, mode=mode)
    with django_assert_num_queries(queries):
        outcome_of(owner, question, mode=mode)
