"""Tests of the command `export_memories`, and that importing its output restores everything."""

from __future__ import annotations

import io
import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from mcpapi.tools.shapes import shape_memory
from memories.access import View
from memories.models import JournalEntry, Memory
from memories.transfer.exporting import exported_lines, exported_memories
from memories.vectors.indexing import pending_memories
from oauthserver.models import User
from tests.support.factories import make_memory, make_user

pytestmark = pytest.mark.django_db

SERVERS_OWN = {"id", "updated_at", "replaced_by_id"}


def export(path: Path, *options: str) -> list[dict[str, Any]]:
    call_command("export_memories", "--output", str(path), *options)
    content = path.read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = (
        json.loads(content)["memories"] if "json" in options else [json.loads(line) for line in content.splitlines()]
    )
    return rows


def test_an_export_has_every_field_as_the_tools_show_it(rich_owner: User, tmp_path: Path) -> None:
    rows = export(tmp_path / "all.jsonl", "--user", "owner")

    memories = Memory.objects.visible_to(View.whole(rich_owner.pk)).order_by("pk")
    assert rows == [shape_memory(memory).model_dump(mode="json", exclude_unset=True) for memory in memories]


@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_it_says_how_many_memories_are_in_the_file(rich_owner: User, tmp_path: Path, form: str) -> None:
    path, err = tmp_path / "all", io.StringIO()
    call_command("export_memories", "--user", "owner", "--format", form, "--output", str(path), stderr=err)
    assert err.getvalue() == f"7 memories written to {path}\n"


def test_one_memory_is_counted_as_one(owner: User, tmp_path: Path) -> None:
    make_memory(owner, "Likes rain.")
    path, err = tmp_path / "all", io.StringIO()
    call_command("export_memories", "--user", "owner", "--output", str(path), stderr=err)
    assert err.getvalue() == f"1 memory written to {path}\n"


@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_an_import_of_an_export_gives_the_same_memories(rich_owner: User, tmp_path: Path, form: str) -> None:
    path = tmp_path / "all"
    rows = export(path, "--user", "owner", "--format", form)
    new_owner = make_user("new")
    out = io.StringIO()

    call_command("import_memories", str(path), "--user", "new", stdout=out)

    memories = list(Memory.objects.visible_to(View.whole(new_owner.pk)).order_by("pk"))
    again = [json.loads(line) for line in exported_lines(exported_memories(View.whole(new_owner.pk)))]
    by_content = {(row["text"], row.get("deleted_at")): row for row in again}
    assert out.getvalue().splitlines()[0] == f"{len(rows)} inserted, 0 duplicates, 0 failed"
    assert len(by_content) == len(memories) == len(rows) == 7
    for row in rows:
        restored = by_content[row["text"], row.get("deleted_at")]
        assert {name: restored[name] for name in restored.keys() - SERVERS_OWN} == {
            name: row[name] for name in row.keys() - SERVERS_OWN
        }
    successors = {memory.text: memory.replaced_by.text for memory in memories if memory.replaced_by}
    assert successors == {"Lives in Linz.": "Lives in Graz.", "Lives in Graz.": "Lives in Wels."}
    assert pending_memories().filter(owner=new_owner).count() == 7
    assert set(JournalEntry.objects.filter(owner=new_owner).values_list("memory_id", flat=True)) == {
        memory.pk for memory in memories
    }


def test_importing_an_export_where_it_comes_from_changes_nothing(rich_owner: User, tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    rows = export(path, "--user", "owner")
    journal = JournalEntry.objects.count()
    out = io.StringIO()

    call_command("import_memories", str(path), "--user", "owner", stdout=out)

    assert out.getvalue().splitlines() == ["0 inserted, 7 duplicates, 0 failed"]
    assert JournalEntry.objects.count() == journal
    assert export(path, "--user", "owner") == rows


def test_what_was_forgotten_can_be_left_out(rich_owner: User, tmp_path: Path) -> None:
    rows = export(tmp_path / "kept", "--user", "owner", "--no-deleted")

    assert len(rows) == 4
    assert not any("deleted_at" in row for row in rows)


def test_pages_join_without_loss(owner: User, settings: Settings) -> None:
    settings.MAX_EXPORT_ROWS = 2
    made = [make_memory(owner, f"Fact number {i}.").pk for i in range(5)]

    assert [json.loads(line)["id"] for line in exported_lines(exported_memories(View.whole(owner.pk)))] == made


def test_nobody_elses_memories_are_exported(rich_owner: User, tmp_path: Path) -> None:
    make_user("other")

    assert export(tmp_path / "none.jsonl", "--user", "other") == []
    assert export(tmp_path / "none.json", "--user", "other", "--format", "json") == []


def test_the_file_is_for_its_owner_only(rich_owner: User, tmp_path: Path) -> None:
    export(tmp_path / "all.jsonl", "--user", "owner")

    assert stat.S_IMODE((tmp_path / "all.jsonl").stat().st_mode) == 0o600


def test_a_failed_export_leaves_the_file_that_was_there(
    rich_owner: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "all.jsonl"
    path.write_text("the export of last week")

    def fail_in_the_middle(*_: object, **__: object) -> Iterator[bytes]:
        yield b"half"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("memories.management.commands.export_memories.exported_lines", fail_in_the_middle)

    with pytest.raises(CommandError, match="cannot be written: No space left on device"):
        call_command("export_memories", "--user", "owner", "--output", str(path))

    assert path.read_text() == "the export of last week"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("target", [".", "missing/all.jsonl"])
def test_a_place_that_cannot_be_written_is_one_clear_line(owner: User, tmp_path: Path, target: str) -> None:
    with pytest.raises(CommandError, match=r"is a folder|cannot be written: No such file"):
        call_command("export_memories", "--user", "owner", "--output", str(tmp_path / target))


def test_standard_output_is_the_default(rich_owner: User, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    call_command("export_memories", "--user", "owner")

    lines = capfdbinary.readouterr().out.splitlines()
    assert [json.loads(line)["text"] for line in lines[2:4]] == ["Lives in Linz.", "Lives in Graz."]
