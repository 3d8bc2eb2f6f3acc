"""Tests of memories that are about another subject than the question."""

from __future__ import annotations

import pytest

from memories.access import View
from memories.recall.other_subjects import ids_about_others
from memories.recall.pipeline import Query, recall
from memories.recall.signals import HYBRID
from tests.support.embeddings.embedders import use_shipped_model
from tests.support.factories import make_memory, make_user

OWNER_NAMES = [["hannah", "whitfield"]]


def is_about_other(question: str, text: str) -> bool:
    """Return whether the text is about another subject than the question. The owner is called Hannah."""
    return bool(ids_about_others(question, [(1, text)], OWNER_NAMES))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is Ben's shoe size?", "Ada's shoe size is 38."),
        ("What is Ben's shoe size?", "Thomas' shoe size is 44."),
        ("Who made Ben's cake?", "Ada's cake was made by Mr Ogden."),
        ("Is Ben allergic to nuts?", "Ada is allergic to nuts."),
        ("Ben's birthday?", "Ada (my sister) was born on 3 May."),
        ("What is Ben's shoe size?", "Ben's ring size is 54."),
        ("What is my mum's phone number?", "Mum's house number is 14."),
        ("How much did the camera cost?", "I traded my camera in for a newer model."),
        ("How much did the Z8 cost?", "I traded in one of the cameras for a Nikon Z8."),
        ("What is Ben's phone number?", "Ben's phone is always on silent."),
        ("What is Ben's email address?", "Ben answers email at night."),
        ("How old is Ben?", "Ben plays the cello."),
        ("At what time does the shop open?", "The shop opens on Monday."),
        ("Wie viel kostet die Kamera?", "Die Kamera ist eine Nikon."),
        ("Which car do I drive?", "I used to drive a Citroën."),
        ("What is my shoe size?", "Theo takes a size 13 shoe."),
        ("How old is the user?", "Margaret is 73."),
        ("Am I allergic to nuts?", "Callum is allergic to nuts."),
        ("Wann hat Tobias Geburtstag?", "Renates Geburtstag: 22. Jänner"),
        ("Wann hat Tobias Geburtstag?", "Anna hat am 3. Juni Geburtstag."),
        ("Was ist Renates Lieblingsfarbe?", "Omas Lieblingsfarbe ist blau."),
    ],
)
def test_a_memory_about_somebody_or_something_else_is_recognized(question: str, text: str) -> None:
    assert is_about_other(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is Ben's shoe size?", "Ben's shoe size is 38."),
        ("What is Ben's shoe size?", "Ben takes a size 38 in shoes."),
        ("What does Ben do for a living?", "My husband works as a nurse."),
        ("What does Ben do for a living?", "Ada's husband works as a nurse."),
        ("Who teaches Ada the drums?", "Mr Ogden is the drum teacher of my daughter."),
        ("Who is Ada's sister?", "Ben's wife is the sister of Ada."),
        ("What is my shoe size?", "My shoe size is 38."),
        ("What is my shoe size?", "Hannah takes a size 6 shoe."),
        ("When is my daughter's birthday?", "Maya was born on 14 March."),
        ("Where do I park at the office?", "Dev parks behind the office."),
        ("When is my dentist appointment?", "Dental appointment on 3 May"),
        ("Which phone number has the vet?", "Number of the vet: 0316 775533, phone or text"),
        ("How much did the camera cost?", "The camera cost nine hundred pounds."),
        ("How old is Ben?", "Ben was born in May."),
        ("How old is Ben?", "Ben is eleven."),
        ("At what time does the shop open?", "The shop opens at noon."),
        ("Which car did I drive before?", "I used to drive a Citroën."),
        ("Where does Ben park?", "Parking is only allowed on Elm Street."),
        ("Wann hat Tobias Geburtstag?", "Meine Frau hat am 1. Mai Geburtstag."),
        ("Wann hat der Installateur Zeit?", "Lukas hat am Montag Training."),
    ],
)
def test_what_may_answer_the_question_is_not_taken_for_something_else(question: str, text: str) -> None:
    assert not is_about_other(question, text)


def test_without_the_name_of_the_owner_anybody_may_be_the_owner() -> None:
    assert not ids_about_others("What is my shoe size?", [(1, "Theo takes a size 13 shoe.")])


@pytest.mark.django_db
def test_what_is_about_somebody_else_ranks_lower_and_makes_the_result_less_certain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_shipped_model(monkeypatch)
    owner = make_user()
    view = View.whole(owner.pk)
    for text in ("Ada's shoe size is 38.", "Ben plays the cello.", "The lawn was mown on Monday."):
        make_memory(owner, text)
    known, unknown = (recall(view, Query(f"What is {name}'s shoe size?")) for name in ("Ada", "Ben"))
    about_ada = [next(match for match in each.matches if "Ada" in match.memory.text) for each in (known, unknown)]
    assert [match.parts["about_other"] for match in about_ada] == [0, HYBRID["about_other"]]
    assert [match.parts["answers"] > 0 for match in about_ada] == [True, False]
    assert about_ada[0].relevance > 2 * about_ada[1].relevance
    assert known.confidence > 0.9
    assert unknown.confidence < 0.6
