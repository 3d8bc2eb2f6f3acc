"""Tests of the times of syncs: order, intervals, back-off, pauses and requests."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from common.advisory_locks import AdvisoryLock, locked
from documents import tasks
from documents.models import Document, Source
from documents.queue import is_sync_requested, sync_soon
from documents.sources.changes import change_source
from documents.sources.report import SyncReport
from documents.sources.schedule import next_run
from documents.sources.sync import sync
from documents.tasks import sync_due, sync_source
from oauthserver.models import User
from tests.common.test_advisory_locks import held_elsewhere
from tests.documents.sources.support import active_keys, folder_source, write
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)

NOW = timezone.now()


@pytest.fixture
def owner() -> User:
    return make_user()


def due(source: Source, minutes_ago: int) -> None:
    Source.objects.filter(pk=source.pk).update(next_run_at=timezone.now() - timedelta(minutes=minutes_ago))


def minutes_until_next(source: Source) -> float:
    source.refresh_from_db()
    assert source.next_run_at is not None
    return (source.next_run_at - timezone.now()).total_seconds() / 60


def test_a_new_source_is_synced_at_the_next_minute_and_then_after_its_interval(owner: User, tmp_path: Path) -> None:
    source = folder_source(owner, tmp_path / "a", every=30)
    write(tmp_path / "a", boat="The boat.")
    sync_due()
    assert active_keys(source) == ["boat.md"]
    assert 29 < minutes_until_next(source) <= 33
    write(tmp_path / "a", tea="Tea.")
    sync_due()
    assert active_keys(source) == ["boat.md"]


def test_what_is_due_for_the_longest_time_comes_first_and_a_failure_stops_nothing(
    owner: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []

    def recorded(source: Source, *, confirm_removals: bool) -> SyncReport:
        order.append(source.name)
        return sync(source, confirm_removals=confirm_removals)

    monkeypatch.setattr(tasks, "sync", recorded)
    for name, minutes_ago in {"a": 1, "b": 3, "c": 2}.items():
        due(folder_source(owner, tmp_path / name, name), minutes_ago)
    (tmp_path / "b").rmdir()
    sync_due()
    assert order == ["b", "c", "a"]


def test_paused_sources_sources_by_hand_and_those_of_disabled_users_are_not_synced(owner: User, tmp_path: Path) -> None:
    disabled = make_user()
    disabled.is_active = False
    disabled.save()
    change_source(folder_source(owner, tmp_path / "a", "a"), is_paused=True)
    folder_source(owner, tmp_path / "b", "b", every=0)
    folder_source(disabled, tmp_path / "c", "c")
    sync_due()
    assert not Source.objects.exclude(started_at=None).exists()


def test_the_wait_after_failures_doubles_up_to_a_day_and_ends_with_a_success(owner: User, tmp_path: Path) -> None:
    source = folder_source(owner, tmp_path / "a")
    (tmp_path / "a").rmdir()
    for expected in (5, 10, 20):
        sync(source)
        assert expected - 1 < minutes_until_next(source) <= 1.1 * expected
    (tmp_path / "a").mkdir()
    sync(source)
    assert 59 < minutes_until_next(source) <= 66


@pytest.mark.parametrize(
    ("interval", "failures", "minutes"),
    [(60, 0, 60), (60, 1, 5), (60, 5, 80), (60, 50, 24 * 60), (2, 1, 2), (2, 2, 4), (30 * 24 * 60, 30, 24 * 60)],
)
def test_the_next_sync_has_up_to_a_tenth_of_jitter(interval: int, failures: int, minutes: int) -> None:
    waits = {(next_run(interval, failures, NOW) or NOW) - NOW for _ in range(20)}
    assert len(waits) > 1
    assert all(timedelta(minutes=minutes) <= wait <= timedelta(minutes=1.1 * minutes) for wait in waits)
    assert next_run(0, failures, NOW) is None


def test_a_sync_that_was_killed_is_named_and_tried_again_later(owner: User, tmp_path: Path) -> None:
    source = folder_source(owner, tmp_path / "a")
    (tmp_path / "a").rmdir()
    Source.objects.filter(pk=source.pk).update(started_at=NOW, failures=1)
    seen: list[str] = []

    def look(_: object) -> str:
        seen.append(Source.objects.get().problem)
        return ""

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("documents.sources.sync._problem_of", look)
        sync(source)
    assert seen == ["The last sync was interrupted. The next one continues."]
    assert Source.objects.get().problem == ""


def test_a_sync_can_be_requested_once_at_a_time_also_of_a_paused_source(
    owner: User, tmp_path: Path, empty_queue: None
) -> None:
    source = folder_source(owner, tmp_path / "a")
    write(tmp_path / "a", boat="The boat.")
    change_source(source, is_paused=True)
    assert not is_sync_requested(source.pk)
    assert sync_soon(source.pk)
    assert not sync_soon(source.pk)
    assert is_sync_requested(source.pk)
    assert not is_sync_requested(source.pk + 1)
    job = ProcrastinateJob.objects.get(task_name="documents.sync_source")
    sync_source(**job.args)
    assert active_keys(source) == ["boat.md"]


def test_a_request_during_a_dry_run_is_done_at_the_next_minute(owner: User, tmp_path: Path) -> None:
    source = folder_source(owner, tmp_path / "a", every=0)
    with held_elsewhere(lambda: locked(AdvisoryLock.SOURCE_SYNC, source.pk)):
        sync_source(source_id=source.pk)
    source.refresh_from_db()
    assert source.started_at is None
    sync_due()
    source.refresh_from_db()
    assert source.finished_at is not None
    assert source.next_run_at is None


def test_a_request_for_a_removed_source_does_nothing() -> None:
    sync_source(source_id=123456)
    assert not Source.objects.exists()
    assert not Document.objects.exists()
