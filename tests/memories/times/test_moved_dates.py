"""Dates to which something was moved, and days on which somebody reaches an age, said on Monday 23 November 2026."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime, timedelta

import pytest

from memories.times.moved_dates import with_moved_dates
from memories.times.statements import stated_period

SAID_AT = datetime(2026, 11, 23, 10, tzinfo=UTC)

MOVED = {
    date(2026, 11, 24): ("Our call was put off until tomorrow",),
    date(2026, 11, 25): (
        "Piano lesson: moved from Mon to Wed",
        "Der Kurs verschiebt sich auf Mittwoch",
        "Rendez-vous reporté de lundi à mercredi",
        "El examen se aplaza del lunes al miércoles",
        "Appuntamento spostato a mercoledì",
    ),
    date(2026, 11, 27): (
        "Dentist moved to Friday",
        "The meeting was moved to next Friday",
        "Das Treffen wurde auf nächsten Freitag verschoben",
        "La réunion a été reportée de jeudi à vendredi",
        "La reunión se ha movido del jueves al viernes",
        "La riunione è stata rinviata da giovedì a venerdì",
    ),
    date(2026, 12, 4): (
        "The concert moved from Thursday to Friday 4 December",
        "Die Sitzung wurde auf Freitag, den 4. Dezember verschoben",
        "La réunion est reportée au vendredi 4 décembre",
        "La riunione è stata spostata a venerdì 4 dicembre",
    ),
    date(2026, 12, 7): ("Zahnarzt: verschoben auf Montag, 7.12.",),
    date(2026, 12, 9): (
        "The dentist was moved from 3 to 9 December",
        "The visit was moved from the 3rd to the 9th at 10:30",
        "Dentist rescheduled for December 9",
        "Der Termin wurde vom 3. auf den 9. verschoben",
        "Verschoben vom 3. auf den 9.",
        "Das Treffen wurde vom 3. auf den 9. verschoben, weil Ida krank ist",
        "Le rendez-vous est déplacé du 3 au 9",
        "La cita se ha aplazado del 3 al 9",
        "L'appuntamento è stato spostato dal 3 al 9",
    ),
}
AGES = {
    date(2026, 11, 28): (
        "Papa turns 70 on Saturday",
        "Er wird am Samstag 70",
        "Opa feiert am Samstag seinen 80. Geburtstag",
        "Il aura 70 ans samedi",
        "Cumple 70 años el sábado",
        "Compie 70 anni sabato",
    ),
    date(2026, 12, 5): (
        "She will be 40 on 5 December",
        "Oma wird am 5. Dezember 80",
        "Mamie fête ses 80 ans le 5 décembre",
        "Mi padre cumple 80 el 5 de diciembre",
        "Mia figlia compie 8 anni il 5 dicembre",
    ),
}
NONE = (
    "We moved to the 3rd floor",
    "I moved from 3 Elm Road to 9 Oak Street",
    "The price moved from 3 to 9 euros",
    "The flight was changed from 9 am to 11 am",
    "The rent was changed to 900 euros",
    "Er ist auf den 3. Platz vorgezogen worden",
    "La oficina se ha trasladado al 3 piso",
)


@pytest.mark.parametrize(("day", "text"), [(day, text) for day, texts in MOVED.items() for text in texts])
def test_what_was_moved_is_on_the_new_day_only(day: date, text: str) -> None:
    stated = stated_period(text, SAID_AT)
    assert stated is not None
    assert stated.days == [(day, day + timedelta(days=1))]
    assert stated.valid_from is not None
    assert stated.valid_until is not None
    assert (stated.valid_from.date(), stated.valid_until.date()) == (day, day)


@pytest.mark.parametrize(("day", "text"), [(day, text) for day, texts in AGES.items() for text in texts])
def test_an_age_names_its_day_and_does_not_end(day: date, text: str) -> None:
    stated = stated_period(text, SAID_AT)
    assert stated is not None
    assert stated.days == [(day, day + timedelta(days=1))]
    assert stated.valid_until is None


@pytest.mark.parametrize("text", NONE)
def test_other_numbers_are_no_days(text: str) -> None:
    assert stated_period(text, SAID_AT) is None


def test_a_day_after_werden_is_no_age() -> None:
    stated = stated_period("Das Paket wird am 12. Dezember geliefert", SAID_AT)
    assert stated is not None
    assert stated.valid_until is not None


@pytest.mark.parametrize(
    "part", ["moved from ", "moved from 3 to ", "verschoben ", "vom 3. auf den ", "wird 7 ", "du 3 au ", ", ", "turns "]
)
def test_hostile_texts_take_time_that_grows_with_their_length(part: str) -> None:
    text = (part * 100_000)[:100_000]
    start = time.process_time()
    with_moved_dates(text)
    stated_period(text, SAID_AT)
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    "text",
    [
        "Termin mit Leitner ist jetzt Thursday, not Tuesday, same time",
        "Termin mit Leitner ist jetzt Donnerstag, nicht Dienstag.",
        "The dentist is now Thursday, not Tuesday.",
        "The dentist is now on Thursday, not on Tuesday.",
        "The dentist appointment is now Thursday instead of Tuesday",
        "Zahnarzt jetzt Donnerstag statt Dienstag",
        "Le dentiste est maintenant jeudi, pas mardi",
        "El dentista es ahora jueves, no martes",
        "Il dentista è ora giovedì, non martedì",
    ],
)
def test_a_weekday_that_is_not_meant_does_not_hide_the_one_that_is(text: str) -> None:
    stated = stated_period(text, datetime(2026, 11, 28, 9, tzinfo=UTC))
    assert stated is not None
    assert stated.days == [(date(2026, 12, 3), date(2026, 12, 4))]


@pytest.mark.parametrize(
    "text",
    [
        "The dentist is not Tuesday",
        "No dentist Tuesday",
        "The dentist is closed Thursday, not Tuesday",
        "We are not seeing the dentist Thursday",
        "Choir rehearsal is now Thursday, not Tuesday",
    ],
)
def test_a_negation_of_something_else_still_does(text: str) -> None:
    assert stated_period(text, datetime(2026, 11, 28, 9, tzinfo=UTC)) is None
