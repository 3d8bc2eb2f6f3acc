"""Tests of clean-up plans and sources in archives."""

from __future__ import annotations

from pathlib import Path

import pytest

from documents.models import Source
from documents.sources.changes import create_source
from documents.sources.drafts import SourceDraft
from documents.sources.server_access import ONLY_OPERATORS
from memories.access import Actor, View
from memories.cleanup.actions import Action, ProposedChange
from memories.cleanup.plans import apply_plan, open_plans, propose_plan, reject_lines
from memories.models import CleanupPlan, Memory
from memories.transfer.archive.importing import import_archive
from memories.transfer.archive.restoration import Counts, Summary
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.memories.transfer.archive.contents import exported, lists_in
from tests.support.factories import make_memory, make_user, owner_actor

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make_user("owner")


def import_as(owner: User, path: Path) -> Summary:
    return import_archive(Actor(View.whole(owner.pk), "import", is_owner=True), path)


def test_open_plans_are_proposed_again(owner: User, tmp_path: Path) -> None:
    one, two, three = (make_memory(owner, f"Fact {number}.") for number in range(3))
    app = Actor(View.whole(owner.pk), "claude")
    changes = [
        ProposedChange(Action.MERGE, [one.pk, two.pk], text="Facts 0 and 1.", reason="The same."),
        ProposedChange(Action.FORGET, [two.pk], replaced_by_id=one.pk),
        ProposedChange(Action.RETAG, [three.pk], tags=["facts"]),
    ]
    plan = propose_plan(app, changes, "Tidy up")
    update_memory(owner_actor(owner), three.pk, MemoryUpdate(importance=0.9))
    reject_lines(owner_actor(owner), plan.pk, [1])
    path = exported(owner, tmp_path / "all.zip")
    (stored,) = lists_in(path)["cleanup_plans.jsonl"]
    # Neither the line that is stale nor the one that was rejected.
    assert [line["action"] for line in stored["lines"]] == ["merge"]

    other = make_user("other")
    assert import_as(other, path).counts["plans"] == Counts(added=1)
    restored = open_plans(owner_actor(other)).get()
    assert (restored.client, restored.reason) == ("claude", "Tidy up")
    apply_plan(owner_actor(other), restored.pk)
    active = Memory.objects.filter(owner=other, deleted_at=None)
    assert set(active.values_list("text", flat=True)) == {"Facts 0 and 1.", "Fact 2."}
    # What was decided stays decided, here and in the installation that it came from.
    for each in (other, owner):
        assert import_as(each, path).counts["plans"].added == 0
    assert CleanupPlan.objects.count() == 2


def test_sources_come_back_paused_and_without_secrets(owner: User, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    create_source(owner.pk, SourceDraft("notes", "folder", {"path": str(folder)}, tags=["Dev"], limits={"items": 7}))
    bucket = {
        "bucket": "my-bucket",
        "endpoint": "https://s3.example.com",
        "access_key": "key",
        "secret_key": "very secret",
    }
    create_source(owner.pk, SourceDraft("bucket", "s3", bucket))
    path = exported(owner, tmp_path / "all.zip")
    assert b"very secret" not in path.read_bytes()

    other = make_user("other", is_superuser=True)
    summary = import_as(other, path)
    assert summary.counts["sources"] == Counts(added=1, refused=1)
    (note,) = summary.notes
    assert note.startswith("sources.jsonl, line 1: ")
    notes = Source.objects.get(owner=other)
    assert (notes.name, notes.tags, notes.settings, notes.limits) == (
        "notes",
        ["software"],
        {"path": str(folder)},
        {"items": 7},
    )
    assert notes.paused_at
    assert import_as(other, path).counts["sources"] == Counts(present=1, refused=1)


def test_an_archive_gives_an_account_no_access_to_the_server(owner: User, tmp_path: Path) -> None:
    create_source(owner.pk, SourceDraft("home", "folder", {"path": "/home/ada"}))
    create_source(owner.pk, SourceDraft("site", "web", {"urls": ["https://site.example/"]}))
    path = exported(owner, tmp_path / "all.zip")
    guest = make_user("guest")
    summary = import_as(guest, path)
    assert summary.counts["sources"] == Counts(added=1, refused=1)
    assert summary.notes == [f"sources.jsonl, line 1: path: {ONLY_OPERATORS}"]
    assert [source.name for source in Source.objects.filter(owner=guest)] == ["site"]
