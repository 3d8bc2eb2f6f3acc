"""Tests of the list of documents: its content, filters, search, actions and cost."""

from __future__ import annotations

import re
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin import site
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from documents.admin.search import excerpt
from documents.models import Chunk, Document, Version
from documents.writing.forgetting import forget_document
from memories.errors import EmbeddingError
from oauthserver.models import User
from tests.documents.sources.support import folder_source, synced, write
from tests.documents.support import BOAT, added, make_document
from tests.support.factories import HOST, actor_for, make_user, quarantined

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]

LIST = "/admin/documents/document/"
HOSTILE = "<script>alert(1)</script>"


def listed(pages: Client, query: str = "") -> list[str]:
    """Return the titles in the list, in its order."""
    response = pages.get(LIST + query)
    assert response.status_code == 200
    return [document.title for document in response.context["cl"].result_list]


@pytest.fixture
def one_of_each(owner: User) -> None:
    """One document in each state."""
    make_document(owner, "Some text.", title="Ready")
    waiting = make_document(owner, "Other text.", title="Waiting")
    waiting.versions.update(state="queued", text="")
    make_document(owner, b"%PDF-1.7 broken", name="broken.pdf", title="Broken")
    blank = make_document(owner, "Scanned.", title="Blank")
    blank.versions.update(text="")
    added(quarantined(owner), "Guess.", title="Guess", quarantined_from="guesser")
    forget_document(actor_for(owner), make_document(owner, "Old.", title="Forgotten").pk)


@pytest.mark.usefixtures("one_of_each")
@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("", {"Ready", "Waiting", "Broken", "Blank"}),
        ("?state=waiting", {"Waiting"}),
        ("?state=unreadable", {"Broken"}),
        ("?state=no-text", {"Blank"}),
        ("?state=review", {"Guess"}),
        ("?state=forgotten", {"Forgotten"}),
        ("?state=all", {"Ready", "Waiting", "Broken", "Blank", "Guess", "Forgotten"}),
    ],
)
def test_the_list_leaves_out_what_is_forgotten_or_awaits_review_unless_it_is_chosen(
    pages: Client, query: str, titles: set[str]
) -> None:
    assert set(listed(pages, query)) == titles


@pytest.mark.usefixtures("one_of_each")
def test_each_row_says_its_state_and_type(pages: Client) -> None:
    page = pages.get(f"{LIST}?state=all").content.decode().lower()
    states = ("ready", "waiting", "could not be read: ", "contains no text", "awaiting your review", "forgotten")
    for shown in (*states[1:], "pdf", "markdown", "added directly"):
        assert shown in page


@pytest.mark.usefixtures("one_of_each")
def test_a_document_awaiting_review_is_counted_in_the_menu_and_linked(pages: Client, other_pages: Client) -> None:
    page = pages.get(LIST).content.decode()
    assert '<span class="badge">1<' in page
    assert "Documents <b>1 to review</b>" in page, "it is not the number of documents"
    assert '1 document awaits your review</div><a class="btn sm" href="?state=review">' in page
    assert "awaits your review" not in pages.get(f"{LIST}?state=review").content.decode()
    for place in ("inbox/", ""):
        page = pages.get(f"/admin/{place}").content.decode()
        assert f'href="{LIST}?state=review"' in page
        assert "1 document awaits your review" in page
        assert page.count('<span class="badge">1<') == 1
        assert "await" not in other_pages.get(f"/admin/{place}").content.decode()
    for shown in ('<span class="badge">', '?state=review">1'):
        assert shown not in other_pages.get(LIST).content.decode()


def test_the_state_is_that_of_the_newest_version(owner: User, pages: Client) -> None:
    url = "https://example.com/boat"
    make_document(owner, source_url=url, title="Boat")
    added(actor_for(owner), b"%PDF-1.7 broken", name="boat.pdf", source_url=url)
    assert listed(pages, "?state=unreadable") == ["Boat"]
    assert "could not be read: " in pages.get(LIST).content.decode().lower()


def test_a_row_has_the_first_sentence_of_why_a_file_could_not_be_read(owner: User, pages: Client) -> None:
    added(actor_for(owner), bytes(range(256)), name="odd.bin")
    page = pages.get(LIST).content.decode()
    assert "could not be read: Files of this format are not supported." in page
    assert "Supported are" not in page


def test_what_was_forgotten_can_be_undone_at_once(owner: User, pages: Client) -> None:
    documents = [make_document(owner, f"{title}.", title=title) for title in ("One", "Two")]
    ids = ",".join(str(document.pk) for document in documents)
    page = pages.post(f"{LIST}forget/?ids={ids}", follow=True).content.decode()
    undo = re.search(r'<form method="post" action="([^"]*restore/[^"]*)"', page)
    assert undo
    assert listed(pages, "") == []
    pages.post(undo[1].replace("&amp;", "&"))
    assert set(listed(pages, "")) == {"One", "Two"}


def test_source_and_tag_are_filters(owner: User, pages: Client) -> None:
    make_document(owner, "One.", title="One", tags=("sea", "home"))
    make_document(owner, "Two.", title="Two", tags=("home",))
    make_document(owner, "Three.", title="Three", source="git", source_key="3")
    assert listed(pages, "?tag=sea") == ["One"]
    assert set(listed(pages, "?tag=home")) == {"One", "Two"}
    assert listed(pages, "?source=git") == ["Three"]
    assert listed(pages, "?source=nowhere") == []
    page = pages.get(LIST).content.decode()
    for label in ("home <b>2</b>", "sea <b>1</b>", "Added directly <b>2</b>", "git <b>1</b>"):
        assert label in page
    # The numbers are those of all documents. Another filter leaves fewer.
    page = pages.get(f"{LIST}?state=unreadable").content.decode()
    assert ("Added directly<" in page, "Added directly <b>" in page, "home <b>" in page) == (True, False, False)


def test_an_empty_library_has_no_search_and_no_filters(owner: User, pages: Client) -> None:
    assert 'id="q"' not in pages.get(LIST).content.decode()
    assert "Filter by state and tag" not in pages.get(LIST).content.decode()
    forget_document(actor_for(owner), make_document(owner).pk)
    assert 'id="q"' in pages.get(LIST).content.decode()


def test_a_full_last_page_offers_no_next_one(owner: User, pages: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site._registry[Document], "list_per_page", 2)
    for title in ("One", "Two"):
        make_document(owner, f"{title}.", title=title)
    page = pages.get(LIST).content.decode()
    assert "2 in all" in page
    assert "Show the next" not in page
    make_document(owner, "Three.", title="Three")
    page = pages.get(LIST).content.decode()
    assert "3 in all" in page
    assert "Show the next 2" in page


def test_search_finds_titles_and_texts(owner: User, pages: Client) -> None:
    make_document(owner, title="Sailing manual")
    make_document(owner, "# Tax\n\nPay it.", title="Tax")
    assert listed(pages, "?q=manu") == ["Sailing manual"]
    assert listed(pages, "?q=engine+oil") == ["Sailing manual"]
    page = pages.get(f"{LIST}?q=engine+oil").content.decode()
    assert '<p class="sm second found" dir="auto">Change the oil after every hundred hours.' in page
    assert listed(pages, "?q=nothing+of+the+kind+xyzzy") == []
    assert listed(pages, "?q=xyzzy&state=all") == []


def test_search_needs_no_embedder(owner: User, pages: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise EmbeddingError("down")

    make_document(owner, title="Sailing manual")
    monkeypatch.setattr("memories.recall.pipeline.embed_query", fail, raising=False)
    assert listed(pages, "?q=engine+oil") == ["Sailing manual"]


def test_a_search_that_fails_shows_the_reason(pages: Client) -> None:
    page = pages.get(LIST, {"q": "x " * 9_000})
    assert page.status_code == 200
    assert "at most" in page.content.decode()


def test_html_in_titles_and_tags_is_text(owner: User, pages: Client) -> None:
    document = make_document(owner, title=HOSTILE, source=HOSTILE)
    Document.objects.filter(pk=document.pk).update(tags=[HOSTILE])
    page = pages.get(LIST).content.decode()
    assert HOSTILE not in page
    assert "&lt;script&gt;alert(1)" in page


def test_other_owners_see_and_change_nothing(owner: User, pages: Client, other_pages: Client) -> None:
    document = make_document(owner, title="Private", tags=("hush",))
    assert listed(pages) == ["Private"]
    assert listed(other_pages) == []
    page = other_pages.get(f"{LIST}?state=all&q=Private&tag=hush").content.decode()
    assert "hush (" not in page
    other_pages.post(LIST, {"action": "forget", "_selected_action": str(document.pk)})
    assert other_pages.get(f"{LIST}forget/?ids={document.pk}").status_code == 404
    assert other_pages.post(f"{LIST}delete-permanently/?ids={document.pk}").status_code == 404
    document.refresh_from_db()
    assert document.deleted_at is None


def test_without_a_login_every_page_leads_to_the_login(owner: User) -> None:
    document = make_document(owner)
    visitor = Client(headers={"host": HOST})
    names = ("", "add/", "forget/", "restore/", "retry/", "accept/", "delete-permanently/")
    of_one = (f"{document.pk}/change/", f"{document.pk}/delete/", f"{document.pk}/versions/1/original/")
    for path in [*names, *of_one]:
        for response in (visitor.get(f"{LIST}{path}?ids={document.pk}"), visitor.post(f"{LIST}{path}")):
            assert response.status_code == 302
            assert response["Location"].startswith(("/login/?", "/admin/login/?"))
    assert Document.objects.get().deleted_at is None


def test_the_cost_of_the_list_does_not_grow_and_no_text_is_loaded(owner: User, pages: Client) -> None:
    def queries(query: str) -> list[str]:
        with CaptureQueriesContext(connection) as captured:
            assert pages.get(LIST + query).status_code == 200
        return [entry["sql"] for entry in captured.captured_queries]

    make_document(owner, title="Document 0", tags=("home",))
    queries("?q=document")
    few = {query: queries(query) for query in ("", "?state=all", "?q=document")}
    for number in range(1, 12):
        make_document(owner, f"Text {number}.", title=f"Document {number}", tags=("home",))
    for query, before in few.items():
        after = queries(query)
        # A search may look up the embedding space again.
        assert len(after) <= len(before) + ("q=" in query)
        assert len(after) <= 15
        assert not [
            sql for sql in after if '"documents_version"."text",' in sql or '"documents_version"."text" FROM' in sql
        ]
        assert not [sql for sql in after if "documents_originalpart" in sql]


def act(pages: Client, action: str, *documents: Document, **fields: Any) -> str:
    """Choose an action of the list for documents, confirm it, and return the page that follows."""
    chosen = {"action": action, "_selected_action": [str(document.pk) for document in documents]}
    asked = pages.post(f"{LIST}?state=all", chosen)
    assert asked.status_code == 302
    page = pages.get(asked["Location"])
    assert page.status_code == 200
    for document in documents:
        assert document.title in page.content.decode()
    done = pages.post(asked["Location"], fields, follow=True)
    assert done.status_code == 200
    return str(done.content.decode())


def test_several_documents_are_forgotten_restored_and_deleted_permanently(owner: User, pages: Client) -> None:
    one, two = make_document(owner, "One.", title="One"), make_document(owner, "Two.", title="Two")
    kept = make_document(owner, "Three.", title="Three")

    assert "2 documents forgotten." in act(pages, "forget", one, two, reason="Sold")
    assert set(Document.objects.filter(forget_reason="Sold").values_list("title", flat=True)) == {"One", "Two"}
    assert "2 documents restored." in act(pages, "restore", one, two)
    assert Document.objects.not_deleted().count() == 3
    assert "2 documents permanently deleted." in act(pages, "delete_permanently", one, two)
    assert list(Document.objects.all()) == [kept]
    assert Version.objects.count() == Chunk.objects.count() == 1


def test_what_cannot_be_decided_is_reported_and_the_rest_is_done(owner: User, pages: Client) -> None:
    broken = make_document(owner, b"%PDF-1.7 broken", name="broken.pdf")
    page = act(pages, "retry", make_document(owner, BOAT), broken)
    assert "One document queued." in page
    assert "Only a document from which nothing could be read" in page
    assert broken.versions.get().state == "queued"


def test_documents_in_quarantine_are_accepted(owner: User, pages: Client) -> None:
    guess = added(quarantined(owner), BOAT, title="Guess", quarantined_from="guesser").document
    assert "One document accepted." in act(pages, "accept", guess)
    assert listed(pages) == ["Guess"]


def test_asking_alone_changes_nothing(owner: User, pages: Client) -> None:
    document = make_document(owner)
    for name in ("forget", "delete-permanently", "retry"):
        assert pages.get(f"{LIST}{name}/?ids={document.pk}").status_code == 200
    assert Document.objects.get().deleted_at is None


@pytest.mark.parametrize(
    "ids", ["", "1", "x", str(uuid.UUID(int=7)), ",".join(str(uuid.UUID(int=n)) for n in range(51))]
)
def test_ids_that_no_page_has_sent_are_not_found(pages: Client, ids: str) -> None:
    assert pages.get(f"{LIST}forget/", {"ids": ids}).status_code == 404


@pytest.mark.parametrize("chosen", ["'; --", "1", "x", ""])
def test_a_selection_of_other_things_than_documents_is_a_bad_request(pages: Client, chosen: str) -> None:
    assert pages.post(LIST, {"action": "forget", "_selected_action": chosen}).status_code == 400
    memories = {"action": "forget", "_selected_action": str(uuid.UUID(int=7))}
    assert pages.post("/admin/memories/memory/", memories).status_code == 400


def test_a_secret_is_no_reason(owner: User, pages: Client) -> None:
    document = make_document(owner)
    response = pages.post(f"{LIST}forget/?ids={document.pk}", {"reason": "ghp_" + "a1" * 18})
    assert response.status_code == 200
    assert "never stored" in response.content.decode()
    assert Document.objects.get().deleted_at is None


def test_djangos_own_deletion_asks_in_the_words_of_these_pages(owner: User, pages: Client) -> None:
    document = make_document(make_user("third"))
    own = make_document(owner)
    response = pages.post(f"{LIST}{own.pk}/delete/", {"post": "yes"})
    assert response["Location"] == f"{LIST}delete-permanently/?ids={own.pk}"
    assert pages.get(f"{LIST}delete-permanently/?ids={document.pk}").status_code == 404
    assert Document.objects.count() == 2


def test_a_chosen_filter_is_visible_and_can_be_removed(owner: User, pages: Client) -> None:
    make_document(owner, tags=("sea",))
    assert '<details class="after">' in pages.get(LIST).content.decode()
    for query in ("state=waiting", "tag=sea", "tag=sea&q=oil"):
        assert '<details class="after" open>' in pages.get(f"{LIST}?{query}").content.decode()
    assert (
        'class="chip on" aria-current="true" href="?q=oil">sea' in pages.get(f"{LIST}?tag=sea&q=oil").content.decode()
    )


def test_unreadable_files_and_sources_are_described_in_the_language_of_the_page(
    owner: User, pages: Client, tmp_path: Path
) -> None:
    german = {"accept-language": "de"}
    make_document(owner, bytes(range(256)) * 4, name="letter.pdf")
    page = pages.get(LIST, headers=german).content.decode().lower()
    assert "konnte nicht gelesen werden: das ist trotz ihres namens keine .pdf-datei" in page
    source = folder_source(owner, tmp_path)
    write(tmp_path, tea="Tea.")
    assert synced(source) == {"added": 1}
    assert "Die Quelle „notes“ hat" in pages.get("/admin/memories/journalentry/", headers=german).content.decode()
    document = Document.objects.get(source=source.name)
    page = pages.get(f"{LIST}{document.pk}/change/", headers=german).content.decode()
    assert page.count("ie Quelle „notes“") >= 2


@pytest.mark.parametrize(
    ("text", "wanted", "shown"),
    [
        ("Close the tap.\n\nE15 means water.", "e15", "Close the tap. E15 means water."),
        (f"{'word ' * 30}E15 means water.", "E15", f"…{'word ' * 12}E15 means water."),
        ("The tap " + "drips " * 50, "tap", ("The tap " + "drips " * 50)[:199] + "…"),
        ("The tap drips.", "(", "The tap drips."),
    ],
)
def test_an_excerpt_shows_the_words_that_were_searched_for(text: str, wanted: str, shown: str) -> None:
    assert excerpt(text, wanted) == shown
