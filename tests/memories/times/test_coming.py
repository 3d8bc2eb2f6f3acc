"""Tests of questions about times to come, asked on a Sunday."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memories.times.periods import Direction, Period
from memories.times.phrases import asked_periods, period_in

NOW = datetime(2026, 5, 17, 14, 30, tzinfo=UTC)


def day(month: int, number: int, year: int = 2026) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "start", "days"),
    [
        ("What do I have tomorrow?", day(5, 18), 1),
        ("What's on next week?", day(5, 18), 7),
        ("anything this Friday?", day(5, 22), 1),
        ("Do I have time on Friday?", day(5, 22), 1),
        ("What do I have on 21 May?", day(5, 21), 1),
        ("What happens in June?", day(6, 1), 30),
        ("who comes next weekend", day(5, 23), 2),
        ("and the week after next?", day(5, 25), 7),
        ("on Tuesday next week", day(5, 19), 1),
        ("in three days", day(5, 20), 1),
        ("Was steht nächste Woche an?", day(5, 18), 7),
        ("Was ist übermorgen?", day(5, 19), 1),
        ("Habe ich am Freitag Zeit?", day(5, 22), 1),
        ("Qu'est-ce que j'ai mardi prochain ?", day(5, 19), 1),
        ("Et la semaine prochaine ?", day(5, 18), 7),
        ("¿Qué tengo el próximo martes?", day(5, 19), 1),
        ("¿Qué hay la semana que viene?", day(5, 18), 7),
        ("Che cosa ho martedì prossimo?", day(5, 19), 1),
        ("E dopodomani?", day(5, 19), 1),
    ],
)
def test_a_phrase_is_a_period_to_come(question: str, start: datetime, days: int) -> None:
    period = Period(start, start + timedelta(days=days))
    assert period_in(question, NOW, Direction.COMING) == period
    assert period in asked_periods(question, NOW)[1]


def test_a_date_without_a_year_may_be_past_or_to_come() -> None:
    past, periods = asked_periods("What do I have on 21 May?", NOW)
    assert past == Period(day(5, 21, 2025), day(5, 22, 2025))
    assert periods == [past, Period(day(5, 21), day(5, 22))]


def test_a_question_without_a_time_asks_about_none() -> None:
    assert asked_periods("Where do I live?", NOW) == (None, [])
