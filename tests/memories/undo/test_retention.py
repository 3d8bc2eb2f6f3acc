"""Tests of how long the history is kept."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from documents.writing.changing import change_document
from documents.writing.forgetting import forget_document
from memories.errors import NotFound
from memories.models import JournalEntry, Memory
from memories.undo import retention
from memories.undo.retention import delete_old_changes
from memories.undo.selection import Selection
from memories.undo.undoing import undo
from memories.undo.versions import is_complete, later_than, versions_of
from memories.writing.lifecycle import confirm_memory, forget_memory, hard_delete_memory, restore_memory
from memories.writing.synonyms import add_synonym
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.documents.support import make_document
from tests.support.factories import HOST, make_memory, make_user, owner_actor


@pytest.fixture
def owner(db: None, settings: Settings) -> User:
    """An owner whose history is kept for 30 days."""
    settings.HISTORY_DAYS = 30
    return make_user()


def age(days: int) -> None:
    """Make everything in the history older."""
    for entry in JournalEntry.objects.all():
        JournalEntry.objects.filter(pk=entry.pk).update(at=entry.at - timedelta(days=days))


def reword(owner: User, memory: Memory, *texts: str) -> None:
    for text in texts:
        update_memory(owner_actor(owner), memory.pk, MemoryUpdate(text=text))


def test_everything_is_kept_unless_the_owner_says_otherwise(owner: User, settings: Settings) -> None:
    settings.HISTORY_DAYS = 0
    reword(owner, make_memory(owner, "One"), "Two", "Three")
    age(10_000)
    assert delete_old_changes() == 0
    assert JournalEntry.objects.count() == 3


@pytest.mark.parametrize("batch", [1, 2, 5_000])
def test_old_changes_go_and_new_ones_can_be_undone(owner: User, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH", batch)
    memory, still = make_memory(owner, "One"), make_memory(owner, "Still")
    reword(owner, memory, "Two", "Three")
    add_synonym(owner_actor(owner), "kitty", "cats")
    age(31)
    reword(owner, memory, "Four", "Five")
    assert delete_old_changes() == 4
    versions = versions_of(owner_actor(owner), memory.pk)
    assert [version.state["text"] for version in versions] == ["Four", "Five"]
    assert (is_complete(versions), is_complete(versions_of(owner_actor(owner), still.pk))) == (False, True)
    undo(owner_actor(owner), Selection(memory_id=memory.pk, since=timezone.now() - timedelta(days=1)))
    memory.refresh_from_db()
    assert memory.text == "Three"
    assert not JournalEntry.objects.filter(variant__isnull=False).exists()
    assert delete_old_changes() == 0


def test_a_forgotten_memory_can_be_restored_however_old_that_is(owner: User) -> None:
    memory, successor = make_memory(owner, "One"), make_memory(owner, "Other")
    reword(owner, memory, "Two")
    forgetting = owner_actor(owner)
    forget_memory(forgetting, memory.pk, reason="Wrong")
    forget_memory(owner_actor(owner), memory.pk, replaced_by_id=successor.pk)
    age(1_000)
    assert delete_old_changes() == 2
    versions = versions_of(owner_actor(owner), memory.pk)
    assert [version.operation for version in versions] == ["forget", "forget"]
    assert versions[0].state["forget_reason"] == "Wrong"
    undo(owner_actor(owner), Selection(change_set=forgetting.change_set))
    memory.refresh_from_db()
    assert (memory.deleted_at, memory.text) == (None, "Two")
    forget_memory(owner_actor(owner), memory.pk)
    age(1_000)
    delete_old_changes()
    restore_memory(owner_actor(owner), memory.pk)
    memory.refresh_from_db()
    assert memory.deleted_at is None


def test_a_deletion_leaves_no_entry_for_ever(owner: User) -> None:
    memory = make_memory(owner, "One")
    hard_delete_memory(owner_actor(owner), memory.pk)
    age(31)
    assert delete_old_changes() == 1
    assert not JournalEntry.objects.exists()


def test_after_the_clock_was_set_back_nothing_is_torn_out_of_a_history(owner: User) -> None:
    memory = make_memory(owner, "One")
    reword(owner, memory, "Two", "Three")
    middle = JournalEntry.objects.order_by("pk")[1]
    JournalEntry.objects.filter(pk=middle.pk).update(at=timezone.now() - timedelta(days=900))
    assert delete_old_changes() == 0
    assert len(versions_of(owner_actor(owner), memory.pk)) == 3


def test_what_is_gone_is_said(owner: User) -> None:
    memory = make_memory(owner, "One")
    reword(owner, memory, "Two")
    confirm_memory(owner_actor(owner), memory.pk)
    age(31)
    delete_old_changes()
    pages = Client(headers={"host": HOST})
    pages.force_login(owner)
    assert "The journal goes back to" in pages.get("/admin/undo/").content.decode()
    with pytest.raises(NotFound, match="has no version 2"):
        later_than(owner_actor(owner), memory.pk, 2)


def test_the_history_of_documents_and_synonyms_ends_in_the_same_way(owner: User) -> None:
    document = make_document(owner)
    change_document(owner_actor(owner), document.pk, title="One")
    change_document(owner_actor(owner), document.pk, title="Two")
    gone = make_document(owner, "# Tea\n\nGreen.\n")
    forget_document(owner_actor(owner), gone.pk, reason="Old")
    forget_document(owner_actor(owner), gone.pk, reason="Very old")
    add_synonym(owner_actor(owner), "kitty", "cats")
    age(31)
    assert delete_old_changes() == 4
    left = JournalEntry.objects.order_by("pk").values_list("document_id", "operation")
    assert list(left) == [(document.pk, "update"), (gone.pk, "forget"), (gone.pk, "forget")]
    undo(owner_actor(owner), Selection(since=timezone.now() - timedelta(days=90)))
    document.refresh_from_db()
    gone.refresh_from_db()
    assert (document.title, gone.deleted_at) == ("One", None)
