"""Tests of the page of a document, and of the download of its originals."""

from __future__ import annotations

import re
import uuid
from io import BytesIO
from pathlib import Path

import pytest
from django.test import Client

from documents.admin.document_page import SHOWN_TEXT_CHARS
from documents.drafts import DocumentDraft
from documents.models import Chunk, Document
from documents.originals import PART_BYTES
from documents.tasks import read_queued
from documents.writing.adding import add_document
from documents.writing.changing import change_document
from documents.writing.forgetting import forget_document
from memories.models import JournalEntry
from oauthserver.models import User
from tests.documents.sources.support import folder_source, synced
from tests.documents.support import BOAT, added, make_document
from tests.support.factories import actor_for, make_app, make_user, owner_actor, quarantined

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]

LIST = "/admin/documents/document/"
HOSTILE = "</pre></bdi><img src=x onerror=alert(1)>"


def path_of(document: Document) -> str:
    return f"{LIST}{document.pk}/change/"


def shown(pages: Client, document: Document, query: str = "") -> str:
    response = pages.get(path_of(document) + query)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_the_page_shows_what_is_known(owner: User, pages: Client) -> None:
    app = make_app("Notebook")
    document = make_document(owner, source_url="https://example.com/boat?a=1", tags=("sea",))
    Document.objects.filter(pk=document.pk).update(author="Ada", metadata={"language": "en"}, stored_by=app.client_id)
    page = shown(pages, document)
    assert '<a class="link" href="https://example.com/boat?a=1" rel="noopener noreferrer nofollow">' in page
    for text in ("Ada", "language", "Notebook", "Markdown", "Added directly", "boat.md", "Version 1"):
        assert text in page
    assert "Change the oil after every hundred hours." in page
    assert 'value="sea"' in page


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "JaVaScRiPt:x"])
def test_only_web_addresses_are_links(owner: User, pages: Client, url: str) -> None:
    document = make_document(owner)
    Document.objects.filter(pk=document.pk).update(source_url=url)
    assert f'href="{url}' not in shown(pages, document)


def test_html_is_text_everywhere(owner: User, pages: Client) -> None:
    document = make_document(owner, f"# {HOSTILE}\n\n{HOSTILE}\n", name="a<b>&.md", title=HOSTILE)
    Document.objects.filter(pk=document.pk).update(
        tags=[HOSTILE], author=HOSTILE, metadata={HOSTILE: HOSTILE}, stored_by=HOSTILE, forget_reason=HOSTILE
    )
    document.versions.update(notes=[HOSTILE], problem=HOSTILE, secrets=[HOSTILE], file_name=HOSTILE)
    decide = f"{LIST}forget/?ids={document.pk}"
    pages_with_it = [shown(pages, document), pages.get(decide).content.decode()]
    document.versions.update(state="failed")
    pages_with_it.append(shown(pages, document))
    forget_document(actor_for(owner), document.pk)
    pages_with_it.append(shown(pages, document))
    for page in pages_with_it:
        assert "<img src=x" not in page
        assert "&lt;img src=x onerror=alert(1)&gt;" in page


def test_headings_are_headings_and_the_title_is_not_repeated(owner: User, pages: Client) -> None:
    text = (
        "# The boat\n\nIt is **red**.\n\n## Engine & gear\n\nChange the oil.\n\n### Filter\n\nEvery year.\n\n## Sails\n"
    )
    page = shown(pages, make_document(owner, text, name="boat.md", title="The boat"))
    prose = page.partition('<pre class="doctext prose"')[2].partition(">")[2].partition("</pre>")[0]
    headings = re.findall(
        r'<strong class="heading(?: lead)?" role="heading" aria-level="3" dir="auto">([^<]*)</strong>', prose
    )
    assert headings == ["Engine &amp; gear", "Filter", "Sails"]
    assert prose.startswith("It is red.<strong")
    assert "The boat" not in prose


def test_a_long_text_comes_in_parts_of_whole_paragraphs(owner: User, pages: Client) -> None:
    document = make_document(owner, "\n\n".join(f"Paragraph {number} says little." for number in range(2_000)))
    assert document.current is not None
    start, shown_text = 0, ""
    while start is not None:
        page = pages.get(path_of(document), {"start": start})
        part = page.context["text"]
        assert part.text.startswith("Paragraph")
        assert part.text.rstrip().endswith("little.")
        assert len(part.text) <= SHOWN_TEXT_CHARS
        shown_text += part.text
        last, start = start, part.next_start
    assert shown_text == document.current.text
    before = page.context["before"]
    assert last - SHOWN_TEXT_CHARS <= before < last
    assert document.current.text[before:].startswith("Paragraph")
    beyond = shown(pages, document, "?start=1000000000")
    assert "Nothing to show." in beyond
    for start in ("x", "-1", "9" * 18, "²"):
        assert pages.get(path_of(document), {"start": start}).status_code == 404


def test_kinds_of_secrets_are_named_and_problems_are_shown(owner: User, pages: Client) -> None:
    key = "ghp_" + "a1" * 18
    page = shown(pages, make_document(owner, f"# Deploy\n\nThe token is {key}. It works.\n"))
    assert "It contains a GitHub token: apps see a placeholder" in page
    assert key not in page
    account = f"The token is {key}. It works.\n\nThe account is NL91ABNA0417164300.\n"
    document = make_document(owner, account, name="account.md")
    kinds = "a GitHub token and a bank account number (IBAN)"
    assert sorted(document.versions.get().secrets) == sorted(kinds.split(" and "))
    assert f"It contains {' and '.join(document.versions.get().secrets)}: apps see a placeholder" in shown(
        pages, document
    )
    german = pages.get(path_of(document), headers={"accept-language": "de"}).content.decode()
    assert "GitHub-Token" in german
    assert "eine Kontonummer (IBAN)" in german
    broken = make_document(owner, b"%PDF-1.7 broken", name="broken.pdf")
    assert broken.versions.get().problem in (page := shown(pages, broken))
    assert "Apps can find nothing in it" in page


def test_another_attempt_is_offered_unless_the_problem_is_in_the_file(owner: User, pages: Client) -> None:
    damaged = make_document(owner, b"%PDF-1.7 broken", name="broken.pdf")
    program = make_document(owner, b"\x7fELF\x00\x01\x02\xff\xfe\x00", name="x.exe")
    for document in (damaged, program):
        assert document.versions.get().state == "failed"
        assert "Retry reading" not in shown(pages, document)
    damaged.versions.update(problem="Reading the file took more processor time than is allowed.", is_final=False)
    assert "Retry reading" in shown(pages, damaged)


def test_title_and_tags_are_saved(owner: User, pages: Client) -> None:
    document = make_document(owner, title="Boat", tags=("sea",))
    page = pages.post(path_of(document), {"title": "Ship", "tags": "Sea Life, home"}, follow=True).content.decode()
    assert "Saved." in page
    document.refresh_from_db()
    assert (document.title, document.tags) == ("Ship", ["sea-life", "home"])
    assert Chunk.objects.filter(context__startswith="Ship › ", tags=["sea-life", "home"]).count() == 3
    assert (
        "Nothing was changed."
        in pages.post(path_of(document), {"title": "Ship", "tags": "sea-life, home"}, follow=True).content.decode()
    )


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"title": ""}, "This field is required."),
        ({"title": "x" * 501}, "500"),
        ({"title": "a\x00b"}, "Null characters are not allowed."),
        ({"title": "ghp_" + "a1" * 18}, "never stored"),
        ({"title": "Boat", "tags": ",".join(f"tag{n}" for n in range(51))}, "at most 50"),
    ],
)
def test_invalid_titles_and_tags_are_refused(owner: User, pages: Client, form: dict[str, str], message: str) -> None:
    document = make_document(owner, title="Boat")
    response = pages.post(path_of(document), form)
    assert response.status_code == 200
    assert message in response.content.decode()
    assert Document.objects.get().title == "Boat"


def test_others_find_nothing(owner: User, other_pages: Client) -> None:
    document = make_document(owner, title="Boat")
    for path in (path_of(document), f"{LIST}{document.pk}/versions/1/original/"):
        assert other_pages.get(path).status_code == 404
    assert other_pages.post(path_of(document), {"title": "Mine", "tags": ""}).status_code == 404
    for name in ("accept", "retry", "restore", "forget", "delete-permanently"):
        assert other_pages.post(f"{LIST}{name}/?ids={document.pk}").status_code == 404
    assert other_pages.get(f"{LIST}add/?document={document.pk}").status_code == 404
    assert Document.objects.get().title == "Boat"


@pytest.mark.parametrize("document_id", [uuid.UUID(int=0), "x", "1", "0" * 36])
def test_an_unknown_id_is_not_found(pages: Client, document_id: object) -> None:
    for path in ("change/", "delete/", "versions/1/original/"):
        response = pages.get(f"{LIST}{document_id}/{path}", follow=True)
        assert response.status_code == 404


def test_a_forgotten_document_says_why_and_can_only_be_restored_or_deleted(owner: User, pages: Client) -> None:
    document = make_document(owner, title="Boat")
    pages.post(f"{LIST}forget/?ids={document.pk}", {"reason": "Sold"})
    page = shown(pages, document)
    assert "Reason: <bdi>Sold</bdi>" in page
    assert 'name="title"' not in page
    pages.post(path_of(document), {"title": "Ship", "tags": ""})
    assert Document.objects.get().title == "Boat"
    assert "Forgotten on" not in " ".join(
        pages.post(f"{LIST}restore/?ids={document.pk}", follow=True).content.decode().split()
    )
    pages.post(f"{LIST}delete-permanently/?ids={document.pk}")
    assert not Document.objects.exists()


def test_a_document_in_quarantine_is_accepted_on_its_page(owner: User, pages: Client) -> None:
    known = make_document(owner, title="Boat", tags=("sea",))
    again = added(quarantined(owner), BOAT, tags=("home",), quarantined_from="guesser").document
    assert "No app can search it until you accept it." in shown(pages, again)
    response = pages.post(f"{LIST}accept/?ids={again.pk}", follow=True)
    assert response.redirect_chain[-1][0] == path_of(known)
    assert Document.objects.not_deleted().get().tags == ["sea", "home"]


def test_the_page_has_few_queries(owner: User, pages: Client, django_assert_max_num_queries: object) -> None:
    document = make_document(owner)
    shown(pages, document)
    with django_assert_max_num_queries(15):  # type: ignore[operator]
        shown(pages, document)


def test_the_page_links_to_other_documents_with_the_same_content(owner: User, pages: Client, tmp_path: Path) -> None:
    document = make_document(owner, title="Boat <b>")
    make_document(make_user("other"))
    make_document(owner, "# Another boat")
    assert "Same content" not in shown(pages, document)
    (tmp_path / "boat.md").write_text(BOAT, encoding="utf-8")
    synced(folder_source(owner, tmp_path))
    read_queued()
    found = Document.objects.get(source="notes")
    assert found.title == "Ragnhild"
    for one, other, title, source in (
        (document, found, "Ragnhild", "notes"),
        (found, document, "Boat &lt;b&gt;", "Added directly"),
    ):
        page = shown(pages, one)
        shown_link = f'<a class="link" dir="auto" href="{path_of(other)}">{title}</a> <bdi class="quiet">{source}</bdi>'
        assert f'<dt>Same content</dt><dd><span class="part">{shown_link}</span></dd></dl>' in page
    forget_document(actor_for(owner), document.pk)
    for each in (document, found):
        assert "Same content" not in shown(pages, each)


# --- Downloads


def download(pages: Client, document: Document, number: int = 1) -> tuple[bytes, dict[str, str]]:
    response = pages.get(f"{LIST}{document.pk}/versions/{number}/original/")
    assert response.status_code == 200
    return b"".join(response.streaming_content), dict(response.headers)  # type: ignore[attr-defined]


def test_an_original_is_downloaded_as_it_was_and_never_opened(owner: User, pages: Client) -> None:
    content = b"<script>alert(document.domain)</script>" * 40_000
    assert len(content) > PART_BYTES
    outcome = add_document(owner_actor(owner), DocumentDraft("page.html"), BytesIO(content))
    received, headers = download(pages, outcome.document)
    assert received == content
    assert headers["Content-Disposition"] == 'attachment; filename="page.html"'
    assert headers["Content-Type"] == "application/octet-stream"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Security-Policy"] == "default-src 'none'; sandbox; frame-ancestors 'none'"
    assert headers["Content-Length"] == str(len(content))
    assert "no-store" in headers["Cache-Control"]


@pytest.mark.parametrize(
    ("name", "disposition"),
    [
        ("../../etc/passwd", 'attachment; filename="passwd"'),
        ('a"b\\c.md', 'attachment; filename="c.md"'),
        ('a"b.md', 'attachment; filename="a\\"b.md"'),
        ("line\r\nSet-Cookie: a=b.md", 'attachment; filename="lineSet-Cookie: a=b.md"'),
        ("nul\x00.md", 'attachment; filename="nul.md"'),
        ("gpj.\u202etxt.exe", 'attachment; filename="gpj.txt.exe"'),
        ("Straße 日.md", "attachment; filename*=utf-8''Stra%C3%9Fe%20%E6%97%A5.md"),
        ("..", 'attachment; filename="document"'),
        ("n" * 4_000 + ".md", f'attachment; filename="{"n" * 252}.md"'),
    ],
)
def test_file_names_are_safe_in_headers(owner: User, pages: Client, name: str, disposition: str) -> None:
    outcome = add_document(owner_actor(owner), DocumentDraft(name), BytesIO(b"text"))
    assert download(pages, outcome.document)[1]["Content-Disposition"] == disposition


def test_each_version_keeps_its_original(owner: User, pages: Client) -> None:
    url = "https://example.com/boat"
    make_document(owner, "First.", source_url=url)
    document = make_document(owner, "Second.", source_url=url)
    assert [download(pages, document, number)[0] for number in (1, 2)] == [b"First.", b"Second."]
    page = shown(pages, document)
    assert "Download version 1" in page
    assert "Download version 2" in page
    for number in ("0", "3", "9" * 30):
        assert pages.get(f"{LIST}{document.pk}/versions/{number}/original/").status_code == 404


def test_forgotten_and_quarantined_originals_are_the_owners_still(owner: User, pages: Client) -> None:
    document = make_document(owner)
    forget_document(actor_for(owner), document.pk)
    assert download(pages, document)[0] == BOAT.encode()
    guess = added(quarantined(owner), "Guess.", quarantined_from="guesser").document
    assert download(pages, guess)[0] == b"Guess."


def test_a_download_is_a_get(owner: User, pages: Client) -> None:
    document = make_document(owner)
    assert pages.post(f"{LIST}{document.pk}/versions/1/original/").status_code == 405


def test_the_history_names_the_owner_in_the_language_of_the_page(owner: User, pages: Client) -> None:
    address = f"/admin/documents/document/{make_document(owner, 'Text.').pk}/change/"
    JournalEntry.objects.update(client="admin")
    assert "<bdi>You added the document</bdi>" in pages.get(address).content.decode()
    german = pages.get(address, headers={"accept-language": "de"}).content.decode()
    assert "<bdi>Du hast das Dokument hinzugefügt</bdi>" in german


def test_the_history_says_what_was_changed(owner: User, pages: Client) -> None:
    document = make_document(owner, "Text.")
    app = actor_for(owner)
    change_document(app, document.pk, title="Boats")
    change_document(app, document.pk, tags=["sea"])
    change_document(app, document.pk, title="Ships", tags=["ocean"])
    forget_document(app, document.pk)
    page = pages.get(path_of(document), headers={"accept-language": "de"}).content.decode()
    assert re.findall("<bdi>tests hat ([^<]+)</bdi>", page) == [
        "das Dokument vergessen",
        "das Dokument geändert",
        "die Schlagwörter geändert",
        "den Titel geändert",
        "das Dokument hinzugefügt",
    ]


def test_a_document_is_accepted_in_the_note_that_says_that_an_app_added_it(owner: User, pages: Client) -> None:
    document = added(quarantined(owner), "Guess.", quarantined_from="guesser").document
    page = shown(pages, document)
    assert page.index("Accept</button>") < page.index('id="text"')
    assert page.count("Accept</button>") == page.count(">Forget</a>") == 1
