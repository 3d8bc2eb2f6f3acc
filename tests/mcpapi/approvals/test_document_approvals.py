"""Tests of approvals of calls about documents and sources."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django import Settings

from documents.models import Document, Source
from documents.queue import SYNC_SOURCE
from documents.sources.changes import change_source
from documents.writing.changing import change_document
from mcpapi.approvals.approval_store import approve, reject
from mcpapi.models import Approval
from oauthserver.models import User
from tests.documents.sources.support import folder_source, synced, write
from tests.documents.support import make_document
from tests.mcpapi.approvals.conftest import asked_in, call, must_ask, the_approval
from tests.support.factories import HOST, Assistant, actor_for

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = Approval.Place.PAGE
TIMED_OUT, REJECTED = "APPROVAL_TIMED_OUT", "APPROVAL_REJECTED"


def deletion(document: Document) -> dict[str, Any]:
    return {"id": str(document.pk), "hard_delete": True}


def test_a_document_is_permanently_deleted_once_that_is_approved(owner: User, assistant: Assistant) -> None:
    document = make_document(owner, title="Lease")
    assert assistant.error_of("forget_document", **deletion(document))["code"] == TIMED_OUT
    approval = the_approval()
    assert (approval.risk, approval.document_ids) == ("hard_delete", [document.pk])
    assert "Lease" not in str(Approval.objects.values().get())
    assert Document.objects.exists()
    assert approve(approval, PAGE)
    assert assistant.call("forget_document", **deletion(document))["message"] == "Hard deleted"
    assert the_approval().state == "used"


def test_a_rejected_deletion_stays_rejected(owner: User, assistant: Assistant) -> None:
    document = make_document(owner)
    assistant.error_of("forget_document", **deletion(document))
    assert reject(the_approval(), PAGE)
    assert assistant.error_of("forget_document", **deletion(document))["code"] == REJECTED
    assert Document.objects.exists()


def test_an_approval_is_for_one_document_and_not_for_another_with_its_title(owner: User, assistant: Assistant) -> None:
    one, two = (make_document(owner, text, title="Lease") for text in ("One.", "Two."))
    assistant.error_of("forget_document", **deletion(one))
    assert approve(the_approval(), PAGE)
    assert assistant.error_of("forget_document", **deletion(two))["code"] == TIMED_OUT
    assert Document.objects.count() == 2


def test_after_a_change_the_app_must_ask_again(owner: User, assistant: Assistant) -> None:
    url = "https://example.com/lease"
    document = make_document(owner, "The lease.", source_url=url)
    changes: list[Callable[[], object]] = [
        lambda: change_document(actor_for(owner), document.pk, title="Deed"),
        lambda: make_document(owner, "Another lease.", source_url=url),
    ]
    for change in changes:
        assistant.error_of("forget_document", **deletion(document))
        assert approve(Approval.objects.get(state="asked"), PAGE)
        change()
        assert assistant.error_of("forget_document", **deletion(document))["code"] == TIMED_OUT
        Approval.objects.all().delete()
    assert Document.objects.exists()


def test_what_can_be_undone_needs_no_approval(owner: User, assistant: Assistant) -> None:
    document = make_document(owner)
    assert assistant.call("forget_document", **deletion(document), dry_run=True)["ok"]
    assert assistant.call("forget_document", id=str(document.pk))["ok"]
    assert not Approval.objects.exists()


def test_the_form_in_the_app_has_the_title_if_the_app_may_read(owner: User) -> None:
    document = make_document(owner, title="Lease")
    for scopes, is_shown in (("memory:read memory:write memory:admin", True), ("memory:write memory:admin", False)):
        assistant = Assistant.of(owner, scopes)
        must_ask()
        _, message = asked_in(call(assistant, "forget_document", deletion(document)))
        assert f"Permanently delete document {document.pk} and its versions?" in message
        assert ("Lease" in message) is is_shown


def test_the_page_shows_the_title_and_says_when_it_has_changed(owner: User, assistant: Assistant) -> None:
    document = make_document(owner, title="<b>Lease</b>")
    assistant.error_of("forget_document", **deletion(document))
    pages = Client(headers={"host": HOST})
    pages.force_login(owner)
    page = pages.get("/admin/mcpapi/approval/").content.decode()
    assert ">&lt;b&gt;Lease&lt;/b&gt;</a>" in page
    assert 'value="approve"' in page
    change_document(actor_for(owner), document.pk, title="Deed")
    page = pages.get("/admin/mcpapi/approval/").content.decode()
    assert "What it affects changed after the app asked." in page
    assert 'value="approve"' not in page
    Document.objects.all().delete()
    assert "This document no longer exists." in pages.get("/admin/mcpapi/approval/").content.decode()


@pytest.fixture
def source(owner: User, tmp_path: Path, settings: Settings) -> Source:
    """A source with more documents than may be forgotten without an approval."""
    settings.APPROVAL_BULK_FORGET = 2
    made = folder_source(owner, tmp_path)
    write(tmp_path, boat="The boat.", tea="Tea.", wine="Red.")
    synced(made)
    return made


def requested() -> bool:
    return ProcrastinateJob.objects.filter(task_name=SYNC_SOURCE).exists()


@pytest.mark.usefixtures("empty_queue", "source")
def test_a_sync_that_may_forget_many_documents_needs_an_approval(assistant: Assistant) -> None:
    assert assistant.call("sync_source", name="notes", dry_run=True)["message"] == "Would sync"
    assert assistant.error_of("sync_source", name="notes")["code"] == TIMED_OUT
    assert (the_approval().risk, requested()) == ("bulk_forget", False)
    assert approve(the_approval(), PAGE)
    assert assistant.call("sync_source", name="notes")["message"] == "Sync requested"
    assert requested()


@pytest.mark.usefixtures("empty_queue")
def test_a_sync_of_a_small_source_needs_no_approval(assistant: Assistant, source: Source, settings: Settings) -> None:
    settings.APPROVAL_BULK_FORGET = 3
    assert assistant.call("sync_source", name="notes")["message"] == "Sync requested"


@pytest.mark.usefixtures("empty_queue")
def test_the_owner_is_not_asked_about_a_sync_that_is_refused(assistant: Assistant, source: Source) -> None:
    assert assistant.error_of("sync_source", name="nowhere")["code"] == "NOT_FOUND"
    change_source(source, is_paused=True)
    assert "paused" in assistant.error_of("sync_source", name="notes")["message"]
    assert assistant.call("sync_source", name="notes", dry_run=True)["message"] == "Would sync"
    assert not Approval.objects.exists()
    assert not requested()


@pytest.mark.usefixtures("empty_queue", "source")
def test_in_the_app_a_sync_is_asked_about_by_name(assistant: Assistant) -> None:
    _, message = asked_in(call(assistant, "sync_source", {"name": "notes"}))
    assert message == "Sync the source notes and forget documents that are gone from it?"
