"""The preview of an import, and the outcomes that an import reports for every entry."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from memories.access import Actor, View
from memories.models import Memory
from memories.tags import add_default_synonyms
from memories.transfer.importer import ImportRun
from memories.transfer.opening import open_import
from memories.transfer.preview import MAX_REJECTIONS, Preview, preview
from memories.writing.deduplication import DedupPolicy
from oauthserver.models import User
from tests.support.factories import make_memory, make_user
from tests.support.imports import FIXTURES

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return User.objects.create_superuser("owner")


def preview_of(owner: User, content: str | bytes, **settings: object) -> Preview:
    raw = content.encode() if isinstance(content, str) else content
    run = ImportRun(Actor(View.whole(owner.pk), "import", is_owner=True), DedupPolicy.INSERT, **settings)  # type: ignore[arg-type]
    return preview(run, open_import(io.BytesIO(raw), "file"))


def command(*arguments: object) -> tuple[int, list[str], list[str]]:
    """Run the command and return its exit code and the lines of both outputs."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    try:
        call_command("import", *map(str, arguments), stdout=out, stderr=err)
    except SystemExit as ended:
        code = int(ended.code or 0)
    return code, out.getvalue().splitlines(), err.getvalue().splitlines()


def test_a_preview_counts_everything_and_stores_nothing(owner: User, settings: Settings) -> None:
    settings.MAX_BATCH_SIZE = 3
    make_memory(owner, "Likes tea.")
    rows = [
        {"text": "Likes tea."},
        {"text": "Likes rain.", "mood": 1},
        {"text": "likes RAIN."},
        {"text": "Likes fog.", "deleted_at": "2024-01-01T00:00:00Z"},
        {"text": "Is on holiday.", "expires_at": "2020-01-01T00:00:00Z"},
        {"text": ""},
    ]

    found = preview_of(owner, "\n".join(map(json.dumps, rows)))

    summary = found.summary
    assert (summary.inserted, summary.duplicates, summary.failed) == (3, 2, 1)
    assert (found.forgotten, found.expired, summary.ignored) == (1, 1, {"mood"})
    assert [(sample.text, sample.state) for sample in found.samples] == [
        ("Likes rain.", ""),
        ("Likes fog.", "forgotten"),
        ("Is on holiday.", "expired"),
    ]
    assert found.rejections == [("line 6", "text: must not be empty.")]
    assert Memory.objects.count() == 1


def test_a_preview_shows_how_tags_and_fields_are_mapped(owner: User) -> None:
    add_default_synonyms(owner.pk)
    found = preview_of(owner, "text,tags\nLikes tea.,Job|Hot Drinks|x\nLikes rain.,work", tags=("moved",))
    assert found.tags == {"work": 2, "moved": 2, "hot-drinks": 1}
    assert found.changed_tags == {"Job": "work", "Hot Drinks": "hot-drinks", "x": ""}
    assert found.samples[0].tags == ("work", "hot-drinks", "moved")
    assert found.files == {"CSV": 1}
    assert ("created_at, created, date, timestamp", "created_at") in found.fields["CSV"]


def test_a_preview_keeps_few_of_many_rejections(owner: User) -> None:
    found = preview_of(owner, '"a"\n' + '""\n' * 500)
    assert found.summary.failed == 500
    assert len(found.rejections) == MAX_REJECTIONS


def test_a_secret_is_a_reason_in_sentences(owner: User) -> None:
    found = preview_of(owner, '"a"\n"My password is hunter2hunter2"\n')
    ((place, reason),) = found.rejections
    assert place == "line 2"
    assert reason.startswith("This seems to contain a password. Such secrets are not stored.")


def test_a_long_text_is_a_reason_in_a_sentence(owner: User, settings: Settings) -> None:
    settings.MAX_TEXT_CHARS = 1_000
    found = preview_of(owner, '"a"\n"' + "x" * 1_200 + '"\n')
    assert found.rejections == [("line 2", "Has 1,200 characters; at most 1,000 are allowed.")]


def test_the_command_prints_the_preview(owner: User) -> None:
    code, out, err = command(FIXTURES / "mcp-memory-service.json", "--dry-run", "--tags", "moved")
    assert (code, err) == (1, ["item 3: created_at: must be an ISO 8601 time or a Unix time."])
    assert out[:3] == [
        "2 would be inserted, 0 duplicates, 1 failed",
        "Of them 1 would be forgotten and 0 expired",
        "Format: mcp-memory-service",
    ]
    assert "Fields of mcp-memory-service:" in out
    assert "  content → text" in out
    assert "Tags: house (2), moved (2), heating (1), reminder (1)" in out
    assert "  item 1: The boiler is serviced every October. [house, heating, reminder, moved]" in out
    assert not Memory.objects.exists()


def test_the_command_tells_how_to_choose_what_becomes_of_conversations(owner: User) -> None:
    file = FIXTURES / "claude-conversations.json"
    for option in ("--dry-run", "--dedup=insert"):
        code, out, _ = command(file, option)
        assert (code, out[0].split(",")[0].split()[0]) == (0, "0")
        assert "they were left out (conversations: 1, messages: 3)" in out[-2]
        assert "--conversations about-me" in out[-1]
    assert command(file, "--conversations", "about-me")[1][0] == "4 inserted, 0 duplicates, 0 failed"
    memory = Memory.objects.get(text="I own an electric oven.")
    assert (memory.session_id, memory.source_provider) == ("2f0c1d3e-0000-4000-8000-000000000001", "claude")
    assert memory.created_at == datetime(2025, 2, 8, 8, 2, tzinfo=UTC)


def test_several_files_and_folders_are_one_import(owner: User) -> None:
    code, out, _ = command(FIXTURES / "notes", FIXTURES / "pasted.txt", FIXTURES / "java-export.json")
    assert (code, out[0]) == (0, "11 inserted, 0 duplicates, 0 failed")
    assert out[1].startswith("Left out: sentences around the list (2), ")
    forgotten = Memory.objects.get(text="Builds model railways in gauge H0.")
    assert forgotten.replaced_by is not None
    assert forgotten.replaced_by.text == "Builds model railways in gauge N."
    assert command(FIXTURES / "notes", FIXTURES / "pasted.txt", FIXTURES / "java-export.json")[1][0].startswith(
        "0 inserted, 11 duplicates"
    )


def test_if_one_of_several_files_cannot_be_read_nothing_is_imported(owner: User, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        command(FIXTURES / "facts.csv", tmp_path / "missing.csv")
    assert not Memory.objects.exists()


def test_the_report_has_a_line_for_every_entry(owner: User, tmp_path: Path) -> None:
    make_memory(owner, "Likes tea.")
    note = tmp_path / "note.md"
    note.write_text("- Likes tea.\n- Likes rain.\n- [ ] buy tea\n- The password is hunter2\n", encoding="utf-8")
    report = tmp_path / "report.jsonl"

    code, _, _ = command(note, "--report", report)

    lines = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    assert code == 1
    assert [(line["place"], line["outcome"]) for line in lines] == [
        ("line 1", "duplicate"),
        ("line 2", "inserted"),
        ("line 3", "left out"),
        ("line 4", "failed"),
    ]
    assert lines[1]["id"] == Memory.objects.get(text="Likes rain.").pk
    assert lines[2]["reason"] == "tasks"
    assert "hunter2" not in report.read_text(encoding="utf-8")


def test_a_report_that_cannot_be_written_is_one_clear_line(owner: User, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be written: No such file or directory"):
        command(FIXTURES / "facts.csv", "--report", tmp_path / "missing" / "report.jsonl")


def test_the_memories_of_others_are_no_duplicates(owner: User) -> None:
    make_memory(make_user("other"), "Likes tea.")
    assert preview_of(owner, "Likes tea.").summary.inserted == 1
