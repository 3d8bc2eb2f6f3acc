"""Dates in numbers, days off, and ranges of days without a month."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from memories.times.day_order import is_day_before_month
from memories.times.statements import stated_period
from tests.memories.times.support import stated_limits

SAID = datetime(2026, 11, 23, 9, tzinfo=UTC)
"""A Monday."""


@pytest.mark.parametrize(
    "date",
    ["27/11/2026", "27.11.2026", "27. 11. 2026", "27-11-2026", "2026/11/27", "2026.11.27", "2026-11-27", "11/27/2026"],
)
@pytest.mark.parametrize(
    "text",
    [
        "Dentist on {} at 10:30", "Zahnarzt am {} um 10:30 Uhr", "Rendez-vous chez le dentiste le {} à 10h30",
        "Cita con el dentista el {} a las 10:30", "Dal dentista il {} alle 10:30", "Consulta no dentista em {}",
    ],
)  # fmt: skip
def test_a_date_in_numbers_is_read(text: str, date: str) -> None:
    assert stated_limits(text.format(date), SAID) == ("11-27", "11-27")


@pytest.mark.parametrize("date", ["30/6/2027", "30-06-2027", "2027/06/30", "2027.6.30", "6/30/2027"])
@pytest.mark.parametrize(
    "text", ["The lift is broken until {}", "Der Aufzug ist bis {} kaputt", "En panne jusqu'au {}"]
)
def test_a_date_in_numbers_is_a_limit(text: str, date: str) -> None:
    assert stated_limits(text.format(date), SAID) == ("11-23", "06-30")


@pytest.mark.parametrize(
    "text",
    [
        "The part is number 27-11-2026-A", "The file is 2026/11/27/report.pdf", "It is in photos/2026/11/27",
        "The ticket is ABC-27-11-2026", "The ratio is 45/67/2026", "The party is on 31/11/2026", "Due 2026/13/27 x",
        "The party is on 0/5/2027", "1/27/11/2026 is a path", "The party is on 5/7/2027", "Anna's party: 05-07-2027",
    ],
)  # fmt: skip
def test_what_is_no_date_or_may_be_two_is_not_read(text: str) -> None:
    assert stated_limits(text, SAID) == (None, None)


@pytest.mark.parametrize(
    ("text", "zone", "day"),
    [
        ("Das Fest ist am 5/7/2027", "UTC", "07-05"), ("La fête est le 5/7/2027", "UTC", "07-05"),
        ("La fiesta es el 5/7/2027", "UTC", "07-05"), ("La festa è il 5-7-2027", "UTC", "07-05"),
        ("A festa dos vizinhos: 5/7/2027", "UTC", "07-05"), ("Das Fest ist am 5/7/2027", "America/New_York", "07-05"),
        ("The party is on 5/7/2027", "Europe/Vienna", "07-05"),
        ("The party is on 5/7/2027", "Australia/Sydney", "07-05"),
        ("The party is on 5/7/2027", "America/New_York", "05-07"), ("The party is on 5/7/2027", "US/Pacific", "05-07"),
        ("The party is on 5/7/2027", "America/Indiana/Knox", "05-07"), ("The party is on 5/5/2027", "UTC", "05-05"),
        ("The party is on 5/7/2027", "America/Toronto", None), ("The party is on 5/7/2027", "Asia/Manila", None),
    ],
)  # fmt: skip
def test_the_language_or_the_time_zone_says_which_number_is_the_month(text: str, zone: str, day: str | None) -> None:
    assert stated_limits(text, SAID.astimezone(ZoneInfo(zone))) == (day, day)


@pytest.mark.parametrize(("other", "expected"), [("28/6/2027", True), ("6/28/2027", False), ("6/7/2027", None)])
def test_another_date_of_the_text_says_which_number_is_the_month(other: str, expected: bool | None) -> None:
    for text in (f"the party is on 5/7/2027, not on {other}", f"from {other} to 5/7/2027"):
        assert is_day_before_month(text, 5, 7, SAID) is expected
    assert is_day_before_month(f"on 5/7/2027, {other}, 29/6/2027 or 6/29/2027", 5, 7, SAID) is None


@pytest.mark.parametrize(
    "text",
    [
        "I'm off Friday", "I’m off Friday.", "We are away Friday", "She's out of office Friday", "I have Friday off",
        "I take the day off Friday", "Ich habe Freitag frei", "Wir sind Freitag nicht da", "Ich bin Freitag unterwegs",
        "Je suis absent vendredi", "Je suis en congé vendredi", "Sono in ferie venerdì", "Estoy fuera el viernes",
    ],
)  # fmt: skip
def test_a_day_off_is_a_date(text: str) -> None:
    assert stated_limits(text, SAID) == ("11-27", "11-27")


@pytest.mark.parametrize(
    "text",
    [
        "I'm off Fridays", "I am off Friday Street", "We're off Black Friday deals", "Ich habe freitags frei",
        "I am off coffee", "Ich habe Freitag lieber als Montag", "Je suis Vendredi", "The shop is off Friday Lane",
        "Every week I'm off Friday", "I have Friday offers", "Turn Friday off",
    ],
)  # fmt: skip
def test_what_is_no_day_off_is_no_date(text: str) -> None:
    assert stated_limits(text, SAID) == (None, None)


@pytest.mark.parametrize(
    "text",
    [
        "I'm away from the 3rd to the 9th", "Ana is on holiday from the 3rd until the 9th.",
        "We're travelling from the 3rd through the 9th", "Ich bin vom 3. bis zum 9. verreist",
        "Urlaub vom 3. bis 9.", "Je suis absente du 3 au 9", "En vacances du 3 jusqu'au 9", "Estoy fuera del 3 al 9",
        "Vacaciones del 3 al 9", "Sono via dal 3 al 9", "In ferie dal 3 al 9",
    ],
)  # fmt: skip
def test_days_without_a_month_are_a_range(text: str) -> None:
    assert stated_limits(text, SAID) == ("12-03", "12-09")
    assert stated_limits(text, SAID.replace(month=12, day=5)) == ("12-03", "12-09")


@pytest.mark.parametrize(
    ("said", "limits"),
    [((2026, 11, 23), ("11-28", "12-03")), ((2026, 12, 1), ("11-28", "12-03")), ((2026, 12, 4), ("12-28", "01-03"))],
)
def test_a_range_may_end_in_the_next_month(said: tuple[int, int, int], limits: tuple[str, str]) -> None:
    stated = stated_period("I'm away from the 28th to the 3rd", datetime(*said, 9, tzinfo=UTC))
    assert stated is not None
    assert stated.valid_from is not None
    assert stated.valid_until is not None
    assert (f"{stated.valid_from:%m-%d}", f"{stated.valid_until:%m-%d}") == limits


@pytest.mark.parametrize(
    "text",
    [
        "From the 3rd to the 9th floor the lift is broken", "Read from the 3rd to the 9th chapter on holiday",
        "Les vacances de février sont du 14 au 21", "The holidays in March are from the 3rd to the 9th",
        "They climbed up from the 3rd to the 9th", "Vom 3. bis zum 9. Platz bekommt jeder eine Medaille",
        "Les pages du 3 au 9 sont perdues", "Las notas van del 3 al 9", "I voti vanno dal 3 al 9",
        "The holiday rent is due from the 3rd to the 9th",
    ],
)  # fmt: skip
def test_a_range_of_other_things_is_no_date(text: str) -> None:
    assert stated_limits(text, SAID) == (None, None)
