"""Tests of questions about times to come, asked on a Sunday."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memories.times.periods import Direction, Period
from memories.times.phrases import period_in
from memories.times.time_questions import asked_periods, asks_only_for_time

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
        ("What do I have planned in the next two weeks?", day(5, 17), 15),
        ("Any trips over the next 10 days?", day(5, 17), 11),
        ("What is on in the coming days?", day(5, 17), 8),
        ("What happens in the next few weeks?", day(5, 17), 29),
        ("What are my plans for June?", day(6, 1), 30),
        ("Was kommt in den nächsten drei Wochen?", day(5, 17), 22),
        ("Was kommt in den kommenden Tagen?", day(5, 17), 8),
        ("Qu'est-ce qui vient ces deux prochaines semaines ?", day(5, 17), 15),
        ("¿Qué tengo en los próximos 5 días?", day(5, 17), 6),
        ("Che cosa ho nei prossimi giorni?", day(5, 17), 8),
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
    past, periods = asked_periods("Where do we stay on 21 May?", NOW)
    assert past == Period(day(5, 21, 2025), day(5, 22, 2025))
    assert periods == [past, Period(day(5, 21), day(5, 22))]


@pytest.mark.parametrize(
    "question",
    [
        "What are my plans for March?",
        "Which appointments do I have in March?",
        "Was habe ich im März vor?",
        "Qu'est-ce qui est prévu pour mars ?",
        "¿Qué planes hay para marzo?",
        "Che cosa è in programma per marzo?",
        "What's on in March?",
        "Was ist im März?",
        "Qu'est-ce qu'il y a en mars ?",
        "¿Qué hay en marzo?",
        "Cosa c'è a marzo?",
    ],
)
def test_a_question_about_plans_asks_about_what_is_to_come(question: str) -> None:
    assert asked_periods(question, NOW) == (None, [Period(day(3, 1, 2027), day(4, 1, 2027))])


@pytest.mark.parametrize("question", ["What was planned for March?", "Who came to the appointment in March?"])
def test_one_about_what_was_planned_may_ask_about_both(question: str) -> None:
    past, periods = asked_periods(question, NOW)
    assert past == Period(day(3, 1), day(4, 1))
    assert periods == [past, Period(day(3, 1, 2027), day(4, 1, 2027))]


def test_a_time_to_come_is_no_past_period() -> None:
    """Otherwise, what was stored today would count as being about the next two weeks."""
    for question in ("What do I have in the next two weeks?", "What's on next week?"):
        past, periods = asked_periods(question, NOW)
        assert past is None
        assert len(periods) == 1


def test_a_question_without_a_time_asks_about_none() -> None:
    assert asked_periods("Where do I live?", NOW) == (None, [])


@pytest.mark.parametrize(
    "question",
    [
        "What's on Monday?",
        "What’s on tomorrow?",
        "What is happening this week?",
        "Do I have anything planned for the next two weeks?",
        "Am I free on Friday?",
        "My appointments in December",
        "Was ist am 30. November?",
        "Was steht nächste Woche an?",
        "Habe ich am Freitag etwas vor?",
        "Welche Termine habe ich im Dezember?",
        "Was ist zwischen 27.12. und 3.1.?",
        "Qu'est-ce que j'ai demain ?",
        "Quoi de prévu lundi prochain ?",
        "¿Qué tengo la semana que viene?",
        "¿Hay algo el lunes?",
        "Che impegni ho la prossima settimana?",
        "Cosa c'è domani?",
        "What happened last week?",
        "Was war gestern?",
    ],
)
def test_a_question_may_ask_only_for_a_time(question: str) -> None:
    assert asks_only_for_time(question)


@pytest.mark.parametrize(
    "question",
    [
        "When is the dentist next week?",
        "What does Anna have on Monday?",
        "Where am I on Monday?",
        "What's the weather on Monday?",
        "Was kostet das Wasser am Montag?",
        "What's on the shelf?",
        "What do I have?",
        "Was ist los?",
    ],
)
def test_one_that_asks_for_more_or_names_no_time_does_not(question: str) -> None:
    assert not asks_only_for_time(question)
