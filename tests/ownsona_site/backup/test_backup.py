"""Tests of `manage.py backup`: the archive, and that a failed backup leaves nothing behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import psycopg
import pytest
from django.db import connection

from ownsona_site.backup import backing_up
from ownsona_site.backup.database import configured_database
from ownsona_site.backup.errors import BackupError
from ownsona_site.embedded_postgres.processes import server_processes
from ownsona_site.embedded_postgres.server import Server
from tests.ownsona_site.backup.installation import Installation, manifest_of, members
from tests.support.processes import ROOT, child, eventually

LONG_KEY = "k" * 40


def test_an_archive_has_a_dump_the_key_and_a_manifest_and_is_private(existing: Installation, place: Path) -> None:
    target = place / "archive.zip"
    said = existing.manage("backup", target)
    assert target.stat().st_mode & 0o777 == 0o600
    assert list(members(target)) == ["database.dump", "secret_key", "manifest.json"]
    assert members(target)["database.dump"].startswith(b"PGDMP")
    assert members(target)["secret_key"] == (existing.folder / "secret_key").read_bytes()
    manifest = manifest_of(target)
    assert manifest["rows"]["memories_memory"] == 2
    assert manifest["migrations"]["memories"][0] == "0001_initial"
    assert manifest["pgvector_version"]
    assert "2 memories, 2 history entries" in said
    assert "plain text" in said
    # The server was started for the backup only.
    assert server_processes(existing.folder / "postgres") == []


def test_it_can_be_sent_to_a_program(existing: Installation, place: Path) -> None:
    with open(place / "piped.zip", "wb") as stream:
        command = [sys.executable, "manage.py", "backup", "-"]
        environment = {**existing.environment}
        subprocess.run(command, stdout=stream, stderr=subprocess.DEVNULL, env=environment, cwd=ROOT, check=True)
    existing.manage("restore", "--check", place / "piped.zip")


def test_with_verbosity_0_it_is_silent(existing: Installation, place: Path) -> None:
    assert existing.manage("backup", place / "archive.zip", "--verbosity=0") == ""


def test_an_existing_file_is_replaced_only_with_overwrite(existing: Installation, place: Path) -> None:
    target = place / "archive.zip"
    target.write_text("something else", encoding="ascii")
    assert "--overwrite" in existing.manage("backup", target, fails=True)
    assert target.read_text(encoding="ascii") == "something else"
    existing.manage("backup", target, "--overwrite")
    assert zipfile.is_zipfile(target)


@pytest.mark.parametrize("name", ["", "missing/archive.zip"], ids=["a folder", "in no folder"])
def test_a_place_where_it_cannot_be_written_is_one_line(existing: Installation, place: Path, name: str) -> None:
    assert len(existing.manage("backup", place / name, fails=True).splitlines()) == 1


def test_where_nothing_was_ever_started_there_is_nothing_to_back_up(new: Installation, place: Path) -> None:
    assert "nothing to back up" in new.manage("backup", place / "archive.zip", fails=True)
    assert not (place / "archive.zip").exists()
    assert not (new.folder / "postgres").exists()


def test_a_key_from_the_environment_is_not_inside_and_that_is_said(existing: Installation, place: Path) -> None:
    existing.settings["SECRET_KEY"] = LONG_KEY
    said = existing.manage("backup", place / "archive.zip")
    assert "SECRET_KEY is set in the environment and is not in the archive" in said
    assert "secret_key" not in members(place / "archive.zip")
    assert "not in this archive" in manifest_of(place / "archive.zip")["secret_key"]["note"]
    assert LONG_KEY.encode() not in b"".join(members(place / "archive.zip").values())


def test_a_backup_that_is_stopped_or_killed_leaves_no_archive(existing: Installation, place: Path) -> None:
    target = place / "archive.zip"
    server = Server(existing.folder)
    server.use()
    with psycopg.connect(host=str(server.socket), user="ownsona", dbname="ownsona") as holder:
        # The backup waits for this lock, after it has begun to write.
        holder.execute("LOCK TABLE memories_memory IN ACCESS EXCLUSIVE MODE")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with child("manage.py", "backup", str(target), environment=existing.environment) as backup:
                assert eventually(lambda: bool(list(place.glob(".archive.zip.*"))))
                backup.process.send_signal(number)
                assert backup.end() not in {None, 0}
            assert not target.exists()
            assert "Traceback" not in backup.output
            assert number == signal.SIGKILL or not list(place.glob(".archive.zip.*"))
    server.release()


@pytest.mark.django_db(transaction=True)
def test_a_server_that_is_newer_than_pg_dump_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    connection.ensure_connection()
    monkeypatch.setattr(backing_up, "MAJOR_VERSION", 17)
    with (
        open(tmp_path / "archive.zip", "wb") as stream,
        pytest.raises(BackupError, match="the server is PostgreSQL 18"),
    ):
        backing_up.write_archive(stream, configured_database())
