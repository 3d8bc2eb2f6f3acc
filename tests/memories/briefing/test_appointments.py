"""Tests of appointments in the briefing: moved ones, and the days of those that say "next Tuesday"."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from pytest_django import Settings

from memories.access import View
from memories.briefing.composition import Briefing, compose_briefing
from memories.models import Memory
from oauthserver.models import User
from tests.support.factories import make_memory, make_user

TODAY = datetime(2026, 11, 28, tzinfo=UTC)
SAID = TODAY + timedelta(hours=9)
LATER = SAID + timedelta(hours=1)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def owners_time_zone(settings: Settings) -> None:
    settings.OWNER_TIME_ZONE = UTC


@pytest.fixture
def owner() -> User:
    return make_user()


def said(owner: User, text: str, at: datetime = SAID, **details: object) -> Memory:
    return make_memory(owner, text, created_at=at, last_confirmed_at=at, **details)


def brief(owner: User, day: datetime = TODAY) -> Briefing:
    return compose_briefing(View.whole(owner.pk), day)


def test_of_a_moved_appointment_only_the_new_day_is_in_it(owner: User) -> None:
    said(owner, "Appointment with Leitner next Tuesday at 15:00", importance=0.9)
    moved = said(owner, "The appointment with Leitner is now Thursday, not Tuesday", LATER, importance=0.1)
    assert brief(owner).memory_ids == [moved.pk]


def test_one_that_is_not_moved_stays(owner: User) -> None:
    stangl = said(owner, "Appointment with Stangl next Tuesday at 15:00")
    leitner = said(owner, "The viewing with Leitner is now Thursday, not Wednesday", LATER)
    assert set(brief(owner).memory_ids) == {stangl.pk, leitner.pk}


def test_a_pinned_appointment_stays_marked_beside_its_new_day(owner: User) -> None:
    old = said(owner, "Appointment with Leitner next Tuesday at 15:00")
    Memory.objects.filter(pk=old.pk).update(briefing_place=Memory.BriefingPlace.PINNED)
    moved = said(owner, "The appointment with Leitner is now Thursday, not Tuesday", LATER)
    assert set(brief(owner).memory_ids) == {old.pk, moved.pk}
    assert "- (may be outdated) Appointment with Leitner next Tuesday at 15:00 (1 December 2026)" in brief(owner).text


def test_what_a_change_to_come_replaces_stays_until_then(owner: User) -> None:
    old = said(owner, "The choir sings in the church of St. Nicholas")
    new = said(owner, "From January the choir no longer sings in the church of St. Nicholas", LATER)
    assert set(brief(owner).memory_ids) == {old.pk, new.pk}
    assert "outdated" not in brief(owner).text
    assert brief(owner, datetime(2027, 1, 2, tzinfo=UTC)).memory_ids == [new.pk]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Dentist next Tuesday at 15:00", "1 December 2026"),
        ("Zahnarzt am Dienstag um 15 Uhr", "1 December 2026"),
        ("Dentiste mardi prochain", "1 December 2026"),
        ("The lift is out of order until Friday", "until 4 December 2026"),
        ("I have to file the return by Friday", "by 4 December 2026"),
        ("We are away next week", "30 November 2026 to 6 December 2026"),
        ("From tomorrow the lift is closed", "from 29 November 2026"),
    ],
)
def test_a_relative_date_is_followed_by_its_day(owner: User, text: str, days: str) -> None:
    said(owner, text)
    assert f"- {text} ({days})" in brief(owner).text


@pytest.mark.parametrize(
    "text", ["Dentist on 1 December", "Dentist on Tuesday, 1 December", "Zahnarzt 1.12. um 15 Uhr", "My dog is Mochi"]
)
def test_other_texts_stay_as_they_are(owner: User, text: str) -> None:
    said(owner, text)
    assert brief(owner).text.endswith(f"- {text}")


def test_what_was_announced_for_a_day_that_is_past_comes_last_with_the_day(owner: User) -> None:
    fair = said(owner, "School fair on Saturday 5 December; I bake a cake", importance=0.6)
    report = said(owner, "Shot the wedding at the hall on 10 October 2026. It rained all afternoon.")
    assert brief(owner).memory_ids[0] == fair.pk
    composed = brief(owner, datetime(2026, 12, 20, tzinfo=UTC))
    assert composed.memory_ids == [report.pk, fair.pk]
    assert composed.text.endswith("I bake a cake (past: 5 December 2026)")
