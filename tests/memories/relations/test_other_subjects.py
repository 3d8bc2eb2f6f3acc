"""Tests that a change corrects only what it is about, not everything that is said about the same person or place."""

from __future__ import annotations

import pytest

from memories.relations.comparison import are_about_different_people, corrects
from memories.relations.statements import Statement

of = Statement.of


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Priya moved to Ghent in March 2025.", "Priya now works at the hospital in Ghent."),
        (
            "The user moved to Ghent in March 2025; she no longer lives in Bruges.",
            "User now works as a baker in Ghent.",
        ),
        ("I live in Ghent, near the canal.", "I was hired by the canal museum."),
        ("The user's uncle Rolf moved to Ghent.", "Rolf no longer rows in Bruges; he has joined a club in Ghent."),
        ("The user's uncle Rolf is a baker in Ghent.", "Rolf no longer rows in Bruges; he has joined a club in Ghent."),
    ],
)
def test_a_change_of_something_else_in_the_same_place_corrects_nothing(older: str, newer: str) -> None:
    assert not corrects(of(newer), of(older), 0.69)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Priya lives in Ghent.", "Priya no longer lives in Ghent."),
        ("I live in a flat in Ghent.", "I have moved out of the flat in Ghent."),
        ("Priya works as a nurse in Ghent.", "Priya no longer works as a nurse: she retired."),
        ("Priya works at the hospital in Ghent.", "Priya has left the hospital in Ghent."),
        ("I live in Ghent and work for the canal museum.", "I no longer work for the canal museum."),
    ],
)
def test_a_change_of_the_same_thing_in_the_same_place_is_a_correction(older: str, newer: str) -> None:
    assert corrects(of(newer), of(older), 0.6)


@pytest.mark.parametrize(
    "newer",
    [
        "Priya no longer eats sugar.",
        "Priya is no longer a vegetarian.",
        "Priya has changed schools; she now goes to the academy.",
        "Priya eats meat again since October 2026.",
        "The user's aunt Priya has stopped smoking.",
        "Priya isst keinen Zucker mehr.",
    ],
)
@pytest.mark.parametrize("older", ["Priya does not like coriander.", "The user's aunt Priya rides a tandem."])
def test_what_somebody_does_corrects_nothing_else_about_them(older: str, newer: str) -> None:
    assert not corrects(of(newer), of(older), 0.69)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Priya does not like coriander.", "Priya likes coriander a lot now."),
        ("The user's aunt Priya rides a tandem.", "Priya has sold the tandem."),
        ("Priya has harp lessons on Tuesdays.", "Priya has given up the harp and now plays the tuba."),
        ("Priya is at the potter's wheel on Tuesdays.", "Priya has stopped going to the potter's wheel."),
        ("Netlify hosts the blog.", "Netlify is no longer used."),
        ("Netlify hosts the blog.", "Netlify was replaced."),
        ("The brass band rehearses on Fridays at 7.", "Band practice is pushed back to 7.30 for now."),
    ],
)
def test_what_somebody_does_corrects_what_it_is_about(older: str, newer: str) -> None:
    assert corrects(of(newer), of(older), 0.6)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("My mother Ingrid lives in a care home in Bredstedt.", "The user's mother Ingrid died on 3 October 2026."),
        ("Our dog Rex gets a pill every morning.", "Rex died last week."),
        ("Unser Hund Rex bekommt morgens eine Tablette.", "Unser Hund Rex ist gestorben, er hat jetzt Ruhe."),
    ],
)
def test_a_death_corrects_what_is_said_about_the_dead(older: str, newer: str) -> None:
    assert corrects(of(newer), of(older), 0.6)


@pytest.mark.parametrize(
    "newer",
    [
        "I no longer sing in the chapel choir after the spring concert; I have joined a band.",
        "I have stopped singing in the chapel choir before the spring concert.",
    ],
)
def test_what_tells_the_time_of_a_change_is_not_corrected(newer: str) -> None:
    assert not corrects(of(newer), of("The spring concert is on 19 April at 17:00."), 0.69)
    assert corrects(of(newer), of("I sing alto in the chapel choir."), 0.6)


def test_an_event_is_corrected_although_another_one_tells_its_time() -> None:
    newer = of("The rehearsal is postponed to the week after the spring concert.")
    assert corrects(newer, of("The rehearsal is in the week before the spring concert."), 0.7)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Gran's GP is Dr Roth at Park Surgery, tel. 01246 555 0142.", "Dr Roth doubled Gran's candesartan to 16 mg."),
        ("Nan's GP is Dr Lindqvist at Park Surgery.", "Dr Lindqvist has stopped Nan's statins."),
        ("Our vet is Mr Harlow at Green Lane.", "Mr Harlow has changed Mochi's food."),
        ("My physio at Green Lane is called Anna.", "The physio at Green Lane has changed my exercises."),
    ],
)
def test_who_has_changed_something_is_not_what_has_changed(older: str, newer: str) -> None:
    assert not corrects(of(newer), of(older), 0.6)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Gran takes candesartan 8 mg in the evening.", "Dr Roth doubled Gran's candesartan to 16 mg."),
        ("The staircase for the Patels is due on 20 April.", "Mrs Patel rang: the stairs can wait until 11 May."),
    ],
)
def test_what_somebody_has_changed_or_says_is_a_correction(older: str, newer: str) -> None:
    assert corrects(of(newer), of(older), 0.6)


def test_now_and_then_is_no_change() -> None:
    assert not of("I don't eat meat, though I do have fish now and then.").may_correct
    assert of("I eat fish now.").may_correct


@pytest.mark.parametrize(
    ("first", "second", "are_different"),
    [
        ("Ada has coeliac disease, so no gluten.", "Ben eats gluten-free at home out of solidarity with Ada.", True),
        ("Ada has coeliac disease, so no gluten.", "Ada eats gluten again.", False),
        ("Ada leads the choir.", "Ben leads the choir.", False),
        ("Ada cooks on Mondays.", "Ben now cooks on Mondays instead of Ada.", False),
        ("Studio rent is 285 euros.", "Studio rent rises to 310 euros.", False),
    ],
)
def test_what_somebody_does_for_another_one_is_not_about_them(first: str, second: str, are_different: bool) -> None:
    assert are_about_different_people(of(first), of(second)) == are_different
    assert are_about_different_people(of(second), of(first)) == are_different
