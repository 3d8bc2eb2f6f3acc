"""Tests of the journal of documents: every change is an entry in a change set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from documents.models import Document, Version
from documents.sources.changes import change_source, remove_source
from documents.tasks import read_queued
from documents.writing.changing import change_document
from documents.writing.forgetting import forget_document, hard_delete_document, restore_document
from documents.writing.review import accept_document
from memories.access import Actor, View
from memories.models import JournalEntry
from oauthserver.models import User
from tests.documents.sources.support import folder_source, synced, write
from tests.documents.support import BOAT, added, make_document
from tests.support.factories import make_user, owner_actor, quarantined


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


def history(document: Document) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Return the operations on a document with the changed fields, without contents, which are hashes."""
    entries = JournalEntry.objects.filter(document_id=document.pk).order_by("pk")
    return [(entry.operation, _plain(entry.before), _plain(entry.after)) for entry in entries]


def _plain(state: dict[str, Any]) -> dict[str, Any]:
    plain = {name: value for name, value in state.items() if name not in {"content", "deleted_at"}}
    if state.get("deleted_at"):
        plain["deleted"] = True
    return plain


def test_every_change_by_hand_is_an_entry(owner: User) -> None:
    mine = owner_actor(owner)
    document = added(mine, BOAT, tags=("sea",)).document
    change_document(mine, document.pk, title="Our boat", tags=["boats"])
    change_document(mine, document.pk, title="Our boat")
    forget_document(mine, document.pk, reason="Sold")
    restore_document(mine, document.pk)
    assert history(document) == [
        ("remember", {}, {"tags": ["sea"]}),
        ("update", {"title": None, "tags": ["sea"]}, {"title": "Our boat", "tags": ["boats"]}),
        ("forget", {"forget_reason": None}, {"forget_reason": "Sold", "deleted": True}),
        ("restore", {"forget_reason": "Sold", "deleted": True}, {"forget_reason": None}),
    ]
    entry = JournalEntry.objects.filter(document_id=document.pk).earliest("pk")
    assert (entry.client, entry.change_set, entry.subject) == ("admin", mine.change_set, "document")


def test_a_new_version_is_an_entry_and_the_same_file_is_none(owner: User) -> None:
    document = make_document(owner, source_url="https://example.com/boat")
    app = Actor(View.whole(owner.pk), "cursor", session_id="morning")
    added(app, BOAT, source_url="https://example.com/boat")
    assert len(history(document)) == 1
    added(app, "# Ragnhild\n\nSold.\n", source_url="https://example.com/boat")
    first, second = JournalEntry.objects.filter(document_id=document.pk).order_by("pk")
    hashes = [bytes(version.original.content_hash).hex() for version in document.versions.order_by("number")]
    assert (first.after["content"], second.before, second.after) == (
        hashes[0],
        {"content": hashes[0]},
        {"content": hashes[1]},
    )
    assert (second.client, second.session_id, second.change_set) == ("cursor", "morning", app.change_set)


def test_tags_of_the_file_belong_to_the_change_that_added_it(owner: User) -> None:
    app = Actor(View.whole(owner.pk), "cursor", session_id="morning")
    document = added(app, "---\ntags: [harbour]\n---\n# Boat\n\nIt floats.\n", tags=("sea",)).document
    assert history(document) == [
        ("remember", {}, {"tags": ["sea"]}),
        ("update", {"tags": ["sea"]}, {"tags": ["sea", "harbour"]}),
    ]
    entries = JournalEntry.objects.filter(document_id=document.pk)
    assert {(entry.client, entry.session_id, entry.change_set) for entry in entries} == {
        ("cursor", "morning", app.change_set)
    }


def test_the_owner_s_decisions_in_the_review_are_entries(owner: User) -> None:
    first, second = (
        added(quarantined(owner), text, quarantined_from="guesser").document for text in (BOAT, "# Tea\n\nGreen.\n")
    )
    accept_document(owner_actor(owner), first.pk)
    forget_document(owner_actor(owner), second.pk, reason="No")
    assert [entry[0] for entry in history(first)] == ["remember", "accept"]
    assert history(second)[1][0] == "reject"


def test_accepting_what_is_there_already_is_one_change_set_of_both(owner: User) -> None:
    known = make_document(owner, tags=("home",))
    again = added(quarantined(owner), BOAT, tags=("sea",), quarantined_from="guesser").document
    accepting = owner_actor(owner)
    accept_document(accepting, again.pk)
    entries = JournalEntry.objects.filter(change_set=accepting.change_set).order_by("pk")
    assert [(entry.document_id, entry.operation) for entry in entries] == [(known.pk, "update"), (again.pk, "accept")]


def test_a_permanent_deletion_removes_the_journalled_text_and_leaves_one_entry(owner: User) -> None:
    document = added(owner_actor(owner), BOAT, title="Secret boat", tags=("sea",)).document
    forget_document(owner_actor(owner), document.pk, reason="Embarrassing")
    hard_delete_document(owner_actor(owner), document.pk)
    (entry,) = JournalEntry.objects.filter(owner=owner)
    assert (entry.operation, entry.document_id, entry.before, entry.after) == ("hard_delete", document.pk, {}, {})


def test_a_sync_is_one_change_set_of_the_source(owner: User, tmp_path: Path) -> None:
    write(tmp_path, boat="The boat.", tea="The tea.")
    source = folder_source(owner, tmp_path, tags=("notes",))
    synced(source)
    write(tmp_path, boat="The boat is sold.")
    (tmp_path / "tea.md").unlink()
    synced(source)
    entries = JournalEntry.objects.filter(owner=owner).order_by("pk")
    assert [(entry.operation, entry.client) for entry in entries] == [
        *[("remember", "source:notes")] * 2,
        ("update", "source:notes"),
        ("forget", "source:notes"),
    ]
    first, second = dict.fromkeys(entry.change_set for entry in entries)
    assert [entry.change_set for entry in entries] == [first, first, second, second]


def test_other_tags_of_a_source_and_its_removal_are_entries(owner: User, tmp_path: Path) -> None:
    write(tmp_path, boat="The boat.", tea="The tea.")
    source = folder_source(owner, tmp_path, tags=("notes",))
    synced(source)
    change_source(source, tags=["papers"])
    remove_source(source)
    for document in Document.objects.filter(owner=owner):
        assert history(document)[1:] == [
            ("update", {"tags": ["notes"]}, {"tags": ["papers"]}),
            (
                "forget",
                {"forget_reason": None},
                {"forget_reason": "The source “notes” was removed.", "deleted": True},
            ),
        ]


def test_a_version_that_is_read_later_adds_no_entry_without_tags(owner: User) -> None:
    document = make_document(owner)
    Version.objects.filter(document=document).update(state=Version.State.QUEUED)
    Document.objects.update(current=None)
    read_queued()
    assert len(history(document)) == 1
