"""Tests of the upload page."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile, TemporaryUploadedFile
from django.test import Client
from pytest_django import Settings

from documents.admin import upload_page
from documents.models import Document, Original, Version
from documents.tasks import read_queued
from memories.errors import StorageFull
from oauthserver.models import User
from tests.documents.support import BOAT, make_document
from tests.support.concurrency import in_threads
from tests.support.factories import HOST

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]

PAGE = "/admin/documents/document/add/"


def file(content: bytes = BOAT.encode(), name: str = "boat.md") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def send(pages: Client, *files: Any, tags: str = "", query: str = "") -> list[dict[str, str]]:
    """Send files as the script of the page does, and return the results."""
    response = pages.post(PAGE + query, {"files": files, "tags": tags}, headers={"accept": "application/json"})
    assert response.status_code == 200, response.content
    results: list[dict[str, str]] = json.loads(response.content)["results"]
    return results


def test_a_file_is_added_with_its_tags_and_read_later(owner: User, pages: Client) -> None:
    (result,) = send(pages, file(), tags="Sea Life, home")
    document = Document.objects.get()
    assert result == {
        "name": "boat.md",
        "outcome": "added",
        "message": "Added. OwnSona is reading it. Open it to see when apps can find it.",
        "url": f"/admin/documents/document/{document.pk}/change/",
        "document": str(document.pk),
    }
    assert (document.owner_id, document.tags, document.stored_by) == (owner.pk, ["sea-life", "home"], "admin")
    assert document.quarantined_from is None
    assert Version.objects.get().state == "queued"
    page = pages.get(result["url"]).content.decode()
    assert "The file is being read." in page
    read_queued()
    assert Version.objects.get().state == "ready"
    assert "The file is being read." not in pages.get(result["url"]).content.decode()


def test_without_a_script_several_files_are_added_at_once(pages: Client) -> None:
    response = pages.post(PAGE, {"files": [file(), file(b"Two.", "two.txt"), file(b"", "none.txt")], "tags": ""})
    page = response.content.decode()
    assert Document.objects.count() == 2
    assert page.count("Added. OwnSona is reading it.") == 2
    assert "The file is empty." in page


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        (
            "x.exe",
            b"MZ\x90\x00\x03\x00\x00\x00\x04\x00\xff\xff",
            "Files of this format are not supported. Supported are PDF,",
        ),
        ("photo.jpg", b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01", "Files of this format are not supported."),
        ("letter.rtf", b"{\\rtf1 Hello}", "Files of this format are not supported."),
        ("report.pdf", b"\x00\x01\x02\x03", "This is not a .pdf file, although its name says so"),
        ("old.doc", bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600), "Files of Office before 2007 are not supported."),
    ],
)
def test_files_of_other_formats_are_refused(pages: Client, name: str, content: bytes, reason: str) -> None:
    (result,) = send(pages, file(content, name))
    assert (result["outcome"], result["url"]) == ("refused", "")
    assert result["message"].startswith(reason)
    assert not Document.objects.exists()
    data = {"files": file(content, name), "tags": ""}
    page = pages.post(PAGE, data, headers={"accept-language": "de"}).content.decode()
    assert "Supported" not in page
    assert not Document.objects.exists()


@pytest.mark.parametrize("name", ["notes.exe", "notes", "notes.txt", "notes.pdf.txt"])
def test_a_text_is_added_whatever_it_is_called(pages: Client, name: str) -> None:
    (result,) = send(pages, file(b"The boat is red.", name))
    assert result["outcome"] == "added"


def test_a_tag_that_cannot_be_stored_is_an_error(pages: Client) -> None:
    problem = "“a” is no tag: a tag must have at least two letters or digits."
    assert send(pages, file(), tags="sea, a") == [
        {"name": "boat.md", "outcome": "refused", "message": problem, "url": "", "document": ""}
    ]
    assert problem in pages.post(PAGE, {"files": [file()], "tags": "sea, a"}).content.decode()
    assert not Document.objects.exists()


def test_quotation_marks_in_names_are_shown_and_kept(pages: Client) -> None:
    (result,) = send(pages, file(name="the %22old%22 boat.md"))
    assert result["name"] == 'the "old" boat.md'
    assert Version.objects.get().file_name == 'the "old" boat.md'
    download = pages.get(f"/admin/documents/document/{result['document']}/versions/1/original/")
    assert r'filename="the \"old\" boat.md"' in download["Content-Disposition"]


def test_a_known_file_is_not_stored_again(pages: Client) -> None:
    first, again = send(pages, file()) + send(pages, file(name="other.md"))
    assert (first["outcome"], again["outcome"]) == ("added", "known")
    assert again["url"] == first["url"]
    assert Document.objects.count() == Version.objects.count() == Original.objects.count() == 1


def test_a_file_sent_twice_at_once_is_stored_once(owner: User) -> None:
    def upload(_: int) -> str:
        client = Client(headers={"host": HOST})
        client.force_login(owner)
        return send(client, file())[0]["outcome"]

    assert sorted(in_threads(2, upload)) == ["added", "known"]
    assert Document.objects.count() == Version.objects.count() == Original.objects.count() == 1


def test_a_new_version_of_a_document_keeps_the_old_one(owner: User, pages: Client) -> None:
    first = send(pages, file())[0]
    document = Document.objects.get()
    page = pages.get(f"{PAGE}?document={document.pk}").content.decode()
    assert "New version of" in page
    assert " multiple" not in page
    assert 'name="tags"' not in page
    result = send(pages, file(b"# Ragnhild\n\nSold.\n", "boat2.md"), query=f"?document={document.pk}")[0]
    assert (result["outcome"], result["message"]) == ("version", "Added as version 2.")
    assert result["url"] == first["url"]
    read_queued()
    document.refresh_from_db()
    assert document.current is not None
    assert document.current.number == 2


@pytest.mark.parametrize("query", ["?document=x", "?document=00000000-0000-0000-0000-000000000000", "?document="])
def test_only_a_document_of_the_owner_gets_a_version(pages: Client, query: str) -> None:
    assert pages.get(PAGE + query).status_code == 404
    assert pages.post(PAGE + query, {"files": file()}).status_code == 404
    assert not Document.objects.exists()


def test_documents_of_sources_and_forgotten_ones_get_no_version(owner: User, pages: Client) -> None:
    for document in (make_document(owner, source="git", source_key="a"), make_document(owner, "Old.")):
        if document.source != "git":
            pages.post(f"/admin/documents/document/forget/?ids={document.pk}")
        assert pages.get(f"{PAGE}?document={document.pk}").status_code == 404


def test_empty_and_too_large_files_are_refused_with_the_reason(pages: Client, settings: Settings) -> None:
    settings.MAX_DOCUMENT_MB = 1
    empty, large = send(pages, file(b"", "empty.txt"), file(b"x" * 1_100_000, "large.txt"))
    assert (empty["outcome"], empty["message"]) == ("refused", "The file is empty.")
    assert large["outcome"] == "refused"
    assert large["message"] == "The file has 1.1 MB; at most 1 MB are allowed (MAX_DOCUMENT_MB)."
    assert not Document.objects.exists()
    assert not Original.objects.exists()


def test_invalid_tags_and_a_full_disk_are_reasons(pages: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "never stored" in send(pages, file(), tags="ghp_" + "a1" * 18)[0]["message"]

    def fail(*_: object) -> None:
        raise StorageFull

    monkeypatch.setattr(upload_page, "add_document", fail)
    assert "Free some space first" in send(pages, file())[0]["message"]
    assert not Original.objects.exists()


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\Ada\\boat.md", "boat.md"),
        ("a\x00b.md", "ab.md"),
        ("n" * 300 + ".md", "n" * 252 + ".md"),
        ("gpj.\u202etxt", "gpj.txt"),
        ("<img src=x onerror=alert(1)>.md", "<img src=x onerror=alert(1)>.md"),
    ],
)
def test_file_names_are_cleaned_and_shown_as_text(pages: Client, name: str, stored: str) -> None:
    uploaded = file()
    uploaded._name = name  # type: ignore[attr-defined]  # the test client sends names that a browser would not
    page = pages.post(PAGE, {"files": uploaded, "tags": ""}).content.decode()
    assert Version.objects.get().file_name == stored
    assert "<img src=x" not in page


@pytest.mark.parametrize("name", ["..", "."])
def test_a_file_with_an_impossible_name_is_no_file(pages: Client, name: str) -> None:
    uploaded = file()
    uploaded._name = name  # type: ignore[attr-defined]
    response = pages.post(PAGE, {"files": uploaded, "tags": ""})
    assert "Choose at least one file." in response.content.decode()
    assert not Document.objects.exists()


def test_a_name_that_no_file_can_have_is_a_bad_request(pages: Client) -> None:
    uploaded = file()
    uploaded._name = "n" * 4_000 + ".md"  # type: ignore[attr-defined]
    assert pages.post(PAGE, {"files": uploaded, "tags": ""}).status_code == 400
    assert not Document.objects.exists()


def test_nothing_chosen_is_said_and_no_result(pages: Client) -> None:
    assert "Choose at least one file." in pages.post(PAGE, {"tags": ""}).content.decode()
    assert send(pages) == []


def test_files_are_on_disk_while_they_are_processed(pages: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    add_all = upload_page._add_all

    def look(request: Any, *arguments: Any) -> Any:
        seen.extend(request.FILES.getlist("files"))
        return add_all(request, *arguments)

    monkeypatch.setattr(upload_page, "_add_all", look)
    send(pages, file(b"small"))
    assert [type(uploaded) for uploaded in seen] == [TemporaryUploadedFile]


def test_a_form_of_another_site_adds_nothing(owner: User) -> None:
    client = Client(enforce_csrf_checks=True, headers={"host": HOST})
    client.force_login(owner)
    assert client.post(PAGE, {"files": file(), "tags": ""}).status_code == 403
    assert not Document.objects.exists()


def test_the_script_is_a_file_and_the_page_has_no_inline_script(pages: Client) -> None:
    response = pages.get(PAGE)
    page = response.content.decode()
    assert '<script src="/static/ownsona/upload.js" defer></script>' in page
    assert "script-src 'self';" in response["Content-Security-Policy"]
    assert "PDF, Word (.docx)" in page
