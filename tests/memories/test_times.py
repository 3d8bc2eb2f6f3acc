"""Times that a question speaks of."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.times import Period, period_in

NOW = datetime(2026, 5, 17, 14, 30, tzinfo=UTC)  # a Sunday


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
        "last weekend",
    ],
)
def test_what_names_no_time_is_none(question: str) -> None:
    assert period_in(question, NOW) is None


def test_a_long_question_is_read_at_once() -> None:
    assert period_in("in may 20 " * 1_600, NOW) is not None
