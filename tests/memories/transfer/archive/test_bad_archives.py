"""Tests that an archive that cannot be imported is refused with one message, and changes nothing."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.core.management import CommandError, call_command

from memories.models import JournalEntry, Memory, TagSynonym
from memories.transfer.archive.errors import UnusableArchive
from memories.transfer.archive.importing import import_archive
from oauthserver.models import User
from tests.memories.transfer.archive.contents import exported
from tests.support.factories import make_memory, make_user, owner_actor

pytestmark = pytest.mark.django_db

Members = dict[str, bytes]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    owner = make_user("owner")
    for number in range(3):
        make_memory(owner, f"Fact number {number}.", tags=("fact",))
    return exported(owner, tmp_path / "good.zip")


@pytest.fixture
def other() -> User:
    return make_user("other")


def members_of(path: Path) -> Members:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written(path: Path, members: Members, compression: int = zipfile.ZIP_STORED) -> Path:
    target = path.with_name("bad.zip")
    with zipfile.ZipFile(target, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return target


def with_digests(members: Members) -> Members:
    """Return `members` with a manifest that fits to them."""
    manifest = orjson.loads(members["manifest.json"])
    manifest["members"] = {
        name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in members.items()
        if name != "manifest.json"
    }
    return {**members, "manifest.json": orjson.dumps(manifest)}


def changed_lines(path: Path, name: str, change: Callable[[list[dict[str, Any]]], None]) -> Path:
    """Return an archive with other lines in a list and correct digests."""
    members = members_of(path)
    rows = [orjson.loads(line) for line in members[name].splitlines()]
    change(rows)
    return written(path, with_digests({**members, name: b"".join(orjson.dumps(row) + b"\n" for row in rows)}))


def refused(owner: User, path: Path, message: str) -> None:
    """Check that the import is refused, and that nothing was stored."""
    synonyms = TagSynonym.objects.filter(owner=owner).count()
    with pytest.raises(UnusableArchive, match=message) as caught:
        import_archive(owner_actor(owner), path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)
    assert not Memory.objects.filter(owner=owner).exists()
    assert not JournalEntry.objects.filter(owner=owner).exists()
    assert TagSynonym.objects.filter(owner=owner).count() == synonyms


@pytest.mark.parametrize("kept", [0.0, 0.1, 0.5, 0.99])
def test_a_truncated_file(archive: Path, other: User, kept: float) -> None:
    content = archive.read_bytes()
    archive.write_bytes(content[: int(len(content) * kept)])
    refused(other, archive, "is not an archive of `manage.py export`, or is incomplete")


def test_a_missing_file_and_a_folder(other: User, tmp_path: Path) -> None:
    refused(other, tmp_path / "missing.zip", "cannot be read: No such file")
    refused(other, tmp_path, "cannot be read: Is a directory")


def test_a_changed_byte(archive: Path, other: User) -> None:
    content = archive.read_bytes()
    archive.write_bytes(content.replace(b"Fact number 1.", b"Fact number 7.", 1))
    refused(other, archive, r"memories\.jsonl|Bad CRC")


def test_a_member_that_is_not_the_one_of_the_manifest(archive: Path, other: User) -> None:
    members = members_of(archive)
    members["memories.jsonl"] = members["memories.jsonl"].replace(b"number 1", b"number 7")
    refused(other, written(archive, members), "memories.jsonl is damaged: its SHA-256")
    members["memories.jsonl"] += b"{}\n"
    refused(other, written(archive, members), "memories.jsonl is damaged: its size")


def test_a_newer_format(archive: Path, other: User) -> None:
    members = members_of(archive)
    manifest = orjson.loads(members["manifest.json"]) | {"format_version": 2, "ownsona_version": "9.1"}
    members["manifest.json"] = orjson.dumps(manifest)
    refused(other, written(archive, members), r"archive format 2, and this OwnSona reads format 1\..*9\.1")


def test_a_field_of_a_newer_version(archive: Path, other: User) -> None:
    def add_field(rows: list[dict[str, Any]]) -> None:
        rows[1]["colour"] = "blue"

    refused(other, changed_lines(archive, "memories.jsonl", add_field), "colour is unknown: a newer version of OwnSona")


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"format": "ownsona-backup"}', b"[" * 100_000])
def test_another_manifest(archive: Path, other: User, content: bytes) -> None:
    refused(other, written(archive, {**members_of(archive), "manifest.json": content}), "manifest.json")


def test_a_zip_file_of_something_else(archive: Path, other: User) -> None:
    refused(other, written(archive, {"notes.txt": b"mine"}), "It has no manifest.json")


@pytest.mark.parametrize("name", ["../outside.jsonl", "/etc/passwd", "originals/../../x", "notes.txt", "C:\\x"])
def test_names_of_other_members(archive: Path, other: User, name: str) -> None:
    members = with_digests({**members_of(archive), name: b"x"})
    refused(other, written(archive, members), "a member that this OwnSona does not know")


def test_members_that_the_manifest_does_not_name(archive: Path, other: User) -> None:
    refused(other, written(archive, {**members_of(archive), "prompts2.jsonl": b""}), "not those that manifest.json")
    members = members_of(archive)
    del members["history.jsonl"]
    refused(other, written(archive, members), "not those that manifest.json")


def test_two_members_with_one_name(archive: Path, other: User) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(archive, "a") as file:
        file.writestr("memories.jsonl", b"{}")
    refused(other, archive, "have the same name")


def test_a_bomb(archive: Path, other: User) -> None:
    members = with_digests({**members_of(archive), "prompts.jsonl": b" " * 50_000_000})
    path = written(archive, members, zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 500_000
    refused(other, path, "its members must be uncompressed")


def test_a_bomb_of_members_that_overlap(archive: Path, other: User) -> None:
    members = with_digests({**members_of(archive), f"originals/{'0' * 64}": b"x" * 100_000})
    path = written(archive, members)
    with zipfile.ZipFile(path, "a") as file:
        for number in range(1, 50):
            entry = file.getinfo(f"originals/{'0' * 64}")
            again = zipfile.ZipInfo(f"originals/{number:064}")
            again.file_size = again.compress_size = entry.file_size
            again.header_offset, again.CRC = entry.header_offset, entry.CRC
            file.filelist.append(again)
            file.NameToInfo[again.filename] = again
        file._didModify = True  # type: ignore[attr-defined]
    refused(other, path, "larger than the file")


BAD_VALUES = [
    ("id", "17"),
    ("id", 0),
    ("id", 1 << 60),
    ("id", None),
    ("text", 7),
    ("text", None),
    ("text", "a\x00b"),
    ("tags", "fact"),
    ("tags", [1]),
    ("importance", "high"),
    ("importance", True),
    ("capture_mode", "guessed"),
    ("briefing_place", "top"),
    ("created_at", "yesterday"),
    ("created_at", "2024-01-01T00:00:00"),
    ("replaced_by_id", "x"),
    ("named_days", "nonsense"),
]


@pytest.mark.parametrize(("field", "value"), BAD_VALUES)
def test_values_of_another_type(archive: Path, other: User, field: str, value: object) -> None:
    def change(rows: list[dict[str, Any]]) -> None:
        rows[-1][field] = value

    path = changed_lines(archive, "memories.jsonl", change)
    if value == "a\x00b":
        # Refused as everywhere: the rest is imported.
        summary = import_archive(owner_actor(other), path)
        assert summary.counts["memories"].refused == 1
    else:
        refused(other, path, "cannot be imported")


@pytest.mark.parametrize("field", ["memory_id", "operation", "after", "change_set", "at", "client"])
def test_an_incomplete_history(archive: Path, other: User, field: str) -> None:
    def change(rows: list[dict[str, Any]]) -> None:
        del rows[-1][field]

    refused(other, changed_lines(archive, "history.jsonl", change), f"has no {field}")


def test_two_memories_with_one_id(archive: Path, other: User) -> None:
    def change(rows: list[dict[str, Any]]) -> None:
        rows[1]["id"] = rows[0]["id"]

    refused(other, changed_lines(archive, "memories.jsonl", change), "Two memories have the id")


def test_lines_that_are_no_objects(archive: Path, other: User) -> None:
    members = members_of(archive)
    for line in (b"[]\n", b"{\n", b"\xff\n", b"null\n"):
        bad = written(archive, with_digests({**members, "prompts.jsonl": line}))
        refused(other, bad, "prompts.jsonl, line 1: it is not a JSON object")


def test_the_command_reports_in_one_line(archive: Path, other: User) -> None:
    archive.write_bytes(archive.read_bytes()[:-100])
    with pytest.raises(CommandError, match="or is incomplete"):
        call_command("import_archive", str(archive), "--user", "other")


def test_the_command_for_all_files_imports_archives_too(archive: Path, other: User) -> None:
    out = io.StringIO()
    call_command("import", str(archive), "--user", "other", "--dry-run", stdout=out)
    assert "memories: 3" in out.getvalue().splitlines()
    assert not Memory.objects.filter(owner=other).exists()
    with pytest.raises(CommandError, match="Import it alone"):
        call_command("import", str(archive), str(archive), "--user", "other")
    call_command("import", str(archive), "--user", "other", stdout=out)
    assert "memories: 3 added, 0 already there" in out.getvalue().splitlines()
    change_set = JournalEntry.objects.filter(owner=other, client="import").values_list("change_set", flat=True)[0]
    assert f"manage.py undo --change-set {change_set}" in out.getvalue()


def test_the_commands_report_what_they_did(archive: Path, other: User) -> None:
    out = io.StringIO()
    again = archive.with_name("again.zip")
    call_command("import_archive", str(archive), "--user", "other", stdout=out)
    call_command("import_archive", str(archive), "--user", "other", stdout=out)
    call_command("export", str(again), "--user", "other", stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[:2] == ["memories: 3 added, 0 already there", "history: 3 added, 0 already there"]
    assert "memories: 0 added, 3 already there" in lines
    assert f"Written to {again} (memories: 3, history: 6, tag synonyms: " in lines[-2]
    with pytest.raises(CommandError, match="An archive is complete"):
        call_command("export", str(archive), "--user", "other", "--no-deleted", "--overwrite")
