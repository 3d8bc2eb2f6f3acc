"""Tests of the states of uploaded documents, which the upload page asks for until all of them are read."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from documents.models import Document
from documents.tasks import read_queued
from oauthserver.models import User
from tests.documents.admin.test_upload_page import file, send
from tests.documents.support import make_document
from tests.support.factories import HOST

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]

PAGE = "/admin/documents/document/reading/"


def states(pages: Client, *ids: object) -> dict[str, tuple[str, bool]]:
    """Return the sentence on each document, and whether the page asks again."""
    response = pages.get(PAGE, {"ids": ",".join(map(str, ids))})
    assert response.status_code == 200
    found = re.findall(r'data-document="([^"]+)"( data-pending)?>(.*?) <a', response.content.decode())
    return {document: (sentence, bool(pending)) for document, pending, sentence in found}


def test_a_document_is_pending_until_it_is_ready_or_cannot_be_read(owner: User, pages: Client) -> None:
    boat, broken = (result["document"] for result in send(pages, file(), file(b"%PDF-1.7 broken", "broken.pdf")))
    assert states(pages, boat, broken) == dict.fromkeys((boat, broken), ("OwnSona is reading it.", True))
    read_queued()
    read = states(pages, boat, broken)
    assert read[boat] == ("Ready: apps can find it.", False)
    assert read[broken][0].startswith("It could not be read. ")
    assert len(read[broken][0]) > len("It could not be read. ")
    assert not read[broken][1]


def test_a_document_without_text_has_been_read(owner: User, pages: Client) -> None:
    scanned = make_document(owner, "Scanned.")
    scanned.versions.update(text="")
    sentence = "It contains no text. Apps can find nothing in it but its title."
    assert states(pages, scanned.pk) == {str(scanned.pk): (sentence, False)}


def test_a_new_version_is_followed(pages: Client) -> None:
    (first,) = send(pages, file())
    read_queued()
    (second,) = send(pages, file(b"Another text.", "boat.md"), query=f"?document={first['document']}")
    assert (second["outcome"], second["document"]) == ("version", first["document"])
    assert states(pages, second["document"])[second["document"]][1]


def test_a_known_file_is_not_followed(pages: Client) -> None:
    send(pages, file())
    (again,) = send(pages, file())
    assert (again["outcome"], again["document"]) == ("known", "")


def test_documents_of_others_and_deleted_ones_have_no_state(owner: User, pages: Client, other_pages: Client) -> None:
    document = make_document(owner, b"Text.")
    assert states(other_pages, document.pk) == {}
    Document.objects.filter(pk=document.pk).delete()
    assert states(pages, document.pk) == {}


@pytest.mark.parametrize("ids", ["", "1", "x,y", ",".join(["00000000-0000-0000-0000-000000000000"] * 101)])
def test_ids_that_no_page_sends_are_not_found(pages: Client, ids: str) -> None:
    assert pages.get(PAGE, {"ids": ids}).status_code == 404


def test_the_states_need_a_login() -> None:
    response = Client(headers={"host": HOST}).get(PAGE)
    assert response["Location"].startswith("/admin/login/")
