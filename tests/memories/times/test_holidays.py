"""Tests of holidays and seasons as times of statements and questions."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from memories.times.holidays import easter_sunday
from memories.times.statements import stated_period
from memories.times.time_questions import asked_periods, asks_only_for_time
from tests.memories.times.support import stated_limits

SAID = datetime(2026, 11, 28, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("year", "month", "day"),
    [
        (1961, 4, 2),
        (1981, 4, 19),
        (2000, 4, 23),
        (2008, 3, 23),
        (2024, 3, 31),
        (2026, 4, 5),
        (2027, 3, 28),
        (2038, 4, 25),
    ],
)
def test_easter_is_computed(year: int, month: int, day: int) -> None:
    assert easter_sunday(year) == date(year, month, day)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("We are in Rome at Christmas 2026.", "12-24", "12-26"),
        ("Wir sind diese Weihnachten in Rom.", "12-24", "12-26"),
        ("Next Easter we are in Croatia.", "03-26", "03-29"),
        ("Ostern 2027 sind wir in Kroatien.", "03-26", "03-29"),
        ("Pâques 2027 à Rome", "03-26", "03-29"),
        ("La próxima Semana Santa vamos a Sevilla.", "03-21", "03-28"),
        ("Prossima Pasqua siamo a Roma.", "03-26", "03-29"),
        ("The bridge is closed until Easter.", "11-28", "03-29"),
        ("Die Brücke ist bis Ostern gesperrt.", "11-28", "03-29"),
        ("I have to finish the kitchen by Christmas.", None, "12-26"),
        ("Ab Ostern sind wir in der neuen Werkstatt.", "03-26", None),
    ],
)
def test_a_holiday_is_a_time(text: str, first: str | None, last: str | None) -> None:
    assert stated_limits(text, SAID) == (first, last)


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("At Christmas we go to Leibnitz.", date(2026, 12, 24), date(2026, 12, 27)),
        ("Zwischen Weihnachten und Neujahr sind wir in Schladming.", date(2026, 12, 27), date(2027, 1, 1)),
        ("Party on New Year's Eve at Karl's", date(2026, 12, 31), date(2027, 1, 1)),
        ("Feier zu Silvester bei Karl", date(2026, 12, 31), date(2027, 1, 1)),
        ("Are the shops open on Boxing Day?", date(2026, 12, 26), date(2026, 12, 27)),
        ("À Noël nous sommes à Lyon.", date(2026, 12, 24), date(2026, 12, 27)),
        ("En Navidad vamos a casa de Ana.", date(2026, 12, 24), date(2026, 12, 27)),
        ("Tra Natale e Capodanno siamo a Roma.", date(2026, 12, 27), date(2027, 1, 1)),
        ("We met at Christmas.", date(2025, 12, 24), date(2025, 12, 27)),
    ],
)
def test_without_a_year_it_may_be_every_year_and_ends_nothing(text: str, first: date, after: date) -> None:
    stated = stated_period(text, SAID)
    assert stated is not None
    assert (stated.valid_from, stated.valid_until, stated.days) == (None, None, [(first, after)])


@pytest.mark.parametrize(
    "text",
    [
        "A cake for Christmas dinner",
        "Anna likes Christmas.",
        "My friend Natale lives in Rome.",
        "The bakery sells most before Christmas.",
        "In summer we swim in the lake.",
        "Im Sommer schwimmen wir im See.",
    ],
)
def test_other_mentions_name_no_time(text: str) -> None:
    assert stated_period(text, SAID) is None


@pytest.mark.parametrize(
    ("question", "first", "after"),
    [
        ("Is there anything planned between Christmas and New Year?", date(2026, 12, 27), date(2027, 1, 1)),
        ("What's on at Christmas?", date(2026, 12, 24), date(2026, 12, 27)),
        ("Was ist zwischen Weihnachten und Neujahr?", date(2026, 12, 27), date(2027, 1, 1)),
        ("Was machen wir zu Silvester?", date(2026, 12, 31), date(2027, 1, 1)),
        ("Any plans for Easter?", date(2027, 3, 26), date(2027, 3, 30)),
        ("Quoi de prévu à Pâques ?", date(2027, 3, 26), date(2027, 3, 30)),
        ("¿Qué planes tenemos para Semana Santa?", date(2027, 3, 21), date(2027, 3, 29)),
        ("Che facciamo tra Natale e Capodanno?", date(2026, 12, 27), date(2027, 1, 1)),
        ("What are our plans for next summer?", date(2027, 6, 1), date(2027, 9, 1)),
        ("Was machen wir im Sommer?", date(2027, 6, 1), date(2027, 9, 1)),
        ("What do I have planned this winter?", date(2026, 12, 1), date(2027, 3, 1)),
        ("Qu'est-ce qu'on fait cet été ?", date(2027, 6, 1), date(2027, 9, 1)),
        ("Che programmi abbiamo per l'estate?", date(2027, 6, 1), date(2027, 9, 1)),
    ],
)
def test_a_question_may_ask_only_for_a_holiday_or_a_season(question: str, first: date, after: date) -> None:
    assert asks_only_for_time(question)
    past, periods = asked_periods(question, SAID)
    assert past is None
    assert [period.days for period in periods] == [(first, after)]


@pytest.mark.parametrize(
    ("question", "first", "after"),
    [
        ("What did we do last Christmas?", date(2025, 12, 24), date(2025, 12, 27)),
        ("Where did we go last summer?", date(2026, 6, 1), date(2026, 9, 1)),
    ],
)
def test_the_last_one_is_past(question: str, first: date, after: date) -> None:
    past, _ = asked_periods(question, SAID)
    assert past is not None
    assert past.days == (first, after)
