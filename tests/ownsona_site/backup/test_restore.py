"""Tests of `manage.py restore` into a data folder: what it does with the old folder, and when it refuses."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from ownsona_site.embedded_postgres.binaries import packaged_programs
from ownsona_site.embedded_postgres.lease import CHANGE_FILE
from ownsona_site.embedded_postgres.processes import holders, server_processes
from ownsona_site.embedded_postgres.server import Server
from tests.ownsona_site.backup.conftest import AFTER, BEFORE
from tests.ownsona_site.backup.installation import Installation, altered, manifest_of, with_manifest
from tests.support.processes import child, eventually

WAIT = """
import sys
from pathlib import Path
from ownsona_site.embedded_postgres.server import Server
try:
    Server(Path(sys.argv[1])).use()
except Exception as error:
    print("refused:", error)
"""
KEY, OTHER_KEY = "k" * 40, "o" * 40


def test_a_new_data_folder_is_made_and_is_private(archive: Path, place: Path) -> None:
    new = Installation(place / "not" / "yet" / "there")
    said = new.manage("restore", archive)
    assert f"It is now the data folder {new.folder}." in said
    assert "before" not in said.partition("\n")[2].partition("Next:")[0]
    assert new.texts() == [BEFORE]
    assert new.folder.stat().st_mode & 0o066 == 0
    assert (new.folder / "secret_key").stat().st_mode & 0o077 == 0
    assert (new.folder / "postgres").stat().st_mode & 0o077 == 0
    assert os.listdir(new.folder.parent) == [new.folder.name]


def test_an_existing_data_folder_is_moved_aside_whole(existing: Installation, archive: Path, place: Path) -> None:
    said = existing.manage("restore", archive)
    assert existing.texts() == [BEFORE]
    (before,) = place.glob("data.before-restore-*")
    assert f"The previous data is now {before}." in said
    assert Installation(before).texts() == [BEFORE, AFTER]
    assert sorted(path.name for path in place.iterdir()) == sorted(["data", before.name])


def test_the_folder_of_backups_stays_in_the_data_folder(existing: Installation, archive: Path, place: Path) -> None:
    kept = existing.folder / "backups" / "ownsona-2026-11-28-033000.zip"
    kept.parent.mkdir()
    kept.write_bytes(archive.read_bytes())
    existing.manage("restore", kept)
    assert kept.read_bytes() == archive.read_bytes()
    (before,) = place.glob("data.before-restore-*")
    assert not (before / "backups").exists()
    assert Installation(before).texts() == [BEFORE, AFTER]


def test_a_data_folder_with_only_an_archive_is_filled(new: Installation, archive: Path, place: Path) -> None:
    kept = new.folder / "backups" / "copied.zip"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(archive.read_bytes())
    said = new.manage("restore", kept)
    assert "The previous data" not in said
    assert new.texts() == [BEFORE]
    assert kept.exists()
    assert os.listdir(place) == ["data"]


def schema_of(folder: Path) -> str:
    """Return tables, indexes, functions, triggers and all other definitions, as written by pg_dump."""
    server = Server(folder)
    server.use()
    command = [str(packaged_programs() / "pg_dump"), "--schema-only", "--user=ownsona", "ownsona"]
    environment = {**os.environ, "PGHOST": str(server.socket)}
    dump = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    server.release()
    # A random word follows it.
    return "\n".join(line for line in dump.splitlines() if "restrict " not in line)


def test_tables_indexes_functions_and_triggers_are_what_they_were(existing: Installation, archive: Path) -> None:
    before = schema_of(existing.folder)
    existing.manage("restore", archive)
    assert schema_of(existing.folder) == before
    for part in ("CREATE UNLOGGED TABLE", "CREATE TRIGGER", "CREATE FUNCTION", "CREATE INDEX vector_nearest_1_1_1"):
        assert part in before
    assert existing.sql("SELECT bool_and(indisvalid) FROM pg_index") == "t"


def test_ids_that_were_given_away_after_the_backup_do_not_come_back(archive: Path, existing: Installation) -> None:
    given_away = existing.memories()[-1]["id"]
    existing.manage("restore", archive)
    fact = existing.folder.parent / "fact.txt"
    fact.write_text("I moved to Porto\n", encoding="utf-8")
    existing.manage("import_memories", fact)
    assert existing.memories()[-1]["id"] > given_away


def test_a_dump_that_cannot_be_restored_leaves_everything_as_it_was(
    existing: Installation, archive: Path, place: Path
) -> None:
    dump = b"PGDMP, not really"
    members = manifest_of(archive)["members"]
    members["database.dump"] = {"bytes": len(dump), "sha256": hashlib.sha256(dump).hexdigest()}
    bad = altered(with_manifest(archive, place / "a.zip", members=members), place / "bad.zip", database=dump)
    assert "pg_restore failed" in existing.manage("restore", bad, fails=True)
    assert existing.texts() == [BEFORE, AFTER]
    assert sorted(path.name for path in place.iterdir()) == ["a.zip", "bad.zip", "data"]


def test_rows_that_are_missing_are_found_before_the_folders_change(
    existing: Installation, archive: Path, place: Path
) -> None:
    rows = {**manifest_of(archive)["rows"], "memories_memory": 7}
    said = existing.manage("restore", with_manifest(archive, place / "short.zip", rows=rows), fails=True)
    assert "memories_memory has 1 of 7 rows" in said
    assert existing.texts() == [BEFORE, AFTER]


def test_a_folder_in_use_is_refused_and_its_users_are_named(existing: Installation, archive: Path, place: Path) -> None:
    with child("manage.py", "mcp_stdio", environment=existing.environment) as client:
        assert client.process.stdin is not None
        client.process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        client.process.stdin.flush()
        client.wait_for('"id":1')
        said = existing.manage("restore", archive, fails=True)
        assert f"is in use by {client.process.pid} (manage.py mcp_stdio). Stop OwnSona" in said
        client.close_stdin()
        assert client.end() == 0
    assert existing.texts() == [BEFORE, AFTER]
    assert [path.name for path in place.iterdir()] == ["data"]


def test_a_server_that_all_its_users_have_left_behind_is_stopped(existing: Installation, archive: Path) -> None:
    with child("manage.py", "mcp_stdio", environment=existing.environment) as client:
        assert client.process.stdin is not None
        client.process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        client.process.stdin.flush()
        client.wait_for('"id":1')
        client.process.kill()
        client.end()
    assert server_processes(existing.folder / "postgres")
    existing.manage("restore", archive)
    (before,) = existing.folder.parent.glob("data.before-restore-*")
    assert not server_processes(before / "postgres")
    assert existing.texts() == [BEFORE]


def test_a_process_that_waited_while_the_folder_was_replaced_gives_up(place: Path) -> None:
    folder = place / "data"
    folder.mkdir(mode=0o711)
    with ExitStack() as stack:
        with Server(folder).unused():
            waiting = stack.enter_context(child("-c", WAIT, str(folder)))
            assert eventually(lambda: bool(holders(folder / CHANGE_FILE, other_than=os.getpid())))
            folder.rename(place / "aside")
            folder.mkdir(mode=0o711)
        waiting.end()
        assert (
            waiting.output == f"refused: {folder} was replaced while this process waited for it. Start the process "
            f"again.\n"
        )
    assert os.listdir(folder) == []


@pytest.mark.parametrize(
    ("made_with", "restored_with", "options", "complaint"),
    [
        (KEY, KEY, [], None),
        (KEY, "", [], "set SECRET_KEY to that value"),
        (KEY, OTHER_KEY, [], "SECRET_KEY in the environment differs from that of the archive. Set it"),
        ("", OTHER_KEY, [], "Remove SECRET_KEY, since the archive contains its key"),
        (KEY, "", ["--other-key"], None),
    ],
)
def test_a_secret_key_that_does_not_fit_is_refused_unless_it_is_meant(
    existing: Installation,
    archive: Path,
    place: Path,
    *,
    made_with: str,
    restored_with: str,
    options: list[str],
    complaint: str | None,
) -> None:
    if made_with:
        existing.settings["SECRET_KEY"] = made_with
        archive = place / "own.zip"
        existing.manage("backup", archive)
    restored = Installation(place / "restored", {"SECRET_KEY": restored_with})
    said = restored.manage("restore", archive, *options, fails=complaint is not None)
    if complaint is None:
        assert BEFORE in restored.texts()
    else:
        assert complaint in said
        assert "--other-key" in said
        assert not restored.folder.exists()


def test_values_that_cannot_be_decrypted_with_another_key_are_counted(existing: Installation, place: Path) -> None:
    owner_id = existing.sql("SELECT min(id) FROM oauthserver_user")
    existing.sql(
        "INSERT INTO memories_hiddenvalue (owner_id, memory_id, number, kind, encrypted_value) "
        f"SELECT {owner_id}, id, 1, 'PIN', 'encrypted' FROM memories_memory"
    )
    existing.manage("backup", place / "own.zip")
    lost = "Without that key, these cannot be decrypted: 2 hidden values."
    restored = Installation(place / "restored", {"SECRET_KEY": OTHER_KEY})
    assert lost in restored.manage("restore", place / "own.zip", fails=True)
    assert lost in restored.manage("restore", place / "own.zip", "--other-key")
    assert lost not in Installation(place / "same").manage("restore", place / "own.zip")


def test_settings_that_differ_from_those_of_the_archive_are_named(archive: Path, new: Installation) -> None:
    new.settings["OWNSONA_PUBLIC_URL"] = "https://memory.example"
    said = new.manage("restore", archive)
    assert "OWNSONA_PUBLIC_URL was http://127.0.0.1:8000 and is https://memory.example here: apps have to" in said


def test_an_archive_of_an_older_schema_is_brought_up_to_date(existing: Installation, place: Path) -> None:
    existing.manage("migrate", "memories", "0011_stated", "--verbosity=0")
    existing.manage("backup", place / "older.zip")
    assert "0012_passages" not in manifest_of(place / "older.zip")["migrations"]["memories"]
    restored = Installation(place / "restored")
    assert re.search(r"[1-9]\d* migrations were applied", restored.manage("restore", place / "older.zip"))
    assert restored.sql("SELECT count(start_char) + count(*) FROM memories_memoryvector") == "2"
    assert restored.texts() == [BEFORE, AFTER]
