"""Tests of the names in a question."""

from __future__ import annotations

import pytest

from memories.access import View
from memories.recall.filters import RecallFilters
from memories.recall.keywords import load_question_terms
from memories.recall.names import MAX_NAMES, MAX_UNCAPITALIZED, MOST_SEARCHED_FOR_LINES, possible_names
from memories.recall.pipeline import Query, recall
from oauthserver.models import User
from tests.support.factories import make_memory, make_user


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


def names(user: User, question: str) -> dict[str, list[str]]:
    return dict(load_question_terms(RecallFilters(View.whole(user.pk)), question).names)


# --- Words that may be names


def test_titles_and_single_letters_are_no_names() -> None:
    assert possible_names("Did Mr. Darcy and I, or Dr. O'Neill, meet Jean-Luc and Åsa?") == [
        "Did", "Darcy", "Neill", "Jean-Luc", "Åsa",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("where does ada live?", ["where", "does", "ada", "live"]),
        ("Where does ada live?", ["Where", "does", "ada", "live"]),
        ("Where does Ada live?", ["Where", "Ada"]),
        ("where does Ada live?", ["Ada"]),
        ("mr. darcy's 2 houses, 茶 and a", ["darcy", "houses", "and"]),
        ("Please draft a mail to Ada", ["Ada"]),
        ("Plan me a dinner", ["me", "dinner"]),
        ("What's on from 11 May, and in June?", ["What", "on", "from", "and", "in"]),
        ("Where did May and April meet June?", ["Where", "May", "April", "June"]),
        ("", []),
    ],
)
def test_all_words_may_be_names_where_only_the_first_has_a_capital(question: str, words: list[str]) -> None:
    assert possible_names(question) == words


def test_a_bounded_number_of_words_is_looked_up() -> None:
    words = [f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    assert len(possible_names(" ".join(words))) == MAX_UNCAPITALIZED
    assert len(possible_names(" ".join(word.title() for word in words))) == MAX_NAMES


# --- Words that are names


def test_names_are_the_words_with_a_capital_that_lines_begin_with(owner: User) -> None:
    make_memory(owner, "Mary Ann: I bought a boat in Lyon")
    words = load_question_terms(RecallFilters(View.whole(owner.pk)), "What did Mary Ann's brother see in Lyon?")
    assert words.names == {"Mary": ["mari"], "Ann": ["ann"]}
    assert words.name_weights == {"mari": 0.5, "ann": 0.5, "@mari": 1.0, "@ann": 1.0}


def test_a_name_is_known_without_its_capital(owner: User) -> None:
    make_memory(owner, "Mary: I moved to Lyon")
    make_memory(owner, "Mary: the boat is mine")
    make_memory(owner, "Lyon is on two rivers, says Mary")
    assert names(owner, "where did mary's boat come from?") == {"mary": ["mari"]}
    assert names(owner, "Where does mary live?") == {"mary": ["mari"]}


@pytest.mark.parametrize("question", ["Is the user vegan?", "What is the user's address?", "Ist der Nutzer vegan?"])
def test_what_assistants_call_the_owner_is_no_name(owner: User, question: str) -> None:
    for text in ("User: I am vegan", "User: I live in Lyon", "Nutzer: ich bin vegan", "Nutzer: gern"):
        make_memory(owner, text)
    assert names(owner, question) == {}


def test_a_note_about_somebody_is_no_line_of_a_conversation(owner: User) -> None:
    make_memory(owner, "Mary's address: Rue Mercière 3, Lyon")
    make_memory(owner, "Mary’s shoe size: 38")
    assert names(owner, "Where does Mary live?") == {}
    make_memory(owner, "Mary: it's my address")
    assert names(owner, "Where does Mary live?") == {"Mary": ["mari"]}


def test_whom_sentences_are_about_is_no_name(owner: User) -> None:
    for text in ("Mary moved to Lyon", "Mary has a boat", "Mary calls at 10:30", "Mary likes\nthese: figs"):
        make_memory(owner, text)
    assert names(owner, "Where does Mary live?") == {}
    assert names(owner, "where does mary live?") == {}


def test_a_line_among_sentences_makes_a_name(owner: User) -> None:
    for number in range(MOST_SEARCHED_FOR_LINES - 1):
        make_memory(owner, f"Mary has {number} boats")
    make_memory(owner, "Mary: I moved to Lyon")
    assert names(owner, "Where does Mary live?") == {"Mary": ["mari"]}


def test_a_memory_about_whom_a_question_in_lower_case_names_comes_first(owner: User) -> None:
    make_memory(owner, "Bruno: I swam in the sea with Ada")
    make_memory(owner, "Ada: I swam in the lake")
    make_memory(owner, "Ada: it was cold")
    (match,) = recall(View.whole(owner.pk), Query("where did ada swim", limit=1)).matches
    assert match.memory.text == "Ada: I swam in the lake"


def test_a_word_that_begins_one_memory_or_few_of_those_with_it_is_no_name_without_a_capital(owner: User) -> None:
    make_memory(owner, "Lyon: on two rivers")
    for number in range(2):
        make_memory(owner, f"Coffee: in drawer {number}")
        make_memory(owner, f"Ada drinks coffee with {number} of milk")
        make_memory(owner, f"Ada bought coffee in shop {number}")
    assert names(owner, "is there coffee in lyon?") == {}


def test_a_verb_that_memories_begin_with_is_no_name(owner: User) -> None:
    for number in range(3):
        make_memory(owner, f"Prefers: tea number {number}")
    assert names(owner, "which tea does she prefer?") == {}


def test_a_name_with_a_capital_leaves_the_other_words_alone(owner: User) -> None:
    for number in range(2):
        make_memory(owner, f"Ada: I have {number} boats")
        make_memory(owner, f"Mary: I have {number} boats")
    assert names(owner, "Ada and mary: who has a boat?") == {"Ada": ["ada"]}


def test_nobody_out_of_view_is_known(owner: User) -> None:
    other = make_user()
    for number in range(2):
        make_memory(other, f"Ada: I have {number} boats")
        make_memory(owner, f"Mary: I have {number} boats", tags=("work",))
    assert names(owner, "has ada a boat?") == {}
    assert dict(load_question_terms(RecallFilters(View(owner.pk, ("home",))), "has mary a boat?").names) == {}
