"""Tests of the endpoint that adds documents."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from documents.models import Document
from documents.tasks import read_queued
from mcpapi.models import AuditLine
from mcpapi.observability.audit import audit_lines
from oauthserver.models import Connection, User
from ownsona_site.web.body_sizes import max_bytes
from tests.documents.support import BOAT
from tests.support.factories import HOST, make_access_token, make_app, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make_user()


def sent(owner: User, *, scopes: str = "memory:read memory:write", tags: tuple[str, ...] = (), **options: Any) -> Any:
    """POST to the endpoint with a new token, and return the response."""
    token = make_access_token(owner, scopes, tags=tags)
    return Client(headers={"host": HOST}).post("/documents", headers={"authorization": f"Bearer {token}"}, **options)


def a_file(content: bytes = BOAT.encode(), name: str = "boat.md") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def test_a_file_is_accepted_and_read_later(owner: User) -> None:
    response = sent(owner, data={"file": a_file(), "title": "Handbook", "tags": "sailing, home"})
    assert response.status_code == 202
    document = Document.objects.get()
    assert response.json() == {"id": str(document.pk), "state": "queued"}
    assert (document.title, document.tags) == ("Handbook", ["sailing", "home"])
    read_queued()
    assert document.chunks.count() == 3
    again = sent(owner, data={"file": a_file()})
    assert again.json() == {"id": str(document.pk), "state": "ready"}


def test_a_text_is_accepted_as_json(owner: User) -> None:
    body = {"text": BOAT, "source_url": "https://example.com/boat", "tags": ["sailing"]}
    response = sent(owner, data=body, content_type="application/json")
    assert response.status_code == 202
    document = Document.objects.get()
    assert (document.source_url, document.tags) == ("https://example.com/boat", ["sailing"])


@pytest.mark.parametrize(
    ("options", "status", "argument"),
    [
        ({"data": {}}, 400, "file"),
        ({"data": {"file": a_file(b"")}}, 400, "file"),
        ({"data": {"file": [a_file(), a_file(b"other")]}}, 400, "file"),
        ({"data": {"file": a_file(), "colour": "red"}}, 400, "colour"),
        ({"data": {"file": a_file(), "source_url": "javascript:x"}}, 400, "source_url"),
        ({"data": {"text": " "}, "content_type": "application/json"}, 400, "text"),
        ({"data": {"title": "x"}, "content_type": "application/json"}, 400, "text"),
        ({"data": {"text": "x" * 1_000_001}, "content_type": "application/json"}, 413, "text"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_stored(
    owner: User, options: dict[str, Any], status: int, argument: str
) -> None:
    response = sent(owner, **options)
    assert response.status_code == status, response.content
    assert response.json()["error"]["message"].startswith(f"{argument}: ")
    assert not Document.objects.exists()


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b"x", "multipart/form-data", 400),
        (b"x", "multipart/form-data; boundary=x", 400),
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"text", "text/plain", 415),
    ],
)
def test_a_body_that_is_neither_a_form_nor_an_object_is_refused(
    owner: User, body: bytes, content_type: str, status: int
) -> None:
    response = sent(owner, data=body, content_type=content_type)
    assert response.status_code == status, response.content
    assert response.json()["error"]["code"]


def test_a_file_that_is_too_large_is_refused(owner: User, settings: Any) -> None:
    settings.MAX_DOCUMENT_MB = 1
    response = sent(owner, data={"file": a_file(b"x" * 1_200_000)})
    assert response.status_code == 413
    assert not Document.objects.exists()
    assert max_bytes("/documents") == max_bytes("/documents/") == 2_000_000


def test_only_apps_with_the_permission_add_documents(owner: User) -> None:
    assert Client(headers={"host": HOST}).post("/documents", {"file": a_file()}).status_code == 401
    assert sent(owner, scopes="memory:read", data={"file": a_file()}).status_code == 403
    app = make_app()
    token = make_access_token(owner, app=app)
    Connection.objects.filter(application=app).update(tools=["recall"])
    response = Client(headers={"host": HOST}).post(
        "/documents", {"file": a_file()}, headers={"authorization": f"Bearer {token}"}
    )
    assert (response.status_code, response.json()["error"]["code"]) == (403, "tool_not_allowed")
    assert not Document.objects.exists()


def test_a_document_of_a_limited_app_is_in_its_view(owner: User) -> None:
    sent(owner, tags=("home",), data={"file": a_file()})
    assert Document.objects.get().tags == ["home"]
    assert sent(owner, tags=("home", "work"), data={"file": a_file(b"other")}).status_code == 400


def test_a_document_of_a_quarantined_app_awaits_review(owner: User) -> None:
    app = make_app()
    token = make_access_token(owner, app=app)
    Connection.objects.filter(application=app).update(quarantine=True)
    Client(headers={"host": HOST}).post("/documents", {"file": a_file()}, headers={"authorization": f"Bearer {token}"})
    assert Document.objects.get().quarantined_from == app.client_id


def test_the_activity_log_names_the_tool_and_no_text(owner: User) -> None:
    sent(owner, data={"file": a_file(), "title": "Handbook"})
    audit_lines.flush()
    line = AuditLine.objects.get()
    assert (line.tool, line.result, line.protocol_version) == ("add_document", "ok", "REST")
    assert line.document_ids == [Document.objects.get().pk]
    assert "Handbook" not in str(list(AuditLine.objects.values()))
