"""Tests of the tool `sync_source`."""

from __future__ import annotations

from pathlib import Path

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from common.advisory_locks import AdvisoryLock, locked
from documents.models import Document, Source
from documents.tasks import sync_source
from oauthserver.models import User
from tests.common.test_advisory_locks import held_elsewhere
from tests.documents.sources.support import active_keys, folder_source, make_source, write
from tests.support.factories import Assistant, make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def source(owner: User, tmp_path: Path) -> Source:
    made = folder_source(owner, tmp_path, tags=["home"])
    write(tmp_path, boat="The boat.")
    return made


def test_a_sync_is_done_by_the_job_process(assistant: Assistant, source: Source, empty_queue: None) -> None:
    requested = {"ok": True, "name": "notes", "dry_run": False, "message": "Sync requested"}
    assert assistant.call("sync_source", name="notes") == requested
    assert assistant.call("sync_source", name="notes")["message"] == "Already requested"
    assert not Document.objects.exists()
    sync_source(**ProcrastinateJob.objects.get(task_name="documents.sync_source").args)
    assert active_keys(source) == ["boat.md"]


def test_a_dry_run_says_what_would_change(assistant: Assistant, source: Source, empty_queue: None) -> None:
    result = assistant.call("sync_source", name="notes", dry_run=True)
    assert (result["message"], result["added"], result["problem"]) == ("Would sync", 1, None)
    assert not Document.objects.exists()
    assert not ProcrastinateJob.objects.filter(task_name="documents.sync_source").exists()
    with held_elsewhere(lambda: locked(AdvisoryLock.SOURCE_SYNC, source.pk)):
        assert assistant.call("sync_source", name="notes", dry_run=True)["message"] == "Already running"


def test_a_dry_run_says_why_a_sync_would_fail(assistant: Assistant, owner: User, tmp_path: Path) -> None:
    make_source(owner, path=str(tmp_path / "gone"))
    result = assistant.call("sync_source", name="notes", dry_run=True)
    assert (result["message"], result["problem"][:28]) == ("Would fail", "path: There is no such folde")


def test_a_sync_needs_admin_and_a_dry_run_write(owner: User, source: Source) -> None:
    writer, reader = Assistant.of(owner, "memory:write"), Assistant.of(owner, "memory:read")
    assert writer.call("sync_source", name="notes", dry_run=True)["added"] == 1
    for client, arguments, scope in (
        (writer, {"name": "notes"}, "memory:admin"),
        (reader, {"name": "notes", "dry_run": True}, "memory:write"),
    ):
        response = client.request("tools/call", {"name": "sync_source", "arguments": arguments})
        assert response.status_code == 403
        assert f"needs the scope {scope}" in response.content.decode()


@pytest.mark.parametrize("name", ["memory", "documents", "other", "x" * 300, ""])
def test_an_unknown_or_built_in_source_is_not_found(assistant: Assistant, source: Source, name: str) -> None:
    assert assistant.error_of("sync_source", name=name)["code"] == "NOT_FOUND"


def test_a_source_of_another_owner_is_not_found(assistant: Assistant, tmp_path: Path) -> None:
    folder_source(make_user(), tmp_path)
    for dry_run in (True, False):
        assert assistant.error_of("sync_source", name="notes", dry_run=dry_run)["code"] == "NOT_FOUND"


def test_an_app_limited_to_tags_cannot_sync_and_learns_no_names(owner: User, source: Source) -> None:
    limited = Assistant.of(owner, tags=("home",))
    answers = [
        limited.error_of("sync_source", name=name, dry_run=dry_run)
        for name in ("notes", "other")
        for dry_run in (True, False)
    ]
    assert answers == [answers[0]] * 4
    assert answers[0]["message"] == "name: this app is limited to some tags, so it cannot sync sources."


def test_a_source_that_is_not_configured_is_named_as_such(assistant: Assistant, source: Source) -> None:
    Source.objects.update(settings={})
    error = assistant.error_of("sync_source", name="notes")
    assert error == {"code": "not_configured", "message": "path: Field required."}
