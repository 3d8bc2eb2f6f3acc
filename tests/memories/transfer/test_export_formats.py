"""Tests of the command `export`: JSON Lines, CSV and folders of Markdown files."""

from __future__ import annotations

import csv
import io
import stat
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml
from django.core.management import CommandError, call_command

from memories.access import View
from memories.models import Memory
from memories.transfer.entries import Entry
from memories.transfer.exporting import exported_lines, exported_memories
from memories.transfer.folders.index import INDEX_NAME
from memories.transfer.importer import ImportRun
from memories.writing.briefing_places import place_memory
from memories.writing.lifecycle import hard_delete_memory
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import actor_for, make_memory, make_user, owner_actor

pytestmark = pytest.mark.django_db

SERVERS_OWN = {"id", "updated_at", "replaced_by_id"}
HOSTILE = [
    '=HYPERLINK("https://example.com", "tea")',
    "+1 is my answer, -1 is hers",
    'He said "yes",\nand then; nothing\t.',
    "---\ntitle: not front matter\n---",
    "<script>alert('tea')</script> & *stars*",
    "../../etc/passwd\N{RIGHT-TO-LEFT OVERRIDE}",
]


def export(path: Path, *options: str) -> str:
    out = io.StringIO()
    call_command("export", str(path), "--user", "owner", *options, stdout=out)
    return out.getvalue().strip()


def records_of(owner: User) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in exported_lines(exported_memories(View.whole(owner.pk)))]


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def as_record(cells: dict[str, str]) -> dict[str, Any]:
    """Return a row with the types of JSON."""
    record: dict[str, Any] = {name: cell for name, cell in cells.items() if cell}
    record["tags"] = [tag for tag in cells["tags"].split(",") if tag]
    for name, convert in (("id", int), ("replaced_by_id", int), ("importance", float), ("pinned", bool)):
        if name in record:
            record[name] = convert(record[name])
    return record


def note_of(path: Path) -> tuple[dict[str, Any], str]:
    opening, front_matter, text = path.read_text(encoding="utf-8").split("---\n", 2)
    assert opening == ""
    return yaml.safe_load(front_matter), text.removesuffix("\n")


def without_nulls(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if value is not None}


def bring_in(owner: User, records: list[dict[str, Any]]) -> None:
    run = ImportRun(owner_actor(owner))
    run.run(
        [Entry(f"item {place}", record) for place, record in enumerate(records)],
        lambda *problem: pytest.fail(str(problem)),
    )


def test_json_lines_are_those_of_the_other_command(rich_owner: User, tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    assert export(path) == f"7 memories written to {path}"
    assert path.read_bytes().splitlines(keepends=True) == list(
        exported_lines(exported_memories(View.whole(rich_owner.pk)))
    )
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_a_file_is_replaced_only_on_request(rich_owner: User, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"all.{suffix}"
    path.write_text("mine")
    with pytest.raises(CommandError, match="already exists"):
        export(path)
    assert path.read_text() == "mine"
    export(path, "--overwrite", "--no-deleted")
    assert len(path.read_text().split("Likes rain.")) == 2
    assert sorted(tmp_path.iterdir()) == [path]


def test_the_format_must_be_known(rich_owner: User, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"--format jsonl\|csv\|markdown"):
        export(tmp_path / "all.docx")
    with pytest.raises(CommandError, match="cannot be written: No such file"):
        export(tmp_path / "missing" / "all.csv")


def test_csv_has_every_field_of_every_memory(rich_owner: User, tmp_path: Path) -> None:
    for text in HOSTILE:
        make_memory(rich_owner, text)
    place_memory(owner_actor(rich_owner), make_memory(rich_owner, "tea").pk, Memory.BriefingPlace.PINNED)
    export(tmp_path / "all.csv")

    assert [as_record(row) for row in rows_of(tmp_path / "all.csv")] == list(map(without_nulls, records_of(rich_owner)))
    assert (tmp_path / "all.csv").read_bytes().count(b"\r\n") == 1 + 7 + len(HOSTILE) + 1


def test_csv_gives_the_same_memories_again(rich_owner: User, tmp_path: Path) -> None:
    for text in HOSTILE:
        make_memory(rich_owner, text)
    export(tmp_path / "all.csv")
    other = make_user("other")

    bring_in(other, [as_record(row) for row in rows_of(tmp_path / "all.csv")])

    def contents(owner: User) -> list[dict[str, Any]]:
        kept = [{name: row[name] for name in row.keys() - SERVERS_OWN} for row in records_of(owner)]
        return sorted(kept, key=lambda row: (row["text"], row.get("deleted_at") or ""))

    assert contents(other) == contents(rich_owner)


@pytest.mark.parametrize("name", ["all.csv", "notes"])
def test_the_import_command_reads_what_was_exported(rich_owner: User, tmp_path: Path, name: str) -> None:
    for text in [*HOSTILE, "One paragraph.\n\n- a list\n\nAnother paragraph.", "I like [Graz](https://graz.at) #1"]:
        make_memory(rich_owner, text, source_provider="a: {b}\n\n- c")
    place_memory(owner_actor(rich_owner), make_memory(rich_owner, "tea").pk, Memory.BriefingPlace.PINNED)
    place_memory(owner_actor(rich_owner), make_memory(rich_owner, "fog").pk, Memory.BriefingPlace.HIDDEN)
    export(tmp_path / name)
    other = make_user("other")

    call_command("import", str(tmp_path / name), "--user", "other", stdout=io.StringIO())

    def contents(owner: User) -> list[dict[str, Any]]:
        rows = records_of(owner)
        texts = {row["id"]: row["text"] for row in rows}
        kept = [
            {name: row[name] for name in row.keys() - SERVERS_OWN} | {"successor": texts.get(row.get("replaced_by_id"))}
            for row in rows
        ]
        return sorted(kept, key=lambda row: (row["text"], row.get("deleted_at") or ""))

    assert contents(other) == contents(rich_owner)


def test_notes_have_every_field_and_the_exact_text(rich_owner: User, tmp_path: Path) -> None:
    for text in HOSTILE:
        make_memory(rich_owner, text, source_provider="a: {b}\n- c")
    folder = tmp_path / "notes"
    assert export(folder).startswith(f"13 memories in {folder}. Files: 13 written, 0 unchanged")

    records = records_of(rich_owner)
    assert {path.name for path in folder.iterdir()} == {f"memory-{row['id']}.md" for row in records} | {INDEX_NAME}
    for record in records:
        properties, text = note_of(folder / f"memory-{record['id']}.md")
        assert properties | {"text": text} == without_nulls(record)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_another_export_touches_only_the_notes_of_changed_memories(rich_owner: User, tmp_path: Path) -> None:
    memory, gone = make_memory(rich_owner, "tea"), make_memory(rich_owner, "coffee")
    export(tmp_path, "--format", "markdown")
    (tmp_path / "mine.md").write_text("mine")
    (tmp_path / "memory-999999999.md").write_text("mine, too")
    before = {path.name: path.stat().st_ino for path in tmp_path.glob("*.md")}
    update_memory(actor_for(rich_owner), memory.pk, MemoryUpdate(text="green tea"))
    hard_delete_memory(actor_for(rich_owner), gone.pk)

    said = export(tmp_path)

    assert said == f"8 memories in {tmp_path}. Files: 1 written, 7 unchanged, 1 removed"
    after = {path.name: path.stat().st_ino for path in tmp_path.glob("*.md")}
    assert {name for name in before if before[name] != after.get(name)} == {
        f"memory-{memory.pk}.md",
        f"memory-{gone.pk}.md",
    }
    assert (tmp_path / "mine.md").read_text() == "mine"


def test_notes_that_the_owner_has_changed_stay(owner: User, tmp_path: Path) -> None:
    memory, gone = make_memory(owner, "tea"), make_memory(owner, "coffee")
    export(tmp_path, "--format", "markdown")
    for each in (memory, gone):
        (tmp_path / f"memory-{each.pk}.md").write_text("mine")
    update_memory(actor_for(owner), memory.pk, MemoryUpdate(text="green tea"))
    hard_delete_memory(actor_for(owner), gone.pk)
    err = io.StringIO()

    call_command("export", str(tmp_path), "--user", "owner", stderr=err)

    assert f"memory-{memory.pk}.md, memory-{gone.pk}.md" in err.getvalue()
    assert {path.read_text() for path in tmp_path.glob("*.md")} == {"mine"}
    export(tmp_path, "--overwrite")
    assert [note_of(path)[1] for path in tmp_path.glob("*.md")] == ["green tea"]


def test_a_link_in_place_of_a_note_is_not_followed(owner: User, tmp_path: Path) -> None:
    memory = make_memory(owner, "tea")
    secret = tmp_path / "secret"
    secret.write_text("secret")
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / f"memory-{memory.pk}.md").symlink_to(secret)

    export(folder)
    assert (folder / f"memory-{memory.pk}.md").is_symlink()
    export(folder, "--overwrite")

    assert secret.read_text() == "secret"
    assert note_of(folder / f"memory-{memory.pk}.md")[1] == "tea"


@pytest.mark.parametrize("content", ["", "[]", '{"files": {"../secret": ""}}', '{"files": {"memory-1.md": 1}}'])
def test_a_damaged_index_is_refused(owner: User, tmp_path: Path, content: str) -> None:
    (tmp_path / INDEX_NAME).write_text(content)
    with pytest.raises(CommandError, match="is damaged"):
        export(tmp_path)


def test_a_file_cannot_be_a_folder_of_notes(owner: User, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("")
    with pytest.raises(CommandError, match="is a file"):
        export(tmp_path / "notes", "--format", "markdown")
