"""Tests that an archive has everything, and that an import restores it."""

from __future__ import annotations

import hashlib
import stat
import zipfile
from pathlib import Path
from zoneinfo import ZoneInfo

import orjson
import pytest
from django.db import connection, models
from pytest_django import Settings

from agents.models import Agent
from agents.selectors import get_agent
from common.new_file import UnusableTarget
from documents.models import Chunk, Document, Original, Version
from documents.originals import read_original
from mcpapi.models import OwnPrompt
from memories.access import Actor, View
from memories.drafts import Draft
from memories.models import JournalEntry, Memory, PastRecall, Posting, TagSynonym, Verdict
from memories.transfer.archive.exporting import export_archive
from memories.transfer.archive.importing import import_archive
from memories.transfer.archive.restoration import Counts, Summary
from memories.undo.selection import Selection
from memories.undo.undoing import undo
from memories.undo.versions import versions_of
from memories.writing.lifecycle import forget_memory
from memories.writing.remembering import RememberRequest, remember
from oauthserver.models import User
from tests.memories.transfer.archive.contents import comparable, exported, lists_in, without_imports
from tests.support.factories import actor_for, infer, make_memory, make_user, owner_actor
from workflows.models import Workflow, WorkflowVersion

pytestmark = pytest.mark.django_db

OWNED = (Memory, JournalEntry, TagSynonym, PastRecall, Document, Original, Chunk, OwnPrompt, Agent, Workflow)


def rows_of(owner: User) -> dict[str, int]:
    counts = {model.__name__: model._default_manager.filter(owner=owner).count() for model in OWNED}
    return counts | {
        "JournalEntry": JournalEntry.objects.filter(owner=owner).exclude(client="import").count(),
        "Version": Version.objects.filter(document__owner=owner).count(),
        "Verdict": Verdict.objects.filter(recall__owner=owner).count(),
    }


def import_as(owner: User, path: Path) -> Summary:
    return import_archive(Actor(View.whole(owner.pk), "import", is_owner=True), path)


def never_used_ids() -> None:
    """Make the installation one that has never stored a memory. Undone at the end of the test."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER SEQUENCE memories_memory_id_seq RESTART")


def test_another_owner_gets_the_same_data(full_owner: User, tmp_path: Path) -> None:
    first = exported(full_owner, tmp_path / "first.zip")
    other = make_user("other")

    summary = import_as(other, first)

    second = exported(other, tmp_path / "second.zip")
    assert comparable(lists_in(second)) == comparable(lists_in(first))
    assert rows_of(other) == rows_of(full_owner)
    with zipfile.ZipFile(first) as before, zipfile.ZipFile(second) as after:
        originals = {name for name in before.namelist() if name.startswith("originals/")}
        assert len(originals) == 4
        assert {name: before.read(name) for name in originals} == {name: after.read(name) for name in originals}
    assert summary.counts["memories"] == Counts(added=10)
    assert not any(counts.refused for counts in summary.counts.values())
    assert summary.notes == []


def test_a_setting_with_another_value_is_named_as_the_owner_sets_it(
    full_owner: User, tmp_path: Path, settings: Settings
) -> None:
    settings.OWNER_TIME_ZONE = ZoneInfo("Etc/UTC")
    archive = exported(full_owner, tmp_path / "first.zip")
    settings.OWNER_TIME_ZONE = ZoneInfo("Europe/Berlin")
    notes = import_as(make_user("other"), archive).notes
    assert notes == ["The setting OWNSONA_TIME_ZONE was 'Etc/UTC' and is 'Europe/Berlin' here."]


def test_what_is_restored_can_be_used(full_owner: User, tmp_path: Path) -> None:
    other = make_user("other")
    import_as(other, exported(full_owner, tmp_path / "all.zip"))

    rain = Memory.objects.get(owner=other, briefing_place="pinned")
    former = Memory.objects.get(owner=full_owner, briefing_place="pinned")
    *states, imported = [version.state for version in versions_of(owner_actor(other), rain.pk)]
    assert states[-1] == imported
    assert states == [version.state for version in versions_of(owner_actor(full_owner), former.pk)]
    words = [set(Posting.objects.filter(memory=each).values_list("term", "tf")) for each in (rain, former)]
    assert words[0] == words[1] != set()
    moved = Memory.objects.get(owner=other, text="Lives in Linz.")
    assert moved.replaced_by is not None
    assert (moved.replaced_by.owner_id, moved.replaced_by.text) == (other.pk, "Lives in Graz.")
    document = Document.objects.get(owner=other, source_key="boat")
    assert document.current is not None
    assert b"number 12" in b"".join(read_original(document.current.original))
    assert {chunk.text for chunk in document.chunks.all()} == {
        chunk.text for chunk in Chunk.objects.filter(owner=full_owner, document__source_key="boat")
    }


def test_an_installation_without_memories_keeps_their_ids(full_owner: User, tmp_path: Path) -> None:
    first = exported(full_owner, tmp_path / "first.zip")
    ids = [row["id"] for row in lists_in(first)["memories.jsonl"]]
    greatest = max(row["memory_id"] or 0 for row in lists_in(first)["history.jsonl"])
    # Originals are protected, so documents must be deleted before their owner.
    Document.objects.all().delete()
    full_owner.delete()
    never_used_ids()
    owner = make_user("again")

    import_as(owner, first)

    second = exported(owner, tmp_path / "second.zip")
    assert without_imports(lists_in(second)) == lists_in(first)
    assert [row["id"] for row in lists_in(second)["memories.jsonl"]] == ids
    assert make_memory(owner, "Something new.").pk > greatest


def test_an_import_is_one_change_set_that_can_be_undone(full_owner: User, tmp_path: Path) -> None:
    path = exported(full_owner, tmp_path / "all.zip")
    other = make_user("other")
    mine = make_memory(other, "Lives in Graz.")
    actor = Actor(View.whole(other.pk), "import", is_owner=True)
    import_archive(actor, path)
    active = Memory.objects.filter(owner=other, deleted_at=None)
    states = {memory.text: memory.briefing_place for memory in active}
    assert len(states) == 8

    first = undo(owner_actor(other), Selection(change_set=actor.change_set))

    assert len(first.removed) == 7
    assert not first.conflicts
    assert list(active.all()) == [mine]
    # An undo is undone like any other.
    change_set = JournalEntry.objects.filter(owner=other, operation="undo").values_list("change_set", flat=True)[0]
    undo(owner_actor(other), Selection(change_set=change_set))
    assert {memory.text: memory.briefing_place for memory in active.all()} == states


def test_a_second_import_changes_nothing(full_owner: User, tmp_path: Path) -> None:
    path = exported(full_owner, tmp_path / "all.zip")
    other = make_user("other")
    import_as(other, path)
    before = rows_of(other)

    for owner in (other, full_owner):
        summary = import_as(owner, path)
        assert {name: counts.added for name, counts in summary.counts.items()} == dict.fromkeys(summary.counts, 0)
        assert summary.counts["memories"] == Counts(present=10)

    assert rows_of(other) == before
    again = exported(other, tmp_path / "again.zip")
    assert comparable(lists_in(again)) == comparable(lists_in(path))


def test_only_what_is_missing_is_added(full_owner: User, tmp_path: Path) -> None:
    path = exported(full_owner, tmp_path / "all.zip")
    other = make_user("other")
    mine = make_memory(other, "lives in  GRAZ.", importance=1.0)
    TagSynonym.objects.filter(owner=other, variant="jobs").delete()
    TagSynonym.objects.create(owner=other, variant="sailing", canonical="sport")
    OwnPrompt.objects.create(owner=other, name="letter", messages=[{"role": "user", "text": "mine"}])

    summary = import_as(other, path)

    assert summary.counts["memories"] == Counts(added=9, present=1)
    mine.refresh_from_db()
    assert (mine.text, mine.importance) == ("lives in GRAZ.", 1.0)
    assert Memory.objects.get(owner=other, text="Lives in Linz.").replaced_by_id == mine.pk
    assert JournalEntry.objects.filter(memory_id=mine.pk).count() == 1
    assert TagSynonym.objects.get(owner=other, variant="sailing").canonical == "sport"
    assert OwnPrompt.objects.get(owner=other).messages[0]["text"] == "mine"


def test_a_memory_that_was_forgotten_here_comes_back(full_owner: User, tmp_path: Path) -> None:
    path = exported(full_owner, tmp_path / "all.zip")
    forget_memory(actor_for(full_owner), Memory.objects.get(owner=full_owner, text="Lives in Graz.").pk)

    assert import_as(full_owner, path).counts["memories"] == Counts(added=1, present=9)


def test_memories_that_the_rules_refuse_are_reported(full_owner: User, tmp_path: Path) -> None:
    Memory.objects.filter(text="Lives in Graz.").update(text="My key is sk-ant-api03-" + "aB3" * 30)
    other = make_user("other")

    summary = import_as(other, exported(full_owner, tmp_path / "all.zip"))

    assert summary.counts["memories"] == Counts(added=9, refused=1)
    (note,) = summary.notes
    assert note.startswith("memories.jsonl, line ")
    assert "aB3" not in note
    assert Memory.objects.get(owner=other, text="Lives in Linz.").replaced_by is None


def test_the_manifest_describes_the_archive(full_owner: User, tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    manifest = export_archive(View.whole(full_owner.pk), path)
    with zipfile.ZipFile(path) as archive:
        written = orjson.loads(archive.read("manifest.json"))
        for name, member in written["members"].items():
            assert hashlib.sha256(archive.read(name)).hexdigest() == member["sha256"]
        assert {*written["members"], "manifest.json"} == set(archive.namelist())
    assert written == manifest.model_dump(mode="json")
    assert written["counts"] == {
        **{name.removesuffix(".jsonl"): len(rows) for name, rows in lists_in(path).items()},
        "originals": 4,
    }
    assert not {"SECRET_KEY", "EMBEDDING_API_KEY", "DATABASE_URL"} & written["settings"].keys()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_it_never_replaces_a_file_unasked(full_owner: User, tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    path.write_text("mine")
    with pytest.raises(UnusableTarget, match="already exists"):
        export_archive(View.whole(full_owner.pk), path)
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_of_other_owners_is_in_it(full_owner: User, tmp_path: Path) -> None:
    lists = lists_in(exported(make_user("other"), tmp_path / "other.zip"))
    assert {name for name, rows in lists.items() if rows} == {"tag_synonyms.jsonl"}


LEFT_OUT = {
    "memories": (Memory, {"owner_id", "text_hash", "statement_key", "aspect", "stated"}),
    "history": (JournalEntry, {"id", "owner_id"}),
    "tag_synonyms": (TagSynonym, {"id", "owner_id"}),
    "judged_recalls": (PastRecall, {"id", "owner_id"}),
    "documents": (Document, {"owner_id", "current_id"}),
    "document_versions": (Version, {"id", "original_id"}),
    "prompts": (OwnPrompt, {"id", "owner_id"}),
    "agents": (Agent, {"id", "owner_id", "version", "digest", "problem", "problem_line"}),
    "workflows": (Workflow, {"id", "owner_id"}),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_every_column_is_in_it(full_owner: User, tmp_path: Path, name: str) -> None:
    model, left_out = LEFT_OUT[name]
    fields: list[models.Field[object, object]] = list(model._meta.concrete_fields)
    wanted = {field.attname for field in fields} - left_out
    rows = lists_in(exported(full_owner, tmp_path / "all.zip"))[f"{name}.jsonl"]
    assert rows
    assert all(wanted <= row.keys() for row in rows)


@pytest.mark.parametrize("source", ["toml", "lua"])
def test_agents_of_files_become_agents_of_the_page(full_owner: User, tmp_path: Path, source: str) -> None:
    Agent.objects.filter(name="reviewer").update(source=source)
    other = make_user("other")
    import_as(other, exported(full_owner, tmp_path / "all.zip"))
    assert get_agent(other.pk, "reviewer").source == Agent.Source.PAGE
    assert not get_agent(other.pk, "librarian", include_disabled=True).is_enabled


def test_of_agents_with_one_name_the_one_that_is_used_is_restored(full_owner: User, tmp_path: Path) -> None:
    page = Agent.objects.get(name="reviewer")
    assert page.definition is not None
    changed = {**page.definition, "soul": "From Lua."}
    Agent.objects.create(owner=full_owner, name="reviewer", source="lua", definition=changed)
    other = make_user("other")
    summary = import_as(other, exported(full_owner, tmp_path / "all.zip"))
    assert get_agent(other.pk, "reviewer").definition.soul == "From Lua."
    assert summary.counts["agents"] == Counts(added=2, present=1)


def test_workflows_and_agents_that_are_not_valid_are_reported(full_owner: User, tmp_path: Path) -> None:
    circle = {"description": "x", "steps": [{"id": "a", "workflow": "a-flow"}]}
    Workflow.objects.filter(name="inner").update(definition=circle)
    WorkflowVersion.objects.filter(number=2).update(definition=circle)
    Agent.objects.filter(name="reviewer").update(definition={"soul": "{unknown}"})
    other = make_user("other")
    summary = import_as(other, exported(full_owner, tmp_path / "all.zip"))
    assert summary.counts["workflows"] == Counts(refused=2)
    assert summary.counts["agents"] == Counts(added=1, refused=1)
    assert any("in a circle" in note for note in summary.notes)
    assert any("agents.jsonl, line 2: description: is required" in note for note in summary.notes)


def test_a_personal_token_of_another_installation_is_no_token_here(tmp_path: Path) -> None:
    owner, other = make_user(), make_user()
    token = Actor(View.whole(owner.pk), "token:3", is_quarantined=True)
    infer(token, "Robin may like jazz")
    remember(token, RememberRequest(Draft("Robin likes tea")))
    path = exported(owner, tmp_path / "first.zip")
    for _ in range(2):
        import_as(other, path)
    stored = Memory.objects.filter(owner=other).order_by("pk")
    assert [(memory.quarantined_from, memory.stored_by) for memory in stored] == [
        ("former token:3", "former token:3"),
        (None, "former token:3"),
    ]
    clients = JournalEntry.objects.filter(owner=other).exclude(client="import").values_list("client", flat=True)
    assert set(clients) == {"former token:3"}


def test_a_user_with_documents_can_be_deleted(full_owner: User) -> None:
    full_owner.delete()
    assert not Version.objects.exists()
