"""Tests of archives that cannot be restored: the error names the fault, and nothing is changed."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ownsona_site.backup.archive import Archive
from ownsona_site.backup.errors import BackupError
from ownsona_site.backup.schema import require_known_schema
from tests.ownsona_site.backup.installation import Installation, altered, manifest_of, with_manifest


@pytest.mark.parametrize("part", [0.0, 0.001, 0.5, 0.999])
def test_a_truncated_archive_is_refused(archive: Path, tmp_path: Path, part: float) -> None:
    content = archive.read_bytes()
    cut = tmp_path / "cut.zip"
    cut.write_bytes(content[: int(len(content) * part)])
    with pytest.raises(BackupError, match="or is incomplete"):
        Archive(cut)


def test_a_truncated_archive_changes_nothing(archive: Path, existing: Installation, place: Path) -> None:
    cut = place / "cut.zip"
    cut.write_bytes(archive.read_bytes()[:-10])
    before = {path: path.stat().st_mtime_ns for path in existing.folder.rglob("*")}
    assert "is incomplete" in existing.manage("restore", cut, fails=True)
    after = {path: path.stat().st_mtime_ns for path in existing.folder.rglob("*")}
    del after[existing.folder / "checked_backups.json"]
    assert after == before
    fresh = Installation(place / "fresh")
    fresh.manage("restore", cut, fails=True)
    assert not fresh.folder.exists()


def test_a_flipped_bit_is_found_wherever_it_is(archive: Path, tmp_path: Path) -> None:
    content = bytearray(archive.read_bytes())
    for place in (200, len(content) // 2):
        damaged = bytearray(content)
        damaged[place] ^= 1
        (tmp_path / "damaged.zip").write_bytes(damaged)
        with pytest.raises(BackupError, match=r"cannot be restored|no archive"):
            Archive(tmp_path / "damaged.zip")


def changed_dump(archive: Path, target: Path) -> Path:
    return altered(archive, target, database=b"PGDMP, not really")


def same_size_dump(archive: Path, target: Path) -> Path:
    size = manifest_of(archive)["members"]["database.dump"]["bytes"]
    return altered(archive, target, database=b"x" * size)


def without_manifest(archive: Path, target: Path) -> Path:
    return altered(archive, target, manifest=None)


def without_key(archive: Path, target: Path) -> Path:
    return altered(archive, target, secret_key=None)


def another_format(archive: Path, target: Path) -> Path:
    return with_manifest(archive, target, format_version=99)


def another_program(archive: Path, target: Path) -> Path:
    return altered(archive, target, manifest=b'{"version": 1}')


def an_export(archive: Path, target: Path) -> Path:
    return altered(archive, target, manifest=b'{"format": "ownsona-archive", "format_version": 1}')


def no_json(archive: Path, target: Path) -> Path:
    return altered(archive, target, manifest=b"\xff")


def damaged_manifest(archive: Path, target: Path) -> Path:
    return with_manifest(archive, target, created_at="long ago")


def one_file_more(archive: Path, target: Path) -> Path:
    altered(archive, target)
    with zipfile.ZipFile(target, "a") as opened:
        opened.writestr("../../evil", b"")
    return target


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (changed_dump, r"database.dump is damaged: its size is not the \d+ bytes"),
        (same_size_dump, "database.dump is damaged: its SHA-256"),
        (without_manifest, "has no manifest.json"),
        (without_key, "It must have exactly the members database.dump, manifest.json, secret_key"),
        (one_file_more, "exactly the members"),
        (another_format, "archive format 99, and this OwnSona reads formats up to 2"),
        (another_program, "does not say that it is an archive"),
        (an_export, "data of one user, not a backup: import it with `manage.py import_archive`"),
        (no_json, "is not valid JSON"),
        (damaged_manifest, "created_at"),
    ],
)
def test_what_is_wrong_with_an_archive_is_named(
    archive: Path, tmp_path: Path, change: Callable[[Path, Path], Path], complaint: str
) -> None:
    with pytest.raises(BackupError, match=complaint):
        Archive(change(archive, tmp_path / "changed.zip"))


def test_an_archive_of_a_newer_version_is_refused_with_what_to_do(archive: Path, tmp_path: Path) -> None:
    migrations = manifest_of(archive)["migrations"]
    migrations["memories"].append("9999_from_the_future")
    newer = with_manifest(archive, tmp_path / "newer.zip", migrations=migrations, ownsona_version="7.0")
    with Archive(newer) as opened, pytest.raises(BackupError, match=r"newer OwnSona \(7.0; .*memories.9999_from_the"):
        require_known_schema(opened.manifest)


def test_an_archive_of_a_newer_postgresql_is_refused(archive: Path, tmp_path: Path) -> None:
    newer = with_manifest(archive, tmp_path / "newer.zip", postgresql_version="99.1")
    with Archive(newer) as opened, pytest.raises(BackupError, match="made with PostgreSQL 99"):
        require_known_schema(opened.manifest)


def test_a_file_that_is_not_there_is_one_line(new: Installation) -> None:
    said = new.manage("restore", "/nowhere.zip", fails=True)
    assert said == "CommandError: /nowhere.zip cannot be read: No such file or directory.\n"
    assert not new.folder.exists()


def test_a_check_says_what_is_inside_and_changes_nothing(archive: Path, new: Installation) -> None:
    said = new.manage("restore", "--check", archive)
    assert said.startswith("The archive is complete: the backup of ")
    assert "1 memory, 1 history entry" in said
    assert json.dumps(manifest_of(archive)["ownsona_version"]).strip('"') in said
    assert not new.folder.exists()
