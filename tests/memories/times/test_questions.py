"""Tests of the times in a question that is asked on a Sunday."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.times.periods import Period
from memories.times.phrases import period_in

NOW = datetime(2026, 5, 17, 14, 30, tzinfo=UTC)


def day(year: int, month: int, number: int) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("What did I do on 7 May 2023?", day(2023, 5, 7), day(2023, 5, 8)),
        ("What did I do on the 7th of May, 2023?", day(2023, 5, 7), day(2023, 5, 8)),
        ("and on Dec. 31, 2024", day(2024, 12, 31), day(2025, 1, 1)),
        ("Who came on 2 March?", day(2026, 3, 2), day(2026, 3, 3)),
        ("Who came on 24 December?", day(2025, 12, 24), day(2025, 12, 25)),
        ("What happened in May 2023?", day(2023, 5, 1), day(2023, 6, 1)),
        ("What happened in December 2023?", day(2023, 12, 1), day(2024, 1, 1)),
        ("What happened in July?", day(2025, 7, 1), day(2025, 8, 1)),
        ("What came on 31 June 2023?", day(2023, 6, 1), day(2023, 7, 1)),
        ("plans of 2022", day(2022, 1, 1), day(2023, 1, 1)),
        ("What did we decide yesterday?", day(2026, 5, 16), day(2026, 5, 17)),
        ("What did we decide today?", day(2026, 5, 17), day(2026, 5, 18)),
        ("who called last week", day(2026, 5, 4), day(2026, 5, 11)),
        ("who called this week", day(2026, 5, 11), day(2026, 5, 18)),
        ("LAST MONTH", day(2026, 4, 1), day(2026, 5, 1)),
        ("last year", day(2025, 1, 1), day(2026, 1, 1)),
        ("three days ago", day(2026, 5, 13).replace(hour=12), day(2026, 5, 15)),
        ("twelve days ago", day(2026, 5, 4).replace(hour=12), day(2026, 5, 6)),
        ("nine weeks ago", day(2026, 3, 11).replace(hour=12), day(2026, 3, 18).replace(hour=12)),
        ("What changed since March?", day(2026, 3, 1), NOW),
        ("What changed since 2023?", day(2023, 1, 1), NOW),
        ("since the 7th of may 2023", day(2023, 5, 7), NOW),
        ("what changed since last week", day(2026, 5, 4), NOW),
        ("who came on 7 may?", day(2026, 5, 7), day(2026, 5, 8)),
        ("who came march 3rd", day(2026, 3, 3), day(2026, 3, 4)),
        ("In march, who came?", day(2026, 3, 1), day(2026, 4, 1)),
        ("who came, may 7, 2023", day(2023, 5, 7), day(2023, 5, 8)),
        ("I may come, but who came in March 2024?", day(2024, 3, 1), day(2024, 4, 1)),
        ("a week ago", day(2026, 5, 6).replace(hour=12), day(2026, 5, 13).replace(hour=12)),
        ("a couple of weeks ago", day(2026, 4, 29).replace(hour=12), day(2026, 5, 6).replace(hour=12)),
        ("what came on 2023-05-07?", day(2023, 5, 7), day(2023, 5, 8)),
        ("the day before yesterday", day(2026, 5, 15), day(2026, 5, 16)),
        ("who called last night", day(2026, 5, 16), day(2026, 5, 17)),
        ("who called last Friday", day(2026, 5, 15), day(2026, 5, 16)),
        ("who called last Sunday", day(2026, 5, 10), day(2026, 5, 11)),
        ("since last Monday", day(2026, 5, 11), NOW),
        ("who came last weekend", day(2026, 5, 9), day(2026, 5, 11)),
        ("who called in the last two weeks", day(2026, 5, 3), day(2026, 5, 18)),
        ("who called in the past few days", day(2026, 5, 10), day(2026, 5, 18)),
        ("Wer hat in den letzten 10 Tagen angerufen?", day(2026, 5, 7), day(2026, 5, 18)),
        ("Qui est venu ces trois derniers jours ?", day(2026, 5, 14), day(2026, 5, 18)),
        ("who came this weekend", day(2026, 5, 16), day(2026, 5, 18)),
        ("Was haben wir im Mai 2023 beschlossen?", day(2023, 5, 1), day(2023, 6, 1)),
        ("am 7. Mai", day(2026, 5, 7), day(2026, 5, 8)),
        ("am 7.5.2023", day(2023, 5, 7), day(2023, 5, 8)),
        ("Wer rief letzte Woche an?", day(2026, 5, 4), day(2026, 5, 11)),
        ("letztes Wochenende", day(2026, 5, 9), day(2026, 5, 11)),
        ("am letzten Freitag", day(2026, 5, 15), day(2026, 5, 16)),
        ("vorgestern", day(2026, 5, 15), day(2026, 5, 16)),
        ("vor drei Tagen", day(2026, 5, 13).replace(hour=12), day(2026, 5, 15)),
        ("seit März", day(2026, 3, 1), NOW),
        ("seit dem 7. Mai 2023", day(2023, 5, 7), NOW),
        ("im Jahr 2021", day(2021, 1, 1), day(2022, 1, 1)),
        ("Qu'a dit Ada en mai 2023 ?", day(2023, 5, 1), day(2023, 6, 1)),
        ("le 1er août 2023", day(2023, 8, 1), day(2023, 8, 2)),
        ("la semaine dernière", day(2026, 5, 4), day(2026, 5, 11)),
        ("vendredi dernier", day(2026, 5, 15), day(2026, 5, 16)),
        ("le repas d'hier", day(2026, 5, 16), day(2026, 5, 17)),
        ("il y a trois jours", day(2026, 5, 13).replace(hour=12), day(2026, 5, 15)),
        ("depuis l'année dernière", day(2025, 1, 1), NOW),
        ("¿Qué hicimos el 7 de mayo de 2023?", day(2023, 5, 7), day(2023, 5, 8)),
        ("en mayo de 2023", day(2023, 5, 1), day(2023, 6, 1)),
        ("el año pasado", day(2025, 1, 1), day(2026, 1, 1)),
        ("el miércoles pasado", day(2026, 5, 13), day(2026, 5, 14)),
        ("hace dos semanas", day(2026, 4, 29).replace(hour=12), day(2026, 5, 6).replace(hour=12)),
        ("desde marzo", day(2026, 3, 1), NOW),
        ("a maggio 2023", day(2023, 5, 1), day(2023, 6, 1)),
        ("a maggio", day(2026, 5, 1), day(2026, 6, 1)),
        ("nel 2021", day(2021, 1, 1), day(2022, 1, 1)),
        ("il 7 maggio", day(2026, 5, 7), day(2026, 5, 8)),
        ("il mese scorso", day(2026, 4, 1), day(2026, 5, 1)),
        ("tre giorni fa", day(2026, 5, 13).replace(hour=12), day(2026, 5, 15)),
        ("dall'anno scorso", day(2025, 1, 1), NOW),
        ("what did I do the day before yesterday?", day(2026, 5, 15), day(2026, 5, 16)),
        ("and day before yesterday?", day(2026, 5, 15), day(2026, 5, 16)),
        ("who came on 29 February?", day(2024, 2, 29), day(2024, 3, 1)),
        ("0 days ago", day(2026, 5, 17), day(2026, 5, 18)),
        ("what changed since Monday?", day(2026, 5, 11), NOW),
        ("the past year", day(2025, 1, 1), day(2026, 1, 1)),
        ("who came May 3-5?", day(2026, 5, 3), day(2026, 5, 6)),
        ("between 3 and 5 May 2023", day(2023, 5, 3), day(2023, 5, 6)),
        ("vom 3. bis 5. Mai", day(2026, 5, 3), day(2026, 5, 6)),
        ("du 3 au 5 mai", day(2026, 5, 3), day(2026, 5, 6)),
        ("from 28 to 5 May", day(2026, 5, 5), day(2026, 5, 6)),
        ("yesterday I asked about May 2023", day(2023, 5, 1), day(2023, 6, 1)),
        ("voriges Jahr", day(2025, 1, 1), day(2026, 1, 1)),
        ("in der vergangenen Woche", day(2026, 5, 4), day(2026, 5, 11)),
        ("quest'anno", day(2026, 1, 1), day(2026, 5, 18)),
        ("l'altro ieri", day(2026, 5, 15), day(2026, 5, 16)),
        ("che c'è a ottobre del prossimo anno?", day(2027, 10, 1), day(2027, 11, 1)),
        ("was ist im Oktober nächsten Jahres?", day(2027, 10, 1), day(2027, 11, 1)),
        ("what do we plan in October next year?", day(2027, 10, 1), day(2027, 11, 1)),
    ],
)
def test_a_phrase_is_a_period(question: str, start: datetime, end: datetime) -> None:
    assert period_in(question, NOW) == Period(start, end)


@pytest.mark.parametrize(
    "question",
    [
        "When did Ada move to Lyon?",
        "May I see the march of time?",
        "room 2023",
        "Option 2 may be better",
        "I may 5 times",
        "we march 3 miles",
        "mar and sun",
        "in the year 3023",
        "a second opinion on the fall",
        "Is April coming with us?",
        "August Strindberg's plays",
        "the 1984 novel by Orwell, and a 1968 guitar",
        "version 3.11 of Python",
        "a budget of 2000 dollars",
        "on 2023-13-07",
        "what is on on Monday",
        "the sun and the sea, Jan and Mark",
        "a 10 minute walk, half an hour of yoga",
        "Wer wohnt hier?",
        "der letzte Tag der Reise",
        "on a de la chance, et mars est une planète",
        "il mare e la montagna",
        "hace calor, el mar",
    ],
)
def test_what_names_no_time_is_none(question: str) -> None:
    assert period_in(question, NOW) is None


@pytest.mark.parametrize("words", ["in may 20 ", "a few ", "le mois ", "2023 ", "vor 300 ", "since ", "ã"])
def test_a_long_question_is_read(words: str) -> None:
    assert period_in(words * (15_000 // len(words)) + " yesterday", NOW) is not None
