"""Tests of the record of the last backup: when it was made and checked, and what the owner's pages say."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from ownsona_site.backup.checked_files import checked_files
from ownsona_site.backup.last_backup import (
    FILE_NAME,
    LastBackup,
    last_backup,
    record_backup,
    record_check,
    record_damage,
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


def test_a_check_is_recorded_only_for_the_file_of_the_last_backup(data: Path) -> None:
    now = timezone.now()
    last_file, copy = data / "last.zip", data / "copy.zip"
    for path in (last_file, copy):
        path.write_bytes(b"12")
    record_backup(manifest(now), str(last_file), 2)
    record_check(copy)
    assert last_backup() == LastBackup(created_at=now, place=str(last_file), bytes=2)
    record_check(last_file)
    last = last_backup()
    assert last is not None
    assert last.checked_at is not None
    record_damage(last_file, "Bad CRC-32")
    last = last_backup()
    assert last is not None
    assert (last.checked_at, last.is_damaged) == (None, True)
    record_check(last_file)
    last = last_backup()
    assert last is not None
    assert (last.checked_at is None, last.is_damaged) == (False, False)


def test_checks_of_files_that_are_gone_are_forgotten(data: Path) -> None:
    gone, kept = data / "gone.zip", data / "kept.zip"
    for path in (gone, kept):
        path.write_bytes(b"12")
        record_check(path)
    assert set(checked_files()) == {str(gone), str(kept)}
    gone.unlink()
    record_damage(kept, "Bad CRC-32")
    assert {place: check.problem for place, check in checked_files().items()} == {str(kept): "Bad CRC-32"}


@pytest.mark.parametrize("content", ["", "{", "[]", '{"created_at": "yesterday", "bytes": 1}'])
def test_a_damaged_record_counts_as_none(data: Path, content: str) -> None:
    (data / FILE_NAME).write_text(content, encoding="utf-8")
    assert last_backup() is None
    record_check(data / FILE_NAME)
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


def test_a_damaged_copy_is_recorded_as_damaged_and_the_backup_is_not(existing: Installation, place: Path) -> None:
    existing.manage("backup", place / "a.zip")
    existing.manage("restore", "--check", place / "a.zip")
    content = bytearray((place / "a.zip").read_bytes())
    content[len(content) // 2 : len(content) // 2 + 8] = b"damaged!"
    (place / "copy.zip").write_bytes(content)
    for command in (["--check"], []):
        existing.manage("restore", *command, place / "copy.zip", fails=True)
        record = json.loads((existing.folder / "checked_backups.json").read_bytes())["files"]
        assert record[str(place / "a.zip")]["problem"] == ""
        assert "cannot be restored" in record[str(place / "copy.zip")]["problem"]
    last = LastBackup.model_validate_json((existing.folder / FILE_NAME).read_bytes())
    assert (last.checked_at is None, last.is_damaged) == (False, False)


def test_an_archive_that_was_restored_is_the_last_backup(existing: Installation, place: Path) -> None:
    existing.manage("backup", place / "a.zip")
    existing.manage("restore", place / "a.zip")
    record = LastBackup.model_validate_json((existing.folder / FILE_NAME).read_bytes())
    assert (record.place, record.bytes) == (str(place / "a.zip"), (place / "a.zip").stat().st_size)
    assert record.checked_at is not None


def test_an_older_archive_that_was_restored_is_not_the_last_backup() -> None:
    now = timezone.now()
    record_backup(manifest(now), "/new.zip", 1)
    record_restored(manifest(now - timedelta(days=1)), Path("/old.zip"))
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
def test_the_overview_says_how_old_the_last_backup_is(data: Path) -> None:
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
    file = data / "<b>.zip"
    file.write_bytes(b"1")
    record_backup(recent, str(file), 1)
    assert "not checked yet" in page(browser)
    record_check(file)
    assert "found complete" in page(browser)
    assert "/&lt;b&gt;.zip" in page(browser, "/admin/backups/")
    record_damage(file, "Bad CRC-32")
    assert "damaged" in page(browser)
    assert "The last backup is damaged" in page(browser, "/admin/backups/")


@pytest.mark.django_db
def test_who_does_not_run_the_server_sees_nothing_of_backups() -> None:
    anna, browser = make_user("anna"), Client(headers={"host": HOST})
    browser.force_login(anna)
    record_backup(manifest(timezone.now()), "/a.zip", 1)
    assert "Last backup" not in page(browser)
    assert "/a.zip" not in page(browser, "/admin/backups/")
