"""Tests of the two-way sync of a folder of Markdown files."""

from __future__ import annotations

import io
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.management import call_command

from memories.models import JournalEntry, Memory
from memories.transfer.folders import sync
from memories.transfer.folders.index import FolderIndex
from memories.transfer.folders.sync import SyncSummary, sync_folder
from memories.undo.selection import Selection
from memories.undo.undoing import undo
from memories.writing.lifecycle import confirm_memory, forget_memory, hard_delete_memory
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import make_memory, make_user, owner_actor

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make_user("owner")


@pytest.fixture
def tea(owner: User) -> Memory:
    return make_memory(owner, "Likes tea.", tags=("drinks",))


@pytest.fixture
def folder(owner: User, tea: Memory, tmp_path: Path) -> Path:
    """A folder that is in sync with two memories."""
    make_memory(owner, "Likes rain.")
    sync_folder(owner_actor(owner), tmp_path / "notes")
    return tmp_path / "notes"


def file_of(folder: Path, memory: Memory) -> Path:
    return folder / f"memory-{memory.pk}.md"


def edit(folder: Path, memory: Memory, old: str, new: str) -> None:
    path = file_of(folder, memory)
    content = path.read_text()
    assert old in content
    path.write_text(content.replace(old, new))


def synced(owner: User, folder: Path, **options: bool) -> SyncSummary:
    return sync_folder(owner_actor(owner), folder, **options)


def texts(owner: User) -> list[str]:
    return list(Memory.objects.filter(owner=owner, deleted_at=None).order_by("pk").values_list("text", flat=True))


def test_a_second_sync_changes_nothing(owner: User, folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    summary = synced(owner, folder)
    assert (summary.updated, summary.files.written, summary.files.unchanged) == (0, 0, 2)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_edits_come_back_as_the_owners_changes(owner: User, folder: Path, tea: Memory) -> None:
    edit(folder, tea, "Likes tea.", "Likes green tea,\n\nwithout sugar.")
    edit(folder, tea, "- drinks", "- drinks\n- Dev")
    edit(folder, tea, "importance: 0.5", "importance: 0.9\nexpires_at: 2999-01-01T00:00:00Z")
    rain = Memory.objects.get(text="Likes rain.")
    file_of(folder, rain).write_bytes(
        file_of(folder, rain).read_bytes().replace(b"rain.", b"fog.").replace(b"\n", b"\r\n")
    )

    actor = owner_actor(owner)
    summary = sync_folder(actor, folder)

    assert (summary.updated, summary.conflicts, summary.refused) == (2, [], [])
    tea.refresh_from_db()
    assert (tea.text, tea.tags, tea.importance) == ("Likes green tea,\n\nwithout sugar.", ["drinks", "software"], 0.9)
    assert tea.expires_at == datetime(2999, 1, 1, tzinfo=UTC)
    assert texts(owner)[1] == "Likes fog."
    entries = JournalEntry.objects.filter(change_set=actor.change_set)
    assert set(entries.values_list("client", "operation")) == {("admin", "update")}
    # The file says what is stored, and the next sync has nothing to do.
    assert "- software" in file_of(folder, tea).read_text()
    assert synced(owner, folder).files.unchanged == 2
    edit(folder, tea, "expires_at:", "was_to_expire_at:")
    synced(owner, folder)
    tea.refresh_from_db()
    assert tea.expires_at is None
    undo(owner_actor(owner), Selection(change_set=actor.change_set))
    assert texts(owner) == ["Likes tea.", "Likes rain."]


def test_changes_here_come_to_the_files(owner: User, folder: Path, tea: Memory) -> None:
    update_memory(owner_actor(owner), tea.pk, MemoryUpdate(text="Likes coffee."))
    new = make_memory(owner, "Likes snow.")
    forget_memory(owner_actor(owner), Memory.objects.get(text="Likes rain.").pk)
    summary = synced(owner, folder)
    assert (summary.files.written, summary.files.removed) == (2, 1)
    assert "Likes coffee." in file_of(folder, tea).read_text()
    assert "Likes snow." in file_of(folder, new).read_text()


def test_a_conflict_keeps_both_texts(owner: User, folder: Path, tea: Memory) -> None:
    edit(folder, tea, "Likes tea.", "Likes green tea.")
    update_memory(owner_actor(owner), tea.pk, MemoryUpdate(text="Likes black tea."))
    summary = synced(owner, folder)
    assert texts(owner) == ["Likes black tea.", "Likes rain.", "Likes green tea."]
    kept = Memory.objects.get(text="Likes green tea.")
    assert kept.tags == ["drinks"]
    assert summary.conflicts == [
        (f"memory-{tea.pk}.md", f"it was also changed here. Your version is memory {kept.pk}.")
    ]
    assert "Likes black tea." in file_of(folder, tea).read_text()
    assert "Likes green tea." in file_of(folder, kept).read_text()
    assert synced(owner, folder).conflicts == []


def test_a_conflict_about_tags_keeps_the_file_aside(owner: User, folder: Path, tea: Memory) -> None:
    edit(folder, tea, "- drinks", "- hot")
    update_memory(owner_actor(owner), tea.pk, MemoryUpdate(tags=["cold"]))
    assert len(synced(owner, folder).conflicts) == 1
    tea.refresh_from_db()
    assert tea.tags == ["cold"]
    assert "- hot" in (folder / f"memory-{tea.pk}.conflict.md").read_text()
    assert "- cold" in file_of(folder, tea).read_text()
    assert synced(owner, folder).conflicts == []


def test_what_cannot_be_edited_is_no_conflict(owner: User, folder: Path, tea: Memory) -> None:
    edit(folder, tea, "Likes tea.", "Likes green tea.")
    confirm_memory(owner_actor(owner), tea.pk)
    assert (synced(owner, folder).conflicts, texts(owner)[0]) == ([], "Likes green tea.")


def test_a_folder_of_an_older_version_has_no_conflicts(owner: User, folder: Path, tea: Memory) -> None:
    index = FolderIndex.read(folder)
    index.contents.clear()
    index.write()
    edit(folder, tea, "Likes tea.", "Likes green tea.")
    assert (synced(owner, folder).conflicts, texts(owner)[0]) == ([], "Likes green tea.")


def test_deleted_files_forget_only_on_request(owner: User, folder: Path, tea: Memory) -> None:
    file_of(folder, tea).unlink()
    summary = synced(owner, folder)
    assert (summary.deleted_files, summary.forgotten, len(texts(owner))) == (1, 0, 2)
    file_of(folder, tea).unlink()
    rain = Memory.objects.get(text="Likes rain.")
    file_of(folder, rain).unlink()
    update_memory(owner_actor(owner), rain.pk, MemoryUpdate(text="Likes fog."))
    summary = synced(owner, folder, forgets_deleted=True)
    assert (summary.forgotten, texts(owner)) == (1, ["Likes fog."])
    assert summary.conflicts == [(f"memory-{rain.pk}.md", "its file was deleted, but it was changed here. It stays.")]
    assert file_of(folder, rain).exists()
    assert not file_of(folder, tea).exists()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"Likes green tea.", "it has no front matter"),
        (b"---\ntags: [a\n---\nLikes green tea.", "not valid YAML"),
        (b"---\n- 1\n---\nLikes green tea.", "it has no front matter"),
        (b"---\ntags: {a: 1}\n---\nLikes green tea.", "tags: must be a list of texts."),
        (b"---\nimportance: 7\n---\nLikes green tea.", "importance: must be a number from 0 to 1."),
        (b"---\nexpires_at: soon\n---\nLikes green tea.", "expires_at: must be an ISO 8601 time with a zone"),
        (b"---\nexpires_at: 2999-01-01\n---\nLikes green tea.", "expires_at: must be an ISO 8601 time with a zone"),
        (b"---\nimportance: 0.5\n---\n", "text: must not be empty."),
        (b"---\nimportance: 0.5\n---\nThe key is sk-ant-" + b"a" * 30, "text: this seems to contain an API key"),
        (b"---\nimportance: 0.5\n---\nLikes rain.", "text: "),
        (b"---\nimportance: 0.5\n---\nTee f\xfcr alle", "it is not UTF-8."),
        (b"---\nimportance: 0.5\n---\n" + b"x" * (1 << 20), "it has more than"),
    ],
)
def test_a_wrong_edit_is_reported_and_stays(
    owner: User, folder: Path, tea: Memory, content: bytes, problem: str
) -> None:
    file_of(folder, tea).write_bytes(content)
    for _ in range(2):
        summary = synced(owner, folder)
        assert [name for name, _ in summary.refused] == [f"memory-{tea.pk}.md"]
        assert problem in summary.refused[0][1]
        assert "sk-ant" not in summary.refused[0][1]
        assert file_of(folder, tea).read_bytes() == content
        assert texts(owner) == ["Likes tea.", "Likes rain."]


def test_links_are_not_followed(owner: User, folder: Path, tea: Memory, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("---\nimportance: 0.5\n---\nThe secret.")
    file_of(folder, tea).unlink()
    file_of(folder, tea).symlink_to(secret)
    rain = file_of(folder, Memory.objects.get(text="Likes rain."))
    rain.unlink()
    os.mkfifo(rain)
    rain.unlink()
    rain.mkdir()
    assert len(synced(owner, folder).refused) == 2
    assert texts(owner) == ["Likes tea.", "Likes rain."]
    assert secret.read_text().endswith("The secret.")


def test_files_of_forgotten_memories_and_of_others_change_nothing(owner: User, folder: Path, tea: Memory) -> None:
    rain = Memory.objects.get(text="Likes rain.")
    edit(folder, tea, "Likes tea.", "Likes green tea.")
    edit(folder, rain, "Likes rain.", "Likes fog.")
    forget_memory(owner_actor(owner), tea.pk)
    hard_delete_memory(owner_actor(owner), rain.pk)
    assert len(synced(owner, folder).refused) == 2
    # Another user with the folder, whose memories it does not have.
    other = make_user("other")
    assert len(synced(other, folder).refused) == 2
    assert texts(owner) == texts(other) == []
    assert "Likes green tea." in file_of(folder, tea).read_text()


def test_an_interrupted_sync_is_repeated(
    owner: User, folder: Path, tea: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    rain = Memory.objects.get(text="Likes rain.")
    edit(folder, tea, "Likes tea.", "Likes green tea.")
    edit(folder, rain, "Likes rain.", "Likes fog.")
    update_memory(owner_actor(owner), rain.pk, MemoryUpdate(text="Likes snow."))

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(sync, "_forget_deleted", killed)
        with pytest.raises(KeyboardInterrupt):
            synced(owner, folder)
    summary = synced(owner, folder)
    assert (summary.updated, summary.refused) == (0, [])
    assert texts(owner) == ["Likes green tea.", "Likes snow.", "Likes fog."]


def test_the_command_reports(owner: User, folder: Path, tea: Memory, tmp_path: Path) -> None:
    edit(folder, tea, "Likes tea.", "Likes green tea.")
    out = io.StringIO()
    call_command("sync_markdown", str(folder), "--user", "owner", stdout=out)
    first, last = out.getvalue().splitlines()
    assert first == "1 updated, 0 forgotten, 0 conflicts. Files: 1 written, 1 unchanged, 0 removed"
    assert last.startswith("To take this back: manage.py undo --change-set ")
    file_of(folder, tea).write_text("no")
    err = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("sync_markdown", str(folder), "--user", "owner", stdout=out, stderr=err)
    assert err.getvalue().startswith(f"Not imported: memory-{tea.pk}.md: it has no front matter")


def test_the_command_reports_deleted_files(owner: User, folder: Path, tea: Memory) -> None:
    file_of(folder, tea).unlink()
    out = io.StringIO()
    call_command("sync_markdown", str(folder), "--user", "owner", stdout=out)
    assert "Deleted files that were written again: 1. --forget-deleted forgets their memories" in out.getvalue()
    assert file_of(folder, tea).exists()
