"""Tests of the pages on backups: who sees them, what they show, and what their buttons do."""

from __future__ import annotations

import json
import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django import DjangoAssertNumQueries, Settings

from oauthserver.models import User
from ownsona_site.backup.kept.failures import record_result
from ownsona_site.backup.kept.jobs import back_up_soon
from ownsona_site.backup.last_backup import record_check, record_damage
from ownsona_site.models import BackupPlan, BackupProblem, BackupRun
from tests.ownsona_site.backup.kept.archives import put_archive
from tests.support.factories import HOST, make_user

PAGE = "/admin/backups/"
NAME = "ownsona-2026-11-28-033000.zip"
SCRIPT = "<script>alert(1)</script>"

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_queue")]


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.DATA_DIR, settings.BACKUP_DIR = tmp_path, tmp_path / "backups"
    return tmp_path / "backups"


@pytest.fixture
def pages(owner: User) -> Client:
    """The browser of the owner, who runs the server."""
    owner.is_superuser = True
    owner.save()
    client = Client(headers={"host": HOST})
    client.force_login(owner)
    return client


def text_of(client: Client, path: str = PAGE) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def finished(name: str, problem: str = "", *, days_ago: float = 0, nightly: bool = True) -> None:
    moment = timezone.now() - timedelta(days=days_ago)
    run = BackupRun.objects.create(
        name=name, is_nightly=nightly, started_at=moment, finished_at=moment, problem=problem, detail=SCRIPT
    )
    record_result(run)


@pytest.mark.parametrize("path", ["now/", "progress/", f"archive/{NAME}/", f"archive/{NAME}/delete/", ""])
def test_only_who_runs_the_server_can_use_them(folder: Path, path: str) -> None:
    archive = put_archive(folder, timezone.now())
    path = f"{PAGE}{path.replace(NAME, archive.name)}"
    other = Client(headers={"host": HOST})
    assert "/login/" in other.post(path).headers["Location"]
    other.force_login(make_user())
    assert other.post(path).status_code in {403, 405}
    assert other.get(path).status_code == (200 if path == PAGE else 405 if "now" in path else 403)
    assert not BackupPlan.objects.exists()
    assert not ProcrastinateJob.objects.filter(task_name="site.back_up").exists()
    assert archive.exists()


def test_another_user_sees_only_the_export(folder: Path) -> None:
    archive = put_archive(folder, timezone.now())
    other = Client(headers={"host": HOST})
    other.force_login(make_user())
    shown = text_of(other)
    assert "Download my data" in shown
    assert "Back up now" not in shown
    assert archive.name not in shown
    assert str(folder) not in shown


def test_a_backup_is_asked_for_once_and_the_page_follows_it(pages: Client) -> None:
    assert "Back up now" in text_of(pages)
    assert json.loads(pages.get(f"{PAGE}progress/").content)["state"] == "done"
    assert pages.post(f"{PAGE}now/").headers["Location"] == PAGE
    assert "Waiting for the job process" in text_of(pages)
    assert "Back up now" not in text_of(pages)
    assert 'data-state="running"' in text_of(pages)
    assert json.loads(pages.get(f"{PAGE}progress/").content)["state"] == "running"
    pages.post(f"{PAGE}now/")
    assert "A backup is already being made." in text_of(pages)
    assert ProcrastinateJob.objects.filter(task_name="site.back_up").count() == 1


def test_the_plan_is_stored(pages: Client) -> None:
    assert "checked" not in text_of(pages).partition('name="nightly"')[2].partition(">")[0]
    pages.post(PAGE, {"nightly": "on", "keep": "30"})
    plan = BackupPlan.objects.get()
    assert plan.keep == 30
    since = plan.nightly_since
    assert since is not None
    assert "Saved." in text_of(pages)
    pages.post(PAGE, {"nightly": "on", "keep": "7"})
    assert BackupPlan.objects.get().nightly_since == since
    pages.post(PAGE, {"keep": "7"})
    assert BackupPlan.objects.get().nightly_since is None


@pytest.mark.parametrize("keep", ["0", "366", "", "many"])
def test_another_number_is_refused(pages: Client, keep: str) -> None:
    shown = pages.post(PAGE, {"nightly": "on", "keep": keep})
    assert shown.status_code == 200
    assert 'aria-invalid="true"' in shown.content.decode()
    assert not BackupPlan.objects.exists()


def test_the_list_has_the_archives_and_the_failures_newest_first(pages: Client, folder: Path) -> None:
    now = timezone.now()
    checked = put_archive(folder, now - timedelta(days=1), memories=1482)
    finished(checked.name, days_ago=1)
    unchecked = put_archive(folder, now - timedelta(days=3), memories=7)
    finished(NAME, BackupProblem.DISK_FULL, days_ago=2)
    finished("ownsona-2020-01-01-000000.zip", BackupProblem.DISK_FULL, days_ago=31)
    damaged = put_archive(folder, now - timedelta(days=4))
    damaged.write_bytes(b"x")
    os.utime(damaged, ((now - timedelta(days=4)).timestamp(),) * 2)
    shown = text_of(pages)
    rows = pages.get(PAGE).context["rows"]
    assert [row.archive and row.archive.name for row in rows] == [checked.name, None, unchecked.name, damaged.name]
    assert "3 backups" in shown
    assert "1,482" in shown
    assert shown.count("failed: the disk is full") == shown.count("failed: the file is damaged") == 1
    assert shown.count(">checked<") == shown.count(">not checked<") == 1
    assert SCRIPT not in shown


def test_the_number_of_queries_and_of_rows_is_limited(
    pages: Client, folder: Path, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for days in range(40):
        finished(put_archive(folder, timezone.now() - timedelta(days=days)).name)
    with django_assert_max_num_queries(15):
        assert len(pages.get(PAGE).context["rows"]) == 30
    assert len(pages.get(f"{PAGE}?all").context["rows"]) == 40
    assert "All 40" in text_of(pages)
    assert "All 40" not in text_of(pages, f"{PAGE}?all")


def test_the_page_of_an_archive_has_the_command_that_restores_it(pages: Client, folder: Path) -> None:
    archive = put_archive(folder, timezone.now(), memories=3)
    finished(archive.name)
    shown = text_of(pages, f"{PAGE}archive/{archive.name}/")
    assert "<span>restore</span> <span>" in shown
    assert str(archive) in shown
    assert "First stop OwnSona" in shown
    assert pages.get(f"{PAGE}archive/{NAME}/").status_code == 404
    assert pages.get(f"{PAGE}archive/secret_key/").status_code == 404


def test_a_copy_of_a_checked_backup_is_not_checked(pages: Client, folder: Path) -> None:
    archive = put_archive(folder, timezone.now())
    record_check(archive)
    copy = folder / NAME
    copy.write_bytes(archive.read_bytes())
    assert "found complete" in text_of(pages, f"{PAGE}archive/{archive.name}/")
    assert "not checked" in text_of(pages, f"{PAGE}archive/{NAME}/")
    shown = text_of(pages)
    assert shown.count(">checked<") == shown.count(">not checked<") == 1


def test_a_file_that_was_replaced_since_its_check_is_not_checked(pages: Client, folder: Path) -> None:
    of_run, recorded = (put_archive(folder, timezone.now() - timedelta(days=days)) for days in (1, 2))
    finished(of_run.name)
    record_check(recorded)
    assert text_of(pages).count(">checked<") == 2
    for archive in (of_run, recorded):
        later = timezone.now().timestamp() + 60
        os.utime(archive, (later, later))
    assert text_of(pages).count(">not checked<") == 2


def test_a_file_that_a_check_found_damaged_is_not_offered_for_a_restore(pages: Client, folder: Path) -> None:
    archive = put_archive(folder, timezone.now())
    record_damage(archive, SCRIPT)
    assert "failed: the file is damaged" in text_of(pages)
    shown = text_of(pages, f"{PAGE}archive/{archive.name}/")
    assert "the file is damaged" in shown
    assert "It cannot be restored." in shown
    assert "<span>restore</span> <span>--check</span>" in shown
    assert shown.count("<span>restore</span>") == 1
    assert SCRIPT not in shown


def test_a_damaged_file_is_listed_at_the_time_in_its_name(pages: Client, folder: Path, settings: Settings) -> None:
    folder.mkdir()
    (folder / NAME).write_bytes(b"x")
    (row,) = pages.get(PAGE).context["rows"]
    assert row.made_at == datetime(2026, 11, 28, 3, 30, tzinfo=settings.OWNER_TIME_ZONE)
    (folder / NAME).rename(folder / "ownsona-2026-13-28-033000.zip")
    (row,) = pages.get(PAGE).context["rows"]
    assert timezone.now() - row.made_at < timedelta(minutes=5)


@pytest.mark.parametrize(
    ("forgotten", "shown"), [(5, "62, and 5 forgotten<"), (0, "67<"), (None, "67, with the forgotten ones<")]
)
def test_forgotten_memories_are_counted_apart_if_the_archive_knows_their_number(
    pages: Client, folder: Path, forgotten: int | None, shown: str
) -> None:
    archive = put_archive(folder, timezone.now(), memories=67, forgotten=forgotten)
    assert f"<dd>{shown}" in pages.get(f"{PAGE}archive/{archive.name}/").content.decode()
    assert f'desk">{shown[:2]}<' in pages.get(PAGE).content.decode()


def test_an_archive_is_deleted_after_a_question(pages: Client, folder: Path) -> None:
    archive = put_archive(folder, timezone.now())
    finished(archive.name)
    delete = f"{PAGE}archive/{archive.name}/delete/"
    assert f"Delete “{archive.name}”?" in text_of(pages, delete)
    assert archive.exists()
    assert pages.post(delete, {"post": "yes"}).headers["Location"] == PAGE
    assert not archive.exists()
    assert not BackupRun.objects.exists()
    assert "Deleted." in text_of(pages)


def test_an_archive_that_cannot_be_deleted_stays_with_the_reason(
    pages: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = put_archive(folder, timezone.now())

    def refuse(path: Path, *, missing_ok: bool = False) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "unlink", refuse)
    response = pages.post(f"{PAGE}archive/{archive.name}/delete/", follow=True)
    assert "The file cannot be deleted: Permission denied." in response.content.decode()


def test_a_folder_that_is_missing_is_reported(pages: Client, settings: Settings, tmp_path: Path) -> None:
    assert "There is no folder" not in text_of(pages)
    settings.BACKUP_DIR = tmp_path / "disk" / "backups"
    assert f'There is no folder <span class="mono">{settings.BACKUP_DIR}</span>' in text_of(pages)


def test_a_failed_night_is_a_warning_on_the_overview(pages: Client) -> None:
    assert "nightly backup" not in text_of(pages, "/admin/")
    finished(NAME, BackupProblem.NOT_WRITABLE, nightly=False)
    assert "The last backup failed" in text_of(pages)
    assert "nightly backup" not in text_of(pages, "/admin/")
    finished("ownsona-2026-11-28-033001.zip", BackupProblem.NOT_WRITABLE)
    assert "The nightly backup failed just now: the folder is not writable." in text_of(pages, "/admin/")
    other = Client(headers={"host": HOST})
    other.force_login(make_user())
    assert "nightly backup" not in text_of(other, "/admin/")


def test_a_queued_backup_is_shown_to_all_who_run_the_server(pages: Client) -> None:
    back_up_soon(is_nightly=True)
    second = Client(headers={"host": HOST})
    second.force_login(User.objects.create_user("second", is_superuser=True))
    assert "Waiting for the job process" in text_of(second)
