"""Tests of a backup by the job process: the archive, its check, failures and interruptions."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO
from zoneinfo import ZoneInfo

import psycopg
import pytest
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django import Settings

from memories.writing.lifecycle import forget_memory
from ownsona_site.backup.archive import Archive
from ownsona_site.backup.backing_up import write_archive
from ownsona_site.backup.database import Parameters
from ownsona_site.backup.kept import making
from ownsona_site.backup.kept.folder import archives, new_name, open_folder
from ownsona_site.backup.kept.jobs import back_up_soon, follow_plan, under_way
from ownsona_site.backup.kept.making import MOST_ATTEMPTS, make_backup
from ownsona_site.backup.last_backup import last_backup
from ownsona_site.backup.manifest import Manifest
from ownsona_site.models import BackupPlan, BackupProblem, BackupRun
from tests.ownsona_site.backup.kept.archives import put_archive
from tests.support.factories import make_memory, make_user, owner_actor
from tests.support.processes import child, environment_of_a_worker, eventually
from tests.support.small_disk import fill, small_disk

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    with monkeypatch.context() as patched:
        yield patched


def fail_with(patched: pytest.MonkeyPatch, error: BaseException) -> None:
    """Let the backup fail when a part of the archive was written."""

    def write(stream: IO[bytes], _database: Parameters) -> None:
        stream.write(b"x" * 1000)
        raise error

    patched.setattr(making, "write_archive", write)


def test_an_archive_is_made_and_checked(folder: Path, settings: Settings) -> None:
    settings.OWNER_TIME_ZONE = ZoneInfo("Asia/Tokyo")
    make_memory(make_user(), "Likes tea")
    make_memory(make_user(), "Likes coffee")
    milk = make_memory(make_user(), "Likes milk")
    forget_memory(owner_actor(milk.owner), milk.pk)
    make_backup(is_nightly=False)
    (archive,) = archives()
    run = BackupRun.objects.get()
    assert (archive.name, archive.memories, archive.forgotten, run.problem) == (run.name, 2, 1, "")
    assert archive.name == new_name(run.started_at)
    local = run.started_at.astimezone(ZoneInfo("Asia/Tokyo"))
    assert archive.name == f"ownsona-{local:%Y-%m-%d-%H%M%S}.zip"
    assert archive.path.stat().st_mode & 0o777 == 0o600
    last = last_backup()
    assert last is not None
    assert (last.place, last.bytes) == (str(archive.path), archive.bytes)
    assert last.checked_at is not None
    with Archive(archive.path) as opened:
        assert opened.manifest.rows["memories_memory"] == 3


def test_two_backups_in_the_same_second_have_two_names() -> None:
    now = timezone.now()
    for _ in range(2):
        make_backup(is_nightly=False)
    assert len(archives()) == BackupRun.objects.filter(problem="").count() == 2
    assert timezone.now() - now < timedelta(minutes=1)


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), BackupProblem.DISK_FULL),
        (PermissionError(errno.EACCES, "Permission denied"), BackupProblem.NOT_WRITABLE),
        (psycopg.OperationalError("the connection is closed"), BackupProblem.DATABASE),
    ],
)
def test_a_failure_is_recorded_and_leaves_no_file(
    folder: Path, failing: pytest.MonkeyPatch, error: Exception, problem: BackupProblem
) -> None:
    fail_with(failing, error)
    make_backup(is_nightly=True)
    run = BackupRun.objects.get()
    assert (run.problem, run.detail, run.is_nightly) == (problem, str(error), True)
    assert run.finished_at is not None
    assert os.listdir(folder) == []
    assert last_backup() is None


def test_an_unexpected_error_is_recorded_and_fails_the_job(failing: pytest.MonkeyPatch) -> None:
    fail_with(failing, RuntimeError("a bug"))
    with pytest.raises(RuntimeError):
        make_backup(is_nightly=False)
    run = BackupRun.objects.get()
    assert (run.problem, run.detail) == (BackupProblem.OTHER, "RuntimeError: a bug")


def test_a_folder_that_is_set_is_not_created(settings: Settings, tmp_path: Path) -> None:
    settings.BACKUP_DIR = tmp_path / "disk" / "backups"
    make_backup(is_nightly=False)
    assert BackupRun.objects.get().problem == BackupProblem.NO_FOLDER
    assert not (tmp_path / "disk").exists()


def test_a_file_in_the_place_of_the_folder_is_reported(folder: Path) -> None:
    folder.rmdir()
    folder.write_text("", encoding="utf-8")
    make_backup(is_nightly=False)
    assert BackupRun.objects.get().problem == BackupProblem.NO_FOLDER


def test_the_folder_in_the_data_folder_is_created_private(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR, settings.BACKUP_DIR = tmp_path / "data", tmp_path / "data" / "backups"
    settings.DATA_DIR.mkdir()
    for _ in range(2):
        assert open_folder() == settings.BACKUP_DIR
        assert settings.BACKUP_DIR.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(("is_nightly", "limit"), [(True, "DISK_WARNING_MB"), (False, "DISK_MINIMUM_MB")])
def test_too_little_space_is_found_before_anything_is_written(
    folder: Path, settings: Settings, failing: pytest.MonkeyPatch, is_nightly: bool, limit: str
) -> None:
    settings.DISK_WARNING_MB = settings.DISK_MINIMUM_MB = 0
    setattr(settings, limit, 1000)
    put_archive(folder, timezone.now() - timedelta(days=1)).write_bytes(b"x" * 2_000_000)
    free = 1_001_000_000
    failing.setattr(making, "free_bytes_in", lambda _folder: free)
    make_backup(is_nightly=is_nightly)
    assert BackupRun.objects.get().problem == BackupProblem.DISK_FULL
    assert BackupRun.objects.get().detail == f"1001 MB are free in {folder}, and 1002 MB are needed."
    free = 1_003_000_000
    make_backup(is_nightly=is_nightly)
    assert BackupRun.objects.filter(problem="").exists()


def test_a_disk_that_gets_full_is_reported_and_has_no_partial_file(
    settings: Settings, failing: pytest.MonkeyPatch
) -> None:
    with small_disk(1) as disk:
        settings.BACKUP_DIR = disk
        make_backup(is_nightly=False)
        failing.setattr(making, "_require_space", lambda *_, **__: None)
        filler = fill(disk, leave_megabytes=0)
        make_backup(is_nightly=False)
        assert os.listdir(disk) == [filler.name]
    found = list(BackupRun.objects.order_by("pk").values_list("problem", "detail"))
    assert [problem for problem, _ in found] == [BackupProblem.DISK_FULL] * 2
    assert "MB are needed" in found[0][1]
    assert "No space left on device" in found[1][1]


def test_a_damaged_archive_is_reported_and_old_ones_stay(folder: Path, failing: pytest.MonkeyPatch) -> None:
    BackupPlan.objects.create(keep=1)
    old = put_archive(folder, timezone.now() - timedelta(days=1))

    def damage(stream: IO[bytes], database: Parameters) -> Manifest:
        manifest = write_archive(stream, database)
        stream.seek(100)
        stream.write(b"damage")
        return manifest

    failing.setattr(making, "write_archive", damage)
    make_backup(is_nightly=False)
    run = BackupRun.objects.get()
    assert run.problem == BackupProblem.DAMAGED
    assert old.exists()
    last = last_backup()
    assert last is not None
    assert last.checked_at is None


def test_a_backup_by_a_killed_process_is_made_again(folder: Path) -> None:
    run = BackupRun.objects.create(name="ownsona-2026-11-28-033000.zip", is_nightly=True, started_at=timezone.now())
    (folder / f".{run.name}.0a1b2c3d.partial").write_bytes(b"x")
    (folder / ".ownsona-2026-11-28-033000.zip.by-hand").write_bytes(b"x")
    make_backup(is_nightly=True, attempts=1)
    (made,) = archives()
    assert sorted(os.listdir(folder)) == [".ownsona-2026-11-28-033000.zip.by-hand", made.name]
    assert BackupRun.objects.get().name == made.name


def test_an_archive_that_was_complete_when_the_process_was_killed_is_only_checked(folder: Path) -> None:
    make_backup(is_nightly=True)
    changed = BackupRun.objects.update(finished_at=None)
    assert changed == 1
    make_backup(is_nightly=True, attempts=1)
    assert len(archives()) == 1
    assert BackupRun.objects.get().finished_at is not None


def test_a_backup_that_kills_its_process_is_given_up(folder: Path) -> None:
    BackupRun.objects.create(name="ownsona-2026-11-28-033000.zip", is_nightly=True, started_at=timezone.now())
    make_backup(is_nightly=True, attempts=MOST_ATTEMPTS)
    assert BackupRun.objects.get().problem == BackupProblem.INTERRUPTED
    assert archives() == []


def test_what_was_interrupted_does_not_stay_under_way_without_a_job(folder: Path) -> None:
    lost = BackupRun.objects.create(name="ownsona-2026-11-28-033000.zip", is_nightly=False, started_at=timezone.now())
    (folder / f".{lost.name}.0a1b2c3d.partial").write_bytes(b"x")
    old, new = (folder / f".ownsona-2026-11-2{day}-033000.zip.00000000.partial" for day in "67")
    for path, age in ((old, 7200), (new, 60)):
        path.write_bytes(b"x")
        os.utime(path, (time.time() - age, time.time() - age))
    follow_plan()
    assert BackupRun.objects.get().problem == BackupProblem.INTERRUPTED
    assert os.listdir(folder) == [new.name]


def test_a_second_request_joins_the_first() -> None:
    assert back_up_soon()
    assert not back_up_soon(is_nightly=True)
    assert under_way() == "todo"
    assert ProcrastinateJob.objects.filter(task_name="site.back_up").count() == 1


def test_the_job_process_makes_the_backup(folder: Path) -> None:
    back_up_soon()
    environment = {**environment_of_a_worker(), "BACKUP_DIR": str(folder)}
    with child(
        "manage.py", "procrastinate", "worker", "--queues", "default", "--one-shot", environment=environment
    ) as process:
        assert eventually(lambda: under_way() is None), process.output
        process.end()
    assert BackupRun.objects.get().problem == ""
    assert len(archives()) == 1


def test_names_have_the_time_of_the_owner(settings: Settings) -> None:
    settings.OWNER_TIME_ZONE = ZoneInfo("Europe/Berlin")
    assert new_name(datetime(2026, 7, 1, 1, 2, 3, tzinfo=UTC)) == "ownsona-2026-07-01-030203.zip"
