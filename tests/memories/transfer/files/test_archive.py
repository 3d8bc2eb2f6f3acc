"""ZIP archives and folders, and their limits."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import stat
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from memories.transfer.entries import Entry, UnreadableFile
from memories.transfer.files import archive, folder
from memories.transfer.opening import open_import, open_path
from tests.support.imports import FIXTURES, left_out, problems, texts


def packed(files: dict[str, bytes | str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as pack:
        for name, content in files.items():
            pack.writestr(name, content)
    return target.getvalue()


def entries_of(content: bytes) -> list[Entry]:
    return list(open_import(io.BytesIO(content), "export.zip").entries)


def test_each_file_is_read_in_its_own_format_and_named() -> None:
    export = packed(
        {
            "conversations.json": (FIXTURES / "claude-conversations.json").read_bytes(),
            "memories.json": (FIXTURES / "claude-memories.json").read_bytes(),
            "users.json": json.dumps([{"uuid": "u", "full_name": "Ada"}]),
            "message_feedback.json": json.dumps([{"id": "f", "content": "{}"}]),
            "settings.json": json.dumps({"theme": "dark"}),
            "projects/p.json": json.dumps({"uuid": "p", "name": "x", "docs": []}),
            "image.png": b"\x89PNG",
            "notes/tea.md": "- Likes tea.",
        }
    )
    source = open_import(io.BytesIO(export), "export.zip")
    entries = list(source.entries)
    assert source.format == "ZIP archive"
    assert [entry.place for entry in entries if entry.value][-1] == "notes/tea.md: line 1"
    assert source.notes.files == {"Claude export": 1, "Claude memory": 1, "Markdown": 1}
    assert source.notes.conversations == 1
    assert sorted(left_out(entries)) == [
        *["files of other kinds"] * 3,
        *["files without memories"] * 2,
    ]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"manifest.json": '{\n  "format": "ownsona-backup"}', "database.dump": "PGDMP"}, "is a backup of a whole"),
        ({"[Content_Types].xml": "<Types/>", "word/document.xml": "<w:document/>"}, "is a document, not an export"),
        ({"mimetype": "application/epub+zip", "content.opf": "<package/>"}, "is a document, not an export"),
    ],
)
def test_a_backup_and_a_document_are_refused_with_what_to_do(files: dict[str, bytes | str], said: str) -> None:
    with pytest.raises(UnreadableFile, match=said):
        entries_of(packed(files))


def test_archives_in_an_archive_are_read_but_no_deeper() -> None:
    inner = packed({"memories.json": '["Likes tea."]'})
    assert texts(entries_of(packed({"memories-000.zip": inner}))) == ["Likes tea."]
    ((place, problem),) = problems(entries_of(packed({"a.zip": packed({"b.zip": inner})})))
    assert (place, "archive in an archive in an archive" in problem) == ("a.zip: b.zip", True)


def test_a_database_in_an_archive_has_its_write_ahead_log(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("PRAGMA journal_mode = WAL;" + (FIXTURES / "mcp-memory-service.sql").read_text())
        connection.commit()
        export = packed({name: (tmp_path / name).read_bytes() for name in ("m.db", "m.db-wal")})
    assert len(texts(entries_of(export))) == 3


def test_a_bad_member_is_reported_and_the_others_are_imported() -> None:
    entries = entries_of(packed({"a.json": '["cut off', "b.json": '["Likes tea."]', "c.txt": b"\xff\xfeab"}))
    assert texts(entries) == ["Likes tea."]
    assert [place for place, _ in problems(entries)] == ["a.json", "c.txt"]
    assert all(problem.startswith("it is ") for _, problem in problems(entries))


@pytest.mark.parametrize("name", ["../outside.txt", "/etc/outside.txt", "a/../../outside.txt", "C:\\outside.txt"])
def test_a_path_out_of_the_archive_is_refused(name: str) -> None:
    ((_, problem),) = problems(entries_of(packed({name: "Likes tea."})))
    assert problem == "its path leads out of the archive, so it is not read."


def test_links_in_an_archive_are_refused() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as pack:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        pack.writestr(link, "/etc/passwd")
    ((_, problem),) = problems(entries_of(target.getvalue()))
    assert problem == "it is a link, so it is not read."


def test_a_zip_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = packed({f"{n}.txt": b"\x00" * (8 << 20) for n in range(4)})
    with pytest.raises(UnreadableFile, match="compressed too much"):
        entries_of(bomb)


def test_an_archive_with_too_many_files_or_bytes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_FILES", 2)
    with pytest.raises(UnreadableFile, match="too large when it is unpacked: at most 2 files"):
        entries_of(packed({f"{n}.txt": "x" for n in range(3)}))
    monkeypatch.setattr(archive, "MAX_UNPACKED_BYTES", 10)
    with pytest.raises(UnreadableFile, match="too large when it is unpacked"):
        entries_of(packed({"a.txt": "x" * 11}))


def test_a_truncated_archive_is_refused() -> None:
    export = packed({"a.txt": os.urandom(5000).hex()})
    with pytest.raises(UnreadableFile, match="is a damaged ZIP archive, or only a part of one"):
        entries_of(export[:3000])


def test_a_member_with_a_wrong_checksum_is_reported() -> None:
    export = bytearray(packed({"a.txt": "Likes tea and rain.", "b.txt": "Likes fog."}, zipfile.ZIP_STORED))
    export[export.index(b"tea")] = ord("T")
    entries = entries_of(bytes(export))
    assert texts(entries) == ["Likes fog."]
    assert problems(entries) == [("a.txt", "it is damaged, or the archive is only a part of one.")]


def test_an_encrypted_archive_is_refused() -> None:
    export = bytearray(packed({"a.txt": "Likes tea."}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        export[export.index(signature) + offset] |= 1
    with pytest.raises(UnreadableFile, match="is encrypted"):
        entries_of(bytes(export))


def test_an_empty_archive_has_nothing() -> None:
    assert entries_of(packed({})) == []


def test_links_and_hidden_files_of_a_folder_are_not_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("Likes fog.")
    notes = tmp_path / "notes"
    (notes / ".trash").mkdir(parents=True)
    (notes / ".trash" / "old.md").write_text("Likes snow.")
    (notes / "tea.md").write_text("Likes tea.")
    (notes / "link.txt").symlink_to(outside)
    (notes / "linked").symlink_to(tmp_path, target_is_directory=True)
    (notes / "photo.jpg").write_bytes(b"\xff\xd8")
    entries = list(open_path(notes).entries)
    assert texts(entries) == ["Likes tea."]
    assert left_out(entries) == ["files of other kinds"]


def test_a_folder_with_too_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "MAX_FILES", 2)
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text("x")
    with pytest.raises(UnreadableFile, match="has more than 2 files"):
        list(open_path(tmp_path).entries)


def test_transcripts_prompts_and_tasks_beside_memory_files_are_no_memories(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("Use tabs.")
    (tmp_path / "history.jsonl").write_text('{"session_id": "s", "ts": 1, "text": "fix the bug"}\n')
    (tmp_path / "session.jsonl").write_text('{"type": "user", "message": {"role": "user", "content": "fix it"}}\n')
    (tmp_path / "todos.json").write_text('[{"content": "Run the tests", "status": "pending", "id": "1"}]')
    (tmp_path / "settings.json").write_text('{"theme": "dark"}')
    entries = list(open_path(tmp_path).entries)
    assert texts(entries) == ["Use tabs."]
    assert len(left_out(entries)) == 4
