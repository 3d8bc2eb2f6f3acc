"""Tests of finding memories that have expired: each is found exactly once."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from memories.access import View
from memories.events.changes import ChangeKind
from memories.events.expiry import database_time, expired_between
from memories.events.replay import changes_since
from memories.models import Memory
from memories.writing.lifecycle import forget_memory
from oauthserver.models import User
from tests.support.factories import actor_for, make_memory, make_user

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


@pytest.fixture
def now() -> datetime:
    return timezone.now()


def make_expiring(owner: User, text: str, expires_at: datetime, **details: object) -> Memory:
    """Create a memory as if an hour before it expired or will expire."""
    memory = make_memory(owner, text, **details)
    written_at = expires_at - timedelta(hours=1)
    Memory.objects.filter(pk=memory.pk).update(expires_at=expires_at, updated_at=written_at)
    return memory


def ids_between(since: datetime, until: datetime) -> list[int]:
    return sorted(change.memory_id for change in expired_between(since, until))


def test_each_is_found_in_one_of_two_looks_that_follow_each_other(now: datetime) -> None:
    owner = make_user()
    moments = [now - 3 * MINUTE, now - 2 * MINUTE, now - MINUTE, now, now + MINUTE]
    ids = [make_expiring(owner, f"Until {moment}", moment).pk for moment in moments]
    assert ids_between(now - 3 * MINUTE, now - MINUTE) == ids[1:3]
    assert ids_between(now - MINUTE, now) == ids[3:4]


def test_it_vanishes_for_its_owner_and_for_who_sees_its_tags(now: datetime) -> None:
    owner = make_user()
    memory = make_expiring(owner, "The office is closed", now, tags=("work",))
    (change,) = expired_between(now - MINUTE, now)
    assert (change.owner_id, change.memory_id) == (owner.pk, memory.pk)
    views = View.whole(owner.pk), View(owner.pk, ("work",)), View(owner.pk, ("family",)), View.whole(make_user().pk)
    assert [change.kind(view) for view in views] == [ChangeKind.REMOVED, ChangeKind.REMOVED, None, None]


def test_what_was_out_of_sight_before_does_not_vanish_again(now: datetime) -> None:
    owner = make_user()
    forgotten = make_expiring(owner, "Forgotten before", now)
    forget_memory(actor_for(owner), forgotten.pk)
    Memory.objects.filter(pk=forgotten.pk).update(updated_at=now - MINUTE)
    late = make_expiring(owner, "Written when its time was over", now - MINUTE)
    Memory.objects.filter(pk=late.pk).update(updated_at=now)
    inferred = make_expiring(owner, "Never accepted", now)
    Memory.objects.filter(pk=inferred.pk).update(quarantined_from="app")
    assert ids_between(now - 2 * MINUTE, now) == []


def test_the_clock_is_that_of_the_database_and_goes_on_within_a_transaction() -> None:
    first = database_time()
    assert first.tzinfo is not None
    assert database_time() > first


def test_who_was_away_is_told_what_expired_meanwhile(now: datetime) -> None:
    owner = make_user()
    view = View.whole(owner.pk)
    make_expiring(owner, "Long ago", now - timedelta(days=1))
    memory = make_expiring(owner, "Lately", now - MINUTE)
    changes = changes_since(view, timezone.now() - timedelta(hours=1))
    assert changes is not None
    kinds = {change.memory_id: change.kind(view) for change in changes}
    assert kinds[memory.pk] is ChangeKind.REMOVED
