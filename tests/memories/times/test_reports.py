"""Tests of dates in sentences in the past tense."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.memories.times.support import named_days, stated_limits

SAID = datetime(2026, 11, 28, 14, tzinfo=UTC)  # A Saturday.


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Shot the Marsh family on Wednesday.", 25),
        ("- Shot the Marsh family on Wednesday.", 25),
        ("Hannah shot the Marsh family on Wednesday.", 25),
        ("Met Joe on Tuesday.", 24),
        ("Saw the new film on Friday with Dev.", 27),
        ("I went to the dentist on Thursday.", 26),
        ("Had lunch with Mum, Dev and the kids on Sunday.", 22),
        ("We finished the album on Monday.", 23),
        ("Sent the contract to Fiona on Thursday.", 26),
        ("Signed the lease on Monday.", 23),
        ("I went to the dentist, the one in Totley, on Thursday.", 26),
        ("Habe am Mittwoch die Familie Marsh fotografiert.", 25),
        ("Am Freitag haben wir Paul getroffen.", 27),
        ("Habe die Steuererklärung am Montag abgegeben.", 23),
        ("Finally fixed the shower on Saturday.", 21),
        ("War am Dienstag beim Zahnarzt.", 24),
        ("J'ai rencontré Paul mercredi.", 25),
        ("On a fini le mur lundi.", 23),
        ("Vi a Marta el miércoles.", 25),
        ("Terminé el álbum el lunes.", 23),
        ("El lunes terminé la mudanza.", 23),
        ("Ho visto Paolo mercoledì.", 25),
        ("Siamo andati al cinema sabato.", 21),
    ],
)
def test_what_happened_was_on_the_latest_such_weekday(text: str, day: int) -> None:
    assert named_days(text, SAID) == [f"2026-11-{day}"]
    assert stated_limits(text, SAID) == (None, None)


@pytest.mark.parametrize(
    "text",
    [
        "Bought flowers for the wedding on Saturday.",
        "Beth said the party is on Saturday.",
        "I got it for Friday",
        "The bin is emptied on Friday.",
    ],
)
def test_a_weekday_beside_a_verb_about_something_to_come_is_uncertain(text: str) -> None:
    assert named_days(text, SAID) == []


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("Flu shot on Wednesday at 9.", "12-02"),
        ("Booked the dentist for Friday.", "12-04"),
        ("Old kitchen gets ripped out on Monday, the skip arrives at 7:30.", "11-30"),
        ("Haben am Freitag einen Termin beim Notar.", "12-04"),
    ],
)
def test_what_looks_like_a_report_may_be_to_come(text: str, limit: str) -> None:
    assert stated_limits(text, SAID) == (limit, limit)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Shot the session on Wednesday. 34 keepers, gallery promised by 9 December.", ["2026-11-25", "2026-12-09"]),
        ("Hamster ordered from the shop, pick-up 23 December. Name still open.", ["2026-12-23"]),
        ("Marek can't start until 30 November because the units were late.", ["2026-11-30"]),
        ("I've deferred the half and entered the 10K on 16 May instead.", ["2027-05-16"]),
        ("Had my hair cut at Wigs on 14 November.", ["2026-11-14"]),
        ("Boiler was serviced, British Gas, 5 November, £96.", ["2026-11-05"]),
        ("Abbiamo visto l'appartamento giovedì, risposta entro lunedì.", ["2026-11-26", "2026-11-30"]),
        ("Blood test done on Monday, results due on 7 December.", ["2026-11-23", "2026-12-07"]),
        ("Le plombier est passé jeudi, il revient mardi.", ["2026-11-26", "2026-12-01"]),
        ("Tom cancelled Tuesday's squash, we play on Thursday instead.", ["2026-12-03"]),
        ("We met on 20 December.", ["2025-12-20"]),
    ],
)
def test_a_date_of_a_clause_in_another_tense_is_the_nearest_one(text: str, days: list[str]) -> None:
    assert named_days(text, SAID) == days
    assert stated_limits(text, SAID)[1] is None


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("The session got rained off on the 8th, so it's now going to be 6 December at 10am, same place.", "12-06"),
        ("The viewing was cancelled on Monday, so it's now on Friday 4 December.", "12-04"),
        ("Der Termin am 3. fiel aus, jetzt ist er am 10. Dezember um 9 Uhr.", "12-10"),
    ],
)
def test_of_two_days_the_one_that_is_now_meant_counts(text: str, limit: str) -> None:
    assert stated_limits(text, SAID) == (limit, limit)
    assert named_days(text, SAID) == [f"2026-{limit}"]


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("School photo day is Tuesday", "12-01"),
        ("Kids are with their dad on the 6th.", "12-06"),
        ("Mum's birthday lunch is Sunday at 1pm at the Plough.", "11-29"),
        ("Der Fototag ist Dienstag.", "12-01"),
        ("I'm in Leeds on the 2nd", "12-02"),
        ("Ich bin am 2. in Leeds.", "12-02"),
        ("Je suis à Lyon le 2.", "12-02"),
        ("Estoy en Sevilla el 2.", "12-02"),
        ("Sono a Torino il 2.", "12-02"),
    ],
)
def test_short_notes_name_a_day(text: str, limit: str) -> None:
    assert stated_limits(text, SAID) == (limit, limit)


@pytest.mark.parametrize(
    "text",
    [
        "Bin day is Tuesday.",
        "The cleaner is Tuesday.",
        "Our standing call is Monday at 9.",
        "My office is in Leeds on the 2nd floor.",
    ],
)
def test_short_notes_about_routines_and_floors_name_none(text: str) -> None:
    assert named_days(text, SAID) == []


@pytest.mark.parametrize(
    "text",
    [
        *("Sarah visits for the weekend of the 12th.", "We're camping the weekend of 12 December."),
        *("Wochenende vom 12. Dezember: Skifahren.", "Le week-end du 12 décembre, on va à Lille."),
        *("El fin de semana del 12 de diciembre vamos a Toledo.", "We're camping the weekend of 14 December."),
        *("Nel fine settimana del 12 dicembre andiamo a Siena.", "We're camping the weekend of 10 December."),
    ],
)
def test_the_weekend_of_a_day_has_two_days(text: str) -> None:
    assert stated_limits(text, SAID) == ("12-12", "12-13")


def test_a_sentence_may_report_and_announce() -> None:
    text = "Haben am Samstag die Waschmaschine gekauft, geliefert wird sie am Donnerstag."
    assert named_days(text, SAID) == ["2026-11-21", "2026-12-03"]
    assert stated_limits(text, SAID) == ("12-03", "12-03")
