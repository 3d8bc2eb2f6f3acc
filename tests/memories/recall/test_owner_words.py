"""Tests of questions about "the user" or the owner by name, which are embedded as the owner would ask them."""

from __future__ import annotations

import pytest

from memories.access import View
from memories.recall.filters import RecallFilters
from memories.recall.keywords import load_question_terms
from memories.recall.owner_words import about_the_user, in_first_person
from memories.recall.pipeline import Mode, Query, recall
from oauthserver.models import User
from tests.support.factories import make_memory, make_user


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("Is the user allergic to nuts?", "am I allergic to nuts?"),
        ("What does the user eat?", "What do I eat?"),
        ("Where did this user live before?", "Where did I live before?"),
        ("Has the user paid the user's taxes?", "have I paid my taxes?"),
        ("user’s shoe size", "my shoe size"),
        ("Who works with the user on bells?", "Who works with me on bells?"),
        ("What the user likes", "What I likes"),
        ("Which index does the user table have?", "Which index does the user table have?"),
        ("How many users are there?", "How many users are there?"),
        ("Where do I live?", "Where do I live?"),
        ("", ""),
    ],
)
def test_the_user_is_the_one_who_asks(asked: str, meant: str) -> None:
    assert in_first_person(asked) == meant


@pytest.mark.django_db
def test_both_ways_to_ask_find_the_same_meaning() -> None:
    owner = make_user()
    make_memory(owner, "User repairs bells")
    make_memory(owner, "I do not eat nuts")
    both = [
        [(match.memory.text, match.cosine) for match in recall(View.whole(owner.pk), query).matches]
        for query in (
            Query("what does the user repair", mode=Mode.SEMANTIC),
            Query("what do I repair", mode=Mode.SEMANTIC),
        )
    ]
    assert both[0] == both[1]
    assert len(both[0]) == 2


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("Where does Ruth live?", "Where does the user live?"),
        ("What is Ruth's shoe size?", "What is the user's shoe size?"),
        ("Ruth’s dentist", "the user’s dentist"),
        ("When did Ruth Callaghan marry?", "When did the user marry?"),
        ("When did RUTH CALLAGHAN marry?", "When did the user marry?"),
        ("Where does Ruth Miller live?", "Where does Ruth Miller live?"),
        ("Where does Mr Callaghan live?", "Where does Mr Callaghan live?"),
        ("Who is Anne-Ruth?", "Who is Anne-Ruth?"),
        ("Is that ruth or mercy?", "Is that ruth or mercy?"),
    ],
)
def test_the_owner_by_name_is_the_user(asked: str, meant: str) -> None:
    assert about_the_user(asked, [("ruth", "callaghan")]) == meant


def test_a_name_may_contain_any_characters() -> None:
    assert about_the_user("Where does O'Brien (Jr) live?", [("o'brien", "(jr)")]) == "Where does the user live?"


def ids(owner: User, question: str) -> list[int]:
    return [match.memory.id for match in recall(View.whole(owner.pk), Query(question)).matches]


@pytest.mark.django_db
def test_memories_that_say_i_answer_questions_that_name_the_owner() -> None:
    owner = make_user()
    size = make_memory(owner, "My shoe size is 39").pk
    make_memory(owner, "Ruth prefers tea")
    make_memory(owner, "Ruth prefers trains")
    question = "What is Ruth's shoe size?"

    def similarity() -> float:
        found = recall(View.whole(owner.pk), Query(question)).matches
        return next(match.parts["similarity"] for match in found if match.memory.id == size)

    before = similarity()
    make_memory(owner, "My name is Ruth Callaghan")
    assert similarity() > before
    assert ids(owner, question)[0] == size


@pytest.mark.django_db
def test_the_name_of_the_owner_is_learned_in_the_view_only() -> None:
    owner = make_user()
    make_memory(make_user(), "My name is Ada Berg")
    make_memory(owner, "My name is Ruth Callaghan", tags=("home",))

    def names(view: View, question: str) -> list[tuple[str, ...]]:
        return [tuple(each) for each in load_question_terms(RecallFilters(view), question).owner_names]

    assert names(View.whole(owner.pk), "Where does Ruth live?") == [("ruth", "callaghan")]
    assert names(View(owner.pk, ("work",)), "Where does Ruth live?") == []


@pytest.mark.django_db
def test_a_speaker_of_stored_lines_is_not_replaced() -> None:
    owner = make_user()
    make_memory(owner, "My name is Ruth")
    line = make_memory(owner, "Ruth: I prefer tea").pk
    make_memory(owner, "Ada: I prefer tea")
    assert ids(owner, "What does Ruth prefer?")[0] == line


@pytest.mark.django_db
@pytest.mark.parametrize(("text", "names"), [("Name: Mochi", []), ("My name is Mochi", [("mochi",)])])
def test_a_name_without_its_bearer_is_not_the_owners(text: str, names: list[tuple[str, ...]]) -> None:
    owner = make_user()
    make_memory(owner, text)
    terms = load_question_terms(RecallFilters(View.whole(owner.pk)), "What does Mochi eat?")
    assert [tuple(each) for each in terms.owner_names] == names
