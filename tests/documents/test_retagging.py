"""Tests of renaming, merging and deleting tags of documents, together with those of memories."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from documents.models import Chunk, Document
from documents.writing.forgetting import forget_document
from memories.access import Actor, View
from memories.errors import InvalidInput, NotFound
from memories.models import JournalEntry, Memory
from memories.undo.selection import Selection
from memories.undo.undoing import undo
from memories.writing.tag_changes import delete_tags, merge_tags, rename_tag
from oauthserver.models import User
from tests.documents.support import BOAT, make_document
from tests.support.factories import HOST, Assistant, make_memory, make_user, owner_actor


@pytest.fixture
def owner(db: None) -> User:
    return make_user("owner")


def tags_of(document: Document) -> list[str]:
    """Return the tags of a document, which its passages have, too."""
    document.refresh_from_db()
    for chunk in Chunk.objects.filter(document=document):
        assert chunk.tags == document.tags
    return document.tags


def test_merging_changes_memories_and_documents_and_is_undone_as_a_whole(owner: User) -> None:
    memory = make_memory(owner, "One", tags=("cat",))
    both = make_document(owner, BOAT, tags=("pets", "cat", "kitty"))
    forgotten = make_document(owner, "# Tea\n\nGreen.\n", tags=("kitty",))
    forget_document(owner_actor(owner), forgotten.pk)
    strangers = make_document(make_user(), BOAT, tags=("cat",))
    planned = merge_tags(owner_actor(owner), ["cat", "kitty"], "Cats", dry_run=True)
    assert (planned.memories, planned.documents.active, planned.documents.forgotten) == (1, 1, 1)
    assert tags_of(both) == ["pets", "cat", "kitty"]

    actor = owner_actor(owner)
    assert merge_tags(actor, ["cat", "kitty"], "Cats").documents == planned.documents
    assert [tags_of(each) for each in (both, forgotten, strangers)] == [["pets", "cats"], ["cats"], ["cat"]]
    entry = JournalEntry.objects.get(change_set=actor.change_set, document_id=both.pk)
    assert (entry.before, entry.after) == ({"tags": ["pets", "cat", "kitty"]}, {"tags": ["pets", "cats"]})

    outcome = undo(owner_actor(owner), Selection(change_set=actor.change_set))
    assert (len(outcome.restored), len(outcome.documents.restored), outcome.synonyms) == (1, 2, 2)
    assert [tags_of(each) for each in (both, forgotten)] == [["pets", "cat", "kitty"], ["kitty"]]
    assert Memory.objects.get(pk=memory.pk).tags == ["cat"]


def test_tags_that_only_documents_have_are_renamed_and_deleted(owner: User) -> None:
    document = make_document(owner, tags=("sea", "boats"))
    rename_tag(owner_actor(owner), "sea", "ocean")
    with pytest.raises(InvalidInput, match="ocean is already in use"):
        rename_tag(owner_actor(owner), "boats", "ocean")
    assert delete_tags(owner_actor(owner), ["boats"]).documents.active == 1
    assert tags_of(document) == ["ocean"]
    with pytest.raises(NotFound, match="No memory or document has the tag boats"):
        delete_tags(owner_actor(owner), ["boats"])


def test_a_limited_app_changes_no_tags_of_documents(owner: User) -> None:
    document = make_document(owner, tags=("sea",))
    with pytest.raises(InvalidInput, match="limited to some tags"):
        delete_tags(Actor(View(owner.pk, ("sea",)), "claude"), ["sea"])
    assert tags_of(document) == ["sea"]


def test_the_page_and_the_command_count_documents(owner: User) -> None:
    make_memory(owner, "One", tags=("sea",))
    make_document(owner, tags=("sea", "boats"))
    pages = Client(headers={"host": HOST})
    pages.force_login(owner)
    page = pages.get("/admin/tags/").content.decode()
    assert "/admin/documents/document/?tag=boats" in page
    form = {"action": "merge", "tags": ["sea"], "into": "ocean"}
    assert "1 document will be changed, too." in pages.post("/admin/tags/", form).content.decode()
    done = pages.post("/admin/tags/", {**form, "confirm": "yes"}, follow=True).content.decode()
    assert "Tags changed: 1 memory and 1 document." in done
    said = StringIO()
    call_command("tags", "--user", "owner", stdout=said)
    assert "       1 ocean (and 1 document)\n       0 boats (and 1 document)" in said.getvalue()
    call_command("tags", "--user", "owner", "--delete", "boats", stdout=said)
    assert "Changed 1 active and 0 forgotten documents." in said.getvalue()


def test_the_tool_counts_documents_and_its_change_set_is_undone(owner: User) -> None:
    document = make_document(owner, tags=("sea",))
    assistant = Assistant.of(owner)
    result = assistant.call("manage_tags", action="rename", tags=["sea"], into="ocean")
    assert (result["memories"], result["documents"], result["forgotten_documents"]) == (0, 1, 0)
    undone = assistant.call("undo", change_set=result["change_set"])
    assert (undone["documents"]["restored"], undone["synonyms"]) == ([str(document.pk)], 1)
    assert tags_of(document) == ["sea"]
