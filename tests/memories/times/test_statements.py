"""Tests of the periods for which statements hold."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from benchmarks.dates import DATES, period_of
from memories.times.statements import READ_CHARS, stated_period
from tests.memories.times.support import stated_limits

SAID = datetime(2026, 5, 6, 9, tzinfo=UTC)
STATEMENTS: list[dict[str, Any]] = json.loads(DATES.read_text(encoding="utf-8"))["statements"][::2]


@pytest.mark.parametrize("item", STATEMENTS, ids=lambda item: item["text"])
def test_a_statement_holds_for_the_period_that_it_says(item: dict[str, str]) -> None:
    assert period_of(item) == (item.get("from"), item.get("until"))


def test_a_day_ends_at_midnight_where_the_owner_lives() -> None:
    stated = stated_period("Dentist tomorrow", SAID.astimezone(ZoneInfo("Europe/Berlin")))
    assert stated is not None
    assert stated.valid_from == datetime(2026, 5, 6, 22, tzinfo=UTC)
    assert stated.valid_until == datetime(2026, 5, 7, 21, 59, 59, tzinfo=UTC)


def test_tomorrow_is_reckoned_where_the_owner_lives() -> None:
    late = datetime(2026, 5, 6, 23, tzinfo=UTC)
    stated = stated_period("Dentist tomorrow", late.astimezone(ZoneInfo("Europe/Berlin")))
    assert stated is not None
    assert stated.days == [(date(2026, 5, 8), date(2026, 5, 9))]


def days_of(text: str) -> list[tuple[date, date]]:
    stated = stated_period(text, SAID)
    return list(stated.days) if stated else []


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("We moved on 3 May 2024.", [(date(2024, 5, 3), date(2024, 5, 4))]),
        ("I met Okan yesterday.", [(date(2026, 5, 5), date(2026, 5, 6))]),
        (
            "Notes: Sanjay writes the chapter, due 20 May; review on 28 May; the gauge is fine.",
            [(date(2026, 5, 20), date(2026, 5, 21)), (date(2026, 5, 28), date(2026, 5, 29))],
        ),
        ("The lift is out of order until Friday.",
         [(date(2026, 5, 6), date(2026, 5, 9)), (date(2026, 5, 8), date(2026, 5, 9))]),
        ("The voucher is valid until 31 December 2026.", [(date(2026, 12, 31), date(2027, 1, 1))]),
        ("Every Friday is pizza day.", []),
        ("Birthday Petra: 11 August", []),
    ],
)  # fmt: skip
def test_the_days_that_a_text_names(text: str, days: list[tuple[date, date]]) -> None:
    assert days_of(text) == days


@pytest.mark.parametrize(
    "text",
    [
        "The plumber comes on Friday 15 May instead of Monday.",
        "The plumber is not coming on Monday but on Friday 15 May.",
        "The plumber comes on 15 May, not on 11 May.",
        "Der Installateur kommt nicht am Montag, sondern am 15. Mai.",
        "Der Installateur kommt am 15. Mai statt am 11. Mai.",
        "Le plombier ne vient pas lundi prochain mais le 15 mai.",
        "Le plombier vient le 15 mai au lieu du 11 mai.",
        "El fontanero no viene el lunes sino el 15 de mayo.",
        "El fontanero viene el 15 de mayo en lugar del 11 de mayo.",
        "L'idraulico non viene l'11 maggio ma il 15 maggio.",
        "L'idraulico viene il 15 maggio invece dell'11 maggio.",
        "Next check-up in two weeks, on 15 May.",
        "Concert a week on Friday.",
        "On Friday week we are in Graz.",
        "Konzert Freitag in einer Woche.",
        "Concert vendredi en huit.",
        "Concerto venerdì a otto.",
        "Concierto el viernes dentro de una semana.",
        "The hall will be painted on 15 May.",
        "Der Saal wird am 15. Mai gestrichen und geputzt.",
    ],
)
def test_of_several_dates_the_one_that_is_meant_counts(text: str) -> None:
    assert stated_limits(text, SAID) == ("05-15", "05-15")


@pytest.mark.parametrize(
    "text",
    [
        "He threw away his pipe on Sunday.",
        "Nora no longer drives: she broke her wrist on Monday.",
        "Paid the rent on 6 May.",
        "Am 6. Mai die Miete bezahlt.",
        "Pagati 300 euro il 6 maggio 2026.",
        "Pagado el alquiler el 6 de mayo.",
        "House insurance, policy 17, 300 € a year, due on 1 June.",
        "Hausversicherung, Polizze 17, 300 € im Jahr, fällig am 1. Juni.",
        "Assicurazione casa, polizza 17, 300 euro all'anno, scade il 1 giugno.",
        "Assurance maison, 300 € par an, échéance le 1 juin.",
        "Seguro de la casa, 300 € al año, vence el 1 de junio.",
        "The lecture takes 40 minutes, slides in English, summary due on 15 May.",
        "Der Vortrag dauert 40 Minuten, Folien auf Englisch, Abgabe am 15. Mai.",
    ],
)
def test_what_has_happened_recurs_or_is_due_among_other_things_has_no_end(text: str) -> None:
    assert stated_limits(text, SAID) == (None, None)


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("The rent is paid on Friday.", ("05-08", "05-08")),
        ("The rent must be paid on Friday.", ("05-08", "05-08")),
        ("I have to hand in the form, page 2, by 15 May.", (None, "05-15")),
        ("The tax return is due on 15 May.", (None, "05-15")),
        ("Tennis on Friday, not at 9 but at 10.", ("05-08", "05-08")),
    ],
)
def test_other_texts_still_end(text: str, limits: tuple[str | None, str | None]) -> None:
    assert stated_limits(text, SAID) == limits


def test_a_text_that_also_says_something_else_does_not_end() -> None:
    stated = stated_period("The dose is 88 µg now. Blood test again on 18 June.", SAID)
    assert stated is not None
    assert (stated.valid_from, stated.valid_until) == (None, None)
    assert stated.days == [(date(2026, 6, 18), date(2026, 6, 19))]


@pytest.mark.parametrize(
    "text",
    [
        "My dentist is Dr. Amiri, the next check-up is on 18 June.",
        "We drive an old Lada, and it needs a new exhaust by 18 June.",
        "Ruben owns a sailing boat that must be painted by 18 June.",
        "We rent a garage, which has to be cleared by 18 June.",
        "Ruben fährt ein Moped, das bis 18. Juni angemeldet werden muss.",
        "The club has a new room and the opening is on 18 June.",
        "Die Steuer macht Frau Amiri, sie braucht die Belege bis 18. Juni.",
        "Le médecin est Mme Amiri, le prochain contrôle est le 18 juin.",
        "Mi dentista es Amiri y la próxima cita es el 18 de junio.",
        "I medici sono due, le visite sono il 18 giugno.",
    ],
)
def test_nor_does_one_that_says_something_else_in_the_same_sentence(text: str) -> None:
    stated = stated_period(text, SAID)
    assert stated is not None
    assert (stated.valid_from, stated.valid_until) == (None, None)
    assert stated.days == [(date(2026, 6, 18), date(2026, 6, 19))]


@pytest.mark.parametrize(
    "text",
    [
        "The opening is on 18 June, and the room is on the first floor.",
        "The dentist, Dr. Amiri, is away until 18 June.",
        "If it is dry, the summer party is on 18 June.",
        "Ada and Tom are in Graz until 18 June.",
        "Wenn es trocken ist, ist das Fest am 18. Juni.",
    ],
)
def test_one_that_is_about_the_date_ends(text: str) -> None:
    stated = stated_period(text, SAID)
    assert stated is not None
    assert stated.valid_until == datetime(2026, 6, 18, 23, 59, 59, tzinfo=UTC)


def test_a_text_of_several_dates_ends_with_the_last() -> None:
    stated = stated_period("Final call: beta on 22 June. Feature freeze on 12 June.", SAID)
    assert stated is not None
    assert stated.valid_from == datetime(2026, 6, 12, tzinfo=UTC)
    assert stated.valid_until == datetime(2026, 6, 22, 23, 59, 59, tzinfo=UTC)


def test_of_a_long_text_the_beginning_is_read_and_it_has_no_end() -> None:
    stated = stated_period("Closed until Friday. " + "x" * READ_CHARS + " on 3 June 2026", SAID)
    assert stated is not None
    assert stated.valid_until is None
    assert date(2026, 6, 3) not in [first for first, _ in stated.days]


@pytest.mark.parametrize("words", ["in may 20 ", "1. ", "\n", "until the ", "due on by ", "1 may to ", "next ", "ã"])
def test_a_hostile_text_is_read(words: str) -> None:
    assert stated_period("tomorrow " + words * (100_000 // len(words)), SAID) is not None


@pytest.mark.parametrize("text", ["on 31 June", "on 31 June 2026", "in 999 months", "until 0 May", "29 February 2027"])
def test_a_date_that_does_not_exist_is_none_or_far_away(text: str) -> None:
    stated = stated_period(text, SAID)
    assert stated is None or stated.valid_until is None or stated.valid_until > SAID


def test_something_may_last_for_several_weeks_from_today() -> None:
    stated = stated_period("I am in Rome for the next two weeks.", SAID)
    assert stated is not None
    assert (stated.valid_from, stated.valid_until) == (
        SAID.replace(hour=0, minute=0, second=0, microsecond=0),
        SAID.replace(hour=23, minute=59, second=59, microsecond=0) + timedelta(days=14),
    )


@pytest.mark.parametrize("text", ["I slept badly in the last two weeks.", "I will be in Rome in the coming weeks."])
def test_neither_what_was_nor_vague_weeks_set_an_end(text: str) -> None:
    stated = stated_period(text, SAID)
    assert stated is not None
    assert (stated.valid_from, stated.valid_until) == (None, None)
