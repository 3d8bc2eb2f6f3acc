"""Tests of a killed restore: the old state is there, or the error says that a restore was interrupted."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from ownsona_site.embedded_postgres.processes import server_processes
from tests.ownsona_site.backup.conftest import AFTER, BEFORE, Made
from tests.ownsona_site.backup.installation import Installation, small_disk

KILLED = """
import os, signal, sys
from pathlib import Path
archive, moment = sys.argv[1:]
sys.argv = ["manage.py", "restore", archive]
from django.core.management import execute_from_command_line
from ownsona_site.backup import restoring

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def move_all(moves, record, original=restoring.move_all, rename=Path.rename):
    renamed = []
    def rename_or_die(self, target):
        if len(renamed) == int(moment):
            die()
        renamed.append(target)
        return rename(self, target)
    Path.rename = rename_or_die
    original(moves, record)
    die()

if moment == "filled":
    fill = restoring.fill
    restoring.fill = lambda *arguments: die(fill(*arguments))
else:
    restoring.move_all = move_all
execute_from_command_line(sys.argv)
"""
INTERRUPTED = "A restore was interrupted. Run the same `manage.py restore FILE` again"


def test_killed_before_the_folders_change_it_leaves_the_old_state(
    existing: Installation, archive: Path, place: Path
) -> None:
    existing.run("-c", KILLED, str(archive), "filled", fails=True)
    partial = place / "data.restoring"
    # The killed process could not stop its server.
    assert server_processes(partial / "postgres")
    assert existing.texts() == [BEFORE, AFTER]
    existing.manage("restore", archive)
    assert not partial.exists()
    assert existing.texts() == [BEFORE]


@pytest.mark.parametrize("moment", [0, 1])
def test_killed_while_folders_change_it_is_refused_until_the_restore_is_run_again(
    existing: Installation, archive: Path, place: Path, moment: int
) -> None:
    existing.run("-c", KILLED, str(archive), str(moment), fails=True)
    assert existing.folder.exists() == (moment == 0)
    assert INTERRUPTED in existing.manage("serve", fails=True)
    assert INTERRUPTED in existing.manage("backup", place / "new.zip", fails=True)
    assert not (existing.folder / "secret_key").exists() or moment == 0
    existing.manage("restore", archive)
    (before,) = place.glob("data.before-restore-*")
    assert existing.texts() == [BEFORE]
    assert Installation(before).texts() == [BEFORE, AFTER]
    assert sorted(path.name for path in place.iterdir()) == ["data", before.name]


@pytest.mark.parametrize("moment", [1, 2])
def test_killed_while_folders_change_an_archive_in_the_data_folder_is_found_again(
    existing: Installation, archive: Path, place: Path, moment: int
) -> None:
    kept = existing.folder / "backups" / "ownsona-2026-11-28-033000.zip"
    kept.parent.mkdir()
    kept.write_bytes(archive.read_bytes())
    existing.run("-c", KILLED, str(kept), str(moment), fails=True)
    assert not kept.exists()
    existing.manage("restore", kept)
    assert existing.texts() == [BEFORE]
    assert os.listdir(kept.parent) == [kept.name]
    assert kept.read_bytes() == archive.read_bytes()
    (before,) = place.glob("data.before-restore-*")
    assert Installation(before).texts() == [BEFORE, AFTER]


@pytest.mark.parametrize("moment", [0, 3, 9])
def test_killed_while_entries_of_a_mount_point_change_it_is_refused_too(made: Made, place: Path, moment: int) -> None:
    with small_disk(place / "volume", 400) as volume:
        subprocess.run(["cp", "-a", f"{made.folder}/.", volume], check=True)
        mounted = Installation(volume)
        mounted.run("-c", KILLED, str(made.archive), str(moment), fails=True)
        assert INTERRUPTED in mounted.manage("serve", fails=True)
        mounted.manage("restore", made.archive)
        (before,) = volume.glob("before-restore-*")
        assert mounted.texts() == [BEFORE]
        assert Installation(before).texts() == [BEFORE, AFTER]
