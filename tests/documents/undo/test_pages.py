"""Tests of the pages and tools that show and undo changes of documents."""

from __future__ import annotations

import re

import pytest
from django.core.management import call_command
from django.test import Client, RequestFactory

from documents.models import Document
from documents.tasks import read_queued
from documents.writing.changing import change_document
from documents.writing.forgetting import forget_document, hard_delete_document
from mcpapi.admin.app_activity.lines import activity_of
from memories.access import Actor, View
from memories.models import JournalEntry
from memories.undo import parts, undoing
from memories.writing.synonyms import add_synonym
from oauthserver.models import User
from tests.documents.support import BOAT, added, make_document
from tests.support.factories import Assistant, make_app, make_memory, owner_actor

JOURNAL = "/admin/memories/journalentry/"
UNDO = "/admin/undo/"
URL = "https://example.com/boat"
SOLD = "# Ragnhild\n\nThe boat is sold to Nils.\n"


@pytest.fixture
def cursor(owner: User) -> Actor:
    """An app of the owner that is called Cursor."""
    return Actor(View.whole(owner.pk), make_app("Cursor").client_id)


def shown(pages: Client, url: str) -> str:
    response = pages.get(url)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def undo_on_page(pages: Client, url: str, **choices: str) -> str:
    """Confirm the preview at `url`, and return the page that follows."""
    seen_at = re.findall(r'name="seen_at" value="([^"]+)"', shown(pages, url))[0]
    return " ".join(pages.post(url, {"seen_at": seen_at, **choices}, follow=True).content.decode().split())


def test_the_journal_names_documents_and_what_was_changed(owner: User, pages: Client, cursor: Actor) -> None:
    document = make_document(owner, source_url=URL)
    added(cursor, SOLD, source_url=URL, tags=("sea",))
    page = shown(pages, JOURNAL)
    assert "Cursor changed 1 document" in page
    assert 'Version: <del dir="auto">1</del> <ins dir="auto">2</ins>' in page
    assert 'Tags: <ins dir="auto">sea</ins>' in page
    assert f'href="/admin/documents/document/{document.pk}/change/"' in page


def test_a_change_set_of_everything_is_one_sentence(owner: User, pages: Client, cursor: Actor) -> None:
    added(cursor, BOAT)
    make_memory(owner, "I like tea")
    JournalEntry.objects.filter(memory_id__isnull=False).update(client=cursor.client, change_set=cursor.change_set)
    add_synonym(cursor, "kitty", "cats")
    page = shown(pages, JOURNAL)
    assert "Cursor added 1 memory and 1 document and changed 1 tag synonym" in page
    assert "Tag kitty" in page
    assert 'Stored as: <ins dir="auto">cats</ins>' in page


def test_changes_of_synonyms_alone_are_listed_and_undone(owner: User, pages: Client) -> None:
    actor = owner_actor(owner)
    add_synonym(actor, "kitty", "cats")
    page = shown(pages, JOURNAL)
    assert "You changed 1 tag synonym" in page
    after = undo_on_page(pages, f"{UNDO}?change_set={actor.change_set}")
    assert "tag synonyms restored" in after
    assert "You undid changes to 1 tag synonym" in after


def test_the_journal_is_filtered_by_what_was_changed_and_searched_by_title(
    owner: User, pages: Client, cursor: Actor
) -> None:
    added(cursor, BOAT)
    make_memory(owner, "I like tea")
    add_synonym(owner_actor(owner), "kitty", "cats")
    only = {name: shown(pages, f"{JOURNAL}?what={name}") for name in ("memory", "document", "synonym")}
    for name, sentence in {
        "memory": "tests added 1 memory",
        "document": "Cursor added 1 document",
        "synonym": "You changed 1 tag synonym",
    }.items():
        assert [each for each, page in only.items() if sentence in page] == [name]
    assert "Cursor added 1 document" in shown(pages, f"{JOURNAL}?q=ragnh")
    assert "Cursor added 1 document" not in shown(pages, f"{JOURNAL}?q=tea")
    assert "You changed 1 tag synonym" in shown(pages, f"{JOURNAL}?q=kitty")


def test_a_permanent_deletion_shows_no_title(owner: User, pages: Client) -> None:
    document = make_document(owner)
    hard_delete_document(owner_actor(owner), document.pk)
    page = shown(pages, JOURNAL)
    assert "You permanently deleted 1 document" in page
    assert "A document that no longer exists" in page
    assert "Ragnhild" not in page


def test_the_page_of_a_document_lists_its_changes_and_undoes_them(owner: User, pages: Client, cursor: Actor) -> None:
    document = make_document(owner, source_url=URL)
    added(cursor, SOLD, source_url=URL)
    page = shown(pages, f"/admin/documents/document/{document.pk}/change/")
    assert "Cursor added a new version" in page
    assert 'Version: <del dir="auto">1</del> <ins dir="auto">2</ins>' in page
    (latest, _) = re.findall(r'href="(/admin/undo/\?entry=\d+)"', page)
    preview = shown(pages, latest)
    assert "1 document goes back to its earlier state" in preview
    assert 'Version: <del dir="auto">2</del> <ins dir="auto">1</ins>' in preview
    assert "Undone: 1 restored." in undo_on_page(pages, latest)
    read_queued()
    document.refresh_from_db()
    assert document.current is not None
    assert "Lyngby" in document.current.text


def test_a_conflict_is_decided_on_the_page(owner: User, pages: Client, cursor: Actor) -> None:
    document = added(cursor, BOAT).document
    change_document(owner_actor(owner), document.pk, title="Mine")
    query = f"{UNDO}?app={cursor.client}&period=day"
    assert "1 document was changed again since" in shown(pages, query)
    assert "Nothing was changed." in undo_on_page(pages, query, **{f"item-{document.pk}": "keep"})
    assert "Undone: 1 forgotten." in undo_on_page(pages, query, **{f"item-{document.pk}": "revert"})
    assert not Document.objects.not_deleted().exists()


def test_undoing_at_once_counts_documents(owner: User, pages: Client, cursor: Actor) -> None:
    added(cursor, BOAT)
    after = pages.post(f"/admin/undo/now/?change_set={cursor.change_set}", follow=True).content.decode()
    assert "Undone: 1 document." in after


def test_the_activity_of_an_app_shows_what_it_did_to_documents(owner: User, cursor: Actor) -> None:
    added(cursor, BOAT)
    request = RequestFactory().get("/")
    request.user = owner
    (line,) = activity_of(request, cursor.client)["lines"]
    assert line.change is not None
    assert (line.change.verb, line.change.text) == ("added", "Ragnhild")


def test_the_command_undoes_documents_in_parts(
    owner: User, cursor: Actor, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:

    for number in range(3):
        added(cursor, f"# Note {number}\n\nText.\n")
    make_memory(owner, "I like tea")
    JournalEntry.objects.filter(memory_id__isnull=False).update(client=cursor.client)
    monkeypatch.setattr(undoing, "MAX_ITEMS", 2)
    monkeypatch.setattr(parts, "PART", 2)
    call_command("undo", "--user", "owner", "--app", "Cursor", "--in-parts")
    said = capsys.readouterr().out
    assert (said.count("(memories "), said.count("(documents ")) == (1, 2)
    assert not Document.objects.not_deleted().exists()


# --- Tools


def test_an_app_lists_and_undoes_changes_of_documents(owner: User, cursor: Actor) -> None:
    document = make_document(owner, source_url=URL)
    added(cursor, SOLD, source_url=URL)
    assistant = Assistant.of(owner)
    newest, first = assistant.call("list_changes")["change_sets"]
    assert (newest["app"], newest["count"], newest["changes"]) == ("Cursor", 1, [])
    (change,) = newest["documents"]
    assert (change["document_id"], change["title"], change["operation"]) == (str(document.pk), "Ragnhild", "update")
    assert (change["before"], change["after"]) == ({"version": 1}, {"version": 2})
    assert first["documents"][0]["operation"] == "remember"
    planned = assistant.call("undo", change_set=newest["change_set"], dry_run=True)
    assert planned["documents"]["restored"] == [str(document.pk)]
    assert planned["message"] == "Would be: 1 restored."
    done = assistant.call("undo", change_set=newest["change_set"])
    read_queued()
    assert "Lyngby" in assistant.call("get_document", id=str(document.pk))["body"]
    assistant.call("undo", change_set=done["change_set"])
    read_queued()
    assert "Nils" in assistant.call("get_document", id=str(document.pk))["body"]


def test_a_limited_app_learns_nothing_of_other_documents_and_synonyms(owner: User, cursor: Actor) -> None:
    added(cursor, BOAT, tags=("work",))
    added(cursor, "# Tea\n\nGreen.\n", tags=("home",))
    add_synonym(cursor, "kitty", "cats")
    limited = Assistant.of(owner, tags=("work",))
    (listed,) = limited.call("list_changes")["change_sets"]
    assert ([each["title"] for each in listed["documents"]], listed["count"], listed["synonyms"]) == (
        ["Ragnhild"],
        1,
        [],
    )
    undone = limited.call("undo", change_set=str(cursor.change_set))
    assert (len(undone["documents"]["removed"]), undone["synonyms"]) == (1, 0)
    assert Document.objects.not_deleted().get().title == "Tea"
    whole = Assistant.of(owner)
    assert whole.call("list_changes")["change_sets"][-1]["synonyms"] == [
        {"variant": "kitty", "before": None, "after": "cats"}
    ]


def test_a_conflict_names_the_versions(owner: User, cursor: Actor) -> None:
    document = make_document(owner, source_url=URL)
    added(cursor, SOLD, source_url=URL)
    added(owner_actor(owner), "# Ragnhild\n\nBought back.\n", source_url=URL)
    result = Assistant.of(owner).call("undo", app="Cursor", dry_run=True)
    assert result["documents"]["conflicts"] == [
        {
            "document_id": str(document.pk),
            "reason": "It was changed again since.",
            "now": {"version": 3},
            "earlier": {"version": 1},
        }
    ]


def test_forgetting_many_documents_by_undo_counts_as_forgetting_many(owner: User, cursor: Actor) -> None:
    document = added(cursor, BOAT).document
    forget_document(cursor, document.pk)
    result = Assistant.of(owner).call("undo", app="Cursor", dry_run=True)
    assert result["documents"]["unchanged"] == 1
    assert result["message"] == "Nothing to undo: everything is already as before."
