"""Tests of a disk without enough space, and of a data folder on a disk of its own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.ownsona_site.backup.conftest import AFTER, BEFORE, Made
from tests.ownsona_site.backup.installation import Installation, small_disk

UNCHECKED_RESTORE = """
import sys
sys.argv = ["manage.py", "restore", sys.argv[1]]
from django.core.management import execute_from_command_line
from ownsona_site.backup import restoring
restoring.require_space = lambda folder, manifest: None
execute_from_command_line(sys.argv)
"""


def test_a_backup_onto_a_full_disk_leaves_no_file(existing: Installation, place: Path) -> None:
    with small_disk(place / "disk", 1) as disk:
        (disk / "filler").write_bytes(b"x" * 950_000)
        said = existing.manage("backup", disk / "archive.zip", fails=True)
        assert said == f"CommandError: {disk}/archive.zip cannot be written: No space left on device.\n"
        assert os.listdir(disk) == ["filler"]


def test_too_little_space_is_found_before_anything_is_written(archive: Path, place: Path) -> None:
    with small_disk(place / "disk", 20) as disk:
        said = Installation(disk / "data").manage("restore", archive, fails=True)
        assert f"The disk of {disk} has too little free space: a restore needs about 1" in said
        assert "MB, and only 21.0 MB are free. Nothing was changed." in said
        assert os.listdir(disk) == []


@pytest.mark.parametrize("free_megabytes", [30, 62], ids=["for the cluster", "for the content"])
def test_a_disk_that_gets_full_during_a_restore_leaves_the_old_state(
    made: Made, place: Path, free_megabytes: int
) -> None:
    with small_disk(place / "disk", 300) as disk:
        subprocess.run(["cp", "-a", made.folder, disk / "data"], check=True)
        taken = sum(path.lstat().st_blocks for path in disk.rglob("*")) * 512 // 1_048_576
        subprocess.run(["mount", "-o", f"remount,size={taken + free_megabytes}m", disk], check=True)
        existing = Installation(disk / "data")
        said = existing.run("-c", UNCHECKED_RESTORE, str(made.archive), fails=True)
        assert said.startswith("CommandError: ")
        assert len(said.splitlines()) == 1
        assert os.listdir(disk) == ["data"]
        assert existing.texts() == [BEFORE, AFTER]


def test_a_mount_point_is_filled_and_later_replaced_from_within(archive: Path, place: Path) -> None:
    with small_disk(place / "volume", 400) as volume:
        mounted = Installation(volume)
        kept = volume / "backups" / "ownsona-2026-11-28-033000.zip"
        kept.parent.mkdir()
        kept.write_bytes(archive.read_bytes())
        mounted.manage("restore", archive)
        assert not list(volume.glob("before-restore-*"))
        said = mounted.manage("restore", archive)
        (before,) = volume.glob("before-restore-*")
        assert str(before) in said
        assert mounted.texts() == [BEFORE]
        assert Installation(before).texts() == [BEFORE]
        assert not (volume / "restoring").exists()
        assert kept.read_bytes() == archive.read_bytes()
        assert os.listdir(place) == ["volume"]


def test_backups_on_a_disk_of_their_own_are_not_moved(existing: Installation, archive: Path) -> None:
    with small_disk(existing.folder / "backups", 50) as disk:
        kept = disk / "ownsona-2026-11-28-033000.zip"
        kept.write_bytes(archive.read_bytes())
        existing.manage("restore", kept)
        assert kept.read_bytes() == archive.read_bytes()
        assert existing.texts() == [BEFORE]
        (before,) = existing.folder.glob("before-restore-*")
        assert Installation(before).texts() == [BEFORE, AFTER]
