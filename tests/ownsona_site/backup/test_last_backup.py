"""Tests of the record of the last backup: when it was made and checked, and what the owner's pages say."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from ownsona_site.backup.last_backup import (
    FILE_NAME,
    LastBackup,
    last_backup,
    record_backup,
    record_check,
    record_restored,
)
from ownsona_site.backup.manifest import Manifest, SecretKey
from ownsona_site.configuration.data_directory import default_data_directory
from tests.ownsona_site.backup.installation import Installation
from tests.support.factories import HOST, make_memory, make_user


@pytest.fixture(autouse=True)
def data(settings: Settings, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


def manifest(created_at: datetime) -> Manifest:
    return Manifest(
        ownsona_version="1",
        created_at=created_at,
        postgresql_version="17",
        pg_dump_version="17",
        pgvector_version=None,
        database_bytes=1,
        migrations={},
        rows={},
        secret_key=SecretKey(included=True, fingerprint=""),
        settings={},
        members={},
    )


def test_a_check_is_recorded_only_for_the_last_backup() -> None:
    now = timezone.now()
    older, newer = manifest(now - timedelta(days=1)), manifest(now)
    record_backup(older, "/backups/old.zip", 1)
    record_backup(newer, "/backups/new.zip", 2)
    record_check(older)
    assert last_backup() == LastBackup(created_at=now, place="/backups/new.zip", bytes=2)
    record_check(newer)
    last = last_backup()
    assert last is not None
    assert last.checked_at is not None


@pytest.mark.parametrize("content", ["", "{", "[]", '{"created_at": "yesterday", "bytes": 1}'])
def test_a_damaged_record_counts_as_none(data: Path, content: str) -> None:
    (data / FILE_NAME).write_text(content, encoding="utf-8")
    assert last_backup() is None
    record_check(manifest(timezone.now()))
    record_backup(manifest(timezone.now()), "", 1)
    assert last_backup() is not None


def test_a_folder_that_cannot_be_written_does_not_fail_the_backup(settings: Settings, data: Path) -> None:
    settings.DATA_DIR = data / "missing"
    record_backup(manifest(timezone.now()), "", 1)
    assert last_backup() is None


def test_a_backup_and_its_check_are_recorded(existing: Installation, place: Path) -> None:
    existing.manage("backup", place / "a.zip")
    record = LastBackup.model_validate_json((existing.folder / FILE_NAME).read_bytes())
    assert record.place == str(place / "a.zip")
    assert record.bytes == (place / "a.zip").stat().st_size
    assert record.checked_at is None
    existing.manage("restore", "--check", place / "a.zip")
    assert LastBackup.model_validate_json((existing.folder / FILE_NAME).read_bytes()).checked_at is not None


def test_an_archive_that_was_restored_is_the_last_backup(existing: Installation, place: Path) -> None:
    existing.manage("backup", place / "a.zip")
    existing.manage("restore", place / "a.zip")
    record = LastBackup.model_validate_json((existing.folder / FILE_NAME).read_bytes())
    assert (record.place, record.bytes) == (str(place / "a.zip"), (place / "a.zip").stat().st_size)
    assert record.checked_at is not None


def test_an_older_archive_that_was_restored_is_not_the_last_backup() -> None:
    now = timezone.now()
    record_backup(manifest(now), "/new.zip", 1)
    record_restored(manifest(now - timedelta(days=1)), "/old.zip", 1)
    last = last_backup()
    assert last is not None
    assert last.place == "/new.zip"


@pytest.mark.django_db
def test_the_commands_use_the_data_folder_of_the_server(settings: Settings, data: Path) -> None:
    owner, browser = make_user("owner"), Client(headers={"host": HOST})
    owner.is_superuser = True
    owner.save()
    browser.force_login(owner)
    settings.DATA_DIR = data / "my data"
    assert page(browser, "/admin/backups/").count("OWNSONA_DATA_DIR=&#x27;") == 4
    settings.DATA_DIR = default_data_directory()
    assert "OWNSONA_DATA_DIR" not in page(browser, "/admin/backups/")


def page(browser: Client, path: str = "/admin/") -> str:
    return " ".join(browser.get(path).content.decode().split())


@pytest.mark.django_db
def test_the_overview_says_how_old_the_last_backup_is() -> None:
    owner, browser = make_user("owner"), Client(headers={"host": HOST})
    owner.is_superuser = True
    owner.save()
    browser.force_login(owner)
    for path in ("/admin/", "/admin/backups/"):
        assert "There is nothing to back up yet." in page(browser, path)
    make_memory(owner, "My dog is called Mochi")
    for path in ("/admin/", "/admin/backups/"):
        assert "No backup yet" in page(browser, path)
    record_backup(manifest(timezone.now() - timedelta(days=31)), "/a.zip", 1)
    assert "more than 30 days old" in page(browser)
    recent = manifest(timezone.now() - timedelta(days=2))
    record_backup(recent, "/<b>.zip", 1)
    assert "not checked yet" in page(browser)
    record_check(recent)
    assert "found complete" in page(browser)
    assert "/&lt;b&gt;.zip" in page(browser, "/admin/backups/")


@pytest.mark.django_db
def test_who_does_not_run_the_server_sees_nothing_of_backups() -> None:
    anna, browser = make_user("anna"), Client(headers={"host": HOST})
    browser.force_login(anna)
    record_backup(manifest(timezone.now()), "/a.zip", 1)
    assert "Last backup" not in page(browser)
    assert "/a.zip" not in page(browser, "/admin/backups/")
