"""Tests of the backups of every night: when one is due, and which archives are kept."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django import Settings

from ownsona_site.backup.kept.failures import last_failure, record_result
from ownsona_site.backup.kept.folder import archives, find_archive
from ownsona_site.backup.kept.jobs import follow_plan, is_due, last_night
from ownsona_site.backup.kept.pruning import delete_archive, delete_old_archives
from ownsona_site.backup.last_backup import last_backup, record_backup
from ownsona_site.models import BackupPlan, BackupProblem, BackupRun
from ownsona_site.startup.owner_account import ensure_account
from tests.ownsona_site.backup.kept.archives import put_archive

pytestmark = pytest.mark.django_db

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def in_berlin(settings: Settings) -> None:
    settings.OWNER_TIME_ZONE = BERLIN


def run_at(moment: datetime, *, nightly: bool = True, problem: str = "") -> BackupRun:
    """Record a backup that took a minute."""
    finished = moment + timedelta(minutes=1)
    name = f"ownsona-{moment:%Y-%m-%d-%H%M%S}.zip"
    return BackupRun.objects.create(
        name=name, is_nightly=nightly, started_at=moment, finished_at=finished, problem=problem
    )


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ("2026-11-28T02:30:00+00:00", "2026-11-28T03:30:00+01:00"),
        ("2026-11-28T02:29:59+00:00", "2026-11-27T03:30:00+01:00"),
        ("2026-07-01T01:30:00+00:00", "2026-07-01T03:30:00+02:00"),
        # In the night of the 25th of October, the clock is put back from 3 to 2.
        ("2026-10-25T02:30:00+00:00", "2026-10-25T03:30:00+01:00"),
        ("2026-10-25T02:29:00+00:00", "2026-10-24T03:30:00+02:00"),
    ],
)
def test_the_time_is_that_of_the_owner(now: str, expected: str) -> None:
    found = last_night(datetime.fromisoformat(now))
    assert found == datetime.fromisoformat(expected)


def test_a_backup_is_due_once_a_night() -> None:
    plan = BackupPlan(nightly_since=NOW - timedelta(days=9))
    assert is_due(plan, NOW)
    run_at(NOW - timedelta(days=1))
    assert is_due(plan, NOW)
    run_at(last_night(NOW) + timedelta(hours=5))
    assert not is_due(plan, NOW)
    assert is_due(plan, NOW + timedelta(days=1))


def test_without_a_plan_none_is_due_and_a_new_plan_begins_with_the_next_night() -> None:
    assert not is_due(BackupPlan(), NOW)
    plan = BackupPlan(nightly_since=NOW - timedelta(hours=1))
    assert not is_due(plan, NOW)
    assert is_due(plan, NOW + timedelta(days=1))


def test_a_backup_by_hand_counts_if_it_succeeded_and_a_failed_night_is_not_repeated() -> None:
    plan = BackupPlan(nightly_since=NOW - timedelta(days=9))
    run_at(NOW - timedelta(hours=2), nightly=False, problem=BackupProblem.DISK_FULL)
    assert is_due(plan, NOW)
    run_at(NOW - timedelta(hours=1), nightly=False)
    assert not is_due(plan, NOW)
    BackupRun.objects.all().delete()
    run_at(NOW - timedelta(hours=1), problem=BackupProblem.DISK_FULL)
    assert not is_due(plan, NOW)


def test_a_backup_that_was_missed_is_made_when_the_job_process_runs_again() -> None:
    BackupPlan.objects.create(nightly_since=timezone.now() - timedelta(days=3))
    follow_plan()
    follow_plan()
    job = ProcrastinateJob.objects.get(task_name="site.back_up")
    assert job.args == {"is_nightly": True}


def test_the_plan_is_on_in_a_new_data_folder_only() -> None:
    assert BackupPlan.current().nightly_since is None
    ensure_account()
    plan = BackupPlan.objects.get()
    assert plan.nightly_since is not None
    plan.switch(nightly=False)
    plan.save()
    ensure_account()
    assert BackupPlan.current().nightly_since is None
    plan.delete()
    ensure_account()
    assert not BackupPlan.objects.exists()


@pytest.mark.parametrize("keep", [0, 366])
def test_the_database_refuses_other_numbers(keep: int) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        BackupPlan.objects.create(keep=keep)


def days_ago(days: float) -> datetime:
    return timezone.now() - timedelta(days=days)


def test_the_newest_are_kept_and_other_files_stay(folder: Path) -> None:
    BackupPlan.objects.create(keep=2)
    made = [put_archive(folder, days_ago(days)) for days in (0, 1, 2, 3)]
    others = [
        put_archive(folder, days_ago(9), key="k" * 40),
        made[3].rename(folder / "ownsona-2020-01-01.zip"),
        folder / "ownsona-2020-01-01-000000.zip",
        folder / "ownsona-2020-01-01-000001.zip",
    ]
    others[2].write_text("something else", encoding="utf-8")
    others[3].symlink_to(made[2])
    run_at(days_ago(40))
    delete_old_archives(made[0])
    assert {path.name for path in [*made[:2], *others]} == set(os.listdir(folder))
    assert not BackupRun.objects.exists()


def test_damaged_archives_do_not_count_and_go_with_the_old_ones(folder: Path) -> None:
    BackupPlan.objects.create(keep=2)
    paths = [put_archive(folder, days_ago(days)) for days in (0, 1, 2, 3, 4)]
    for path in (paths[1], paths[3]):
        moment = days_ago(1)
        BackupRun.objects.create(
            name=path.name, is_nightly=True, started_at=moment, finished_at=moment, problem=BackupProblem.DAMAGED
        )
    paths[3].write_bytes(b"damaged")
    os.utime(paths[3], (days_ago(3).timestamp(),) * 2)
    delete_old_archives(paths[0])
    assert set(os.listdir(folder)) == {path.name for path in paths[:3]}


def test_archives_from_the_future_delete_nothing(folder: Path) -> None:
    BackupPlan.objects.create(keep=1)
    future, made = put_archive(folder, days_ago(-365)), put_archive(folder, days_ago(0))
    delete_old_archives(made)
    assert [archive.path for archive in archives()] == [future, made]


def test_an_archive_that_cannot_be_deleted_fails_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    BackupPlan.objects.create(keep=1)
    made, old = put_archive(folder, days_ago(0)), put_archive(folder, days_ago(1))

    def refuse(path: Path, *, missing_ok: bool = False) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "unlink", refuse)
    delete_old_archives(made)
    assert old.exists()


def test_after_the_last_backup_is_deleted_the_one_before_is_the_last(folder: Path) -> None:
    older, newer = (put_archive(folder, days_ago(days)) for days in (1, 0))
    for path in (older, newer):
        archive = find_archive(path.name)
        assert archive is not None
        assert archive.manifest is not None
        record_backup(archive.manifest, str(path), archive.bytes)
    assert archive is not None
    delete_archive(archive)
    last = last_backup()
    assert last is not None
    assert last.place == str(older)
    found = find_archive(older.name)
    assert found is not None
    delete_archive(found)
    assert last_backup() is None
    assert os.listdir(folder) == []


def test_a_failure_is_over_after_any_later_backup(folder: Path) -> None:
    record_result(run_at(days_ago(2)))
    assert last_failure() is None
    failed = run_at(days_ago(1), problem=BackupProblem.DISK_FULL)
    record_result(failed)
    failure = last_failure()
    assert failure is not None
    assert (failure.finished_at, failure.is_nightly, failure.problem) == (failed.finished_at, True, "disk_full")
    archive = find_archive(put_archive(folder, days_ago(0)).name)
    assert archive is not None
    assert archive.manifest is not None
    record_backup(archive.manifest, "/elsewhere.zip", 1)
    assert last_failure() is None
    record_result(run_at(days_ago(0), problem=BackupProblem.DISK_FULL))
    assert last_failure() is not None
    record_result(run_at(days_ago(-1)))
    assert last_failure() is None


@pytest.mark.parametrize("name", ["../secret_key", "ownsona-2026-11-28-033000.zip\n", "other.zip", ""])
def test_other_names_are_no_archives(folder: Path, name: str) -> None:
    put_archive(folder, NOW)
    assert find_archive(name) is None
