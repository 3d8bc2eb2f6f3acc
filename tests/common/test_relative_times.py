"""Tests of times in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from common.pages.relative_times import day_or_time, plural, relative_time

NOW = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (timedelta(seconds=3), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(minutes=12, seconds=59), "13 minutes ago"),
        (timedelta(minutes=59, seconds=40), "1 hour ago"),
        (timedelta(hours=1, minutes=20), "1 hour ago"),
        (timedelta(hours=1, minutes=54), "2 hours ago"),
        (timedelta(hours=5), "5 hours ago"),
        (timedelta(hours=13), "yesterday"),
        (timedelta(days=3), "3 days ago"),
        (timedelta(days=20), "3 weeks ago"),
        (timedelta(days=21), "3 weeks ago"),
        (timedelta(days=59), "8 weeks ago"),
        (timedelta(days=70), "2 months ago"),
        (timedelta(days=300), "10 months ago"),
        (timedelta(days=360), "a year ago"),
        (timedelta(days=400), "a year ago"),
        (timedelta(days=1100), "3 years ago"),
        (-timedelta(seconds=3), "in a moment"),
        (-timedelta(minutes=30), "in 30 minutes"),
        (-timedelta(minutes=59, seconds=20), "in 59 minutes"),
        (-timedelta(minutes=59, seconds=50), "in 1 hour"),
        (-timedelta(hours=1, minutes=54), "in 1 h 54 min"),
        (-timedelta(hours=2, minutes=59, seconds=50), "in 3 hours"),
        (-timedelta(hours=4, minutes=40), "in 5 hours"),
        (-timedelta(hours=14), "tomorrow"),
        (-timedelta(days=11), "in 11 days"),
        (-timedelta(days=70), "in 2 months"),
    ],
)
def test_a_time_is_told_in_its_largest_unit(before: timedelta, said: str) -> None:
    with timezone.override(UTC):
        assert relative_time(NOW - before, NOW) == said


def test_yesterday_is_a_day_of_the_current_time_zone() -> None:
    moment, now = datetime(2026, 11, 22, 22, 30, tzinfo=UTC), datetime(2026, 11, 23, 7, 0, tzinfo=UTC)
    with timezone.override("Asia/Tokyo"):
        assert relative_time(moment, now) == "8 hours ago"
    with timezone.override(UTC):
        assert relative_time(moment, now) == "yesterday"


def test_days_are_counted_by_the_calendar() -> None:
    tuesday = datetime(2026, 11, 24, 8, 0, tzinfo=UTC)
    with timezone.override(UTC):
        assert relative_time(datetime(2026, 11, 22, 20, 0, tzinfo=UTC), tuesday) == "2 days ago"
        assert relative_time(datetime(2026, 11, 22, 1, 0, tzinfo=UTC), tuesday) == "2 days ago"
        assert relative_time(datetime(2026, 11, 26, 1, 0, tzinfo=UTC), tuesday) == "in 2 days"
        last_minute = datetime(2026, 11, 24, 23, 59, tzinfo=UTC)
        assert relative_time(last_minute, datetime(2026, 11, 24, 0, 1, tzinfo=UTC)) == "in 24 hours"


def test_numbers_have_separators_and_nouns_their_plural() -> None:
    assert [plural(count, "memory", "memories") for count in (0, 1, 1482)] == [
        "0 memories",
        "1 memory",
        "1,482 memories",
    ]
    assert plural(2, "app") == "2 apps"


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        (datetime(2027, 1, 31, tzinfo=UTC), "31 Jan 2027"),
        (datetime(2027, 1, 30, 23, tzinfo=UTC), "31 Jan 2027"),
        (datetime(2027, 1, 31, 22, 59, 59, 999_999, tzinfo=UTC), "31 Jan 2027"),
        (datetime(2027, 1, 31, 12, tzinfo=UTC), "31 Jan 2027, 13:00"),
    ],
)
def test_the_end_of_a_day_has_no_time(moment: datetime, said: str) -> None:
    with timezone.override(ZoneInfo("Europe/Berlin")):
        assert day_or_time(moment) == said
