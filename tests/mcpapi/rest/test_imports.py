"""Tests of the endpoints for imports."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from mcpapi.models import AuditLine
from mcpapi.observability.audit import audit_lines
from memories.access import View
from memories.models import ImportJob, JournalEntry, Memory
from memories.transfer.archive.exporting import export_archive
from memories.transfer.background.stored_files import path_of
from memories.transfer.background.turns import run_imports
from oauthserver.connections.connection_changes import disconnect
from oauthserver.models import Connection, User
from ownsona_site.web.body_sizes import max_bytes
from tests.support.factories import HOST, make_app, make_memory, make_user
from tests.support.import_files import delete_import_files
from tests.support.mcp.rest_client import RestClient, assert_refused

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]

ROWS = b'{"text": "Likes tea.", "tags": ["Drinks"]}\n{"text": "Likes rain."}\n{"tags": []}\n'


@pytest.fixture(autouse=True)
def no_files(transactional_db: None) -> Iterator[None]:
    yield
    delete_import_files()


@pytest.fixture
def owner() -> User:
    return make_user()


def raw(program: RestClient, content: bytes = ROWS, **options: str) -> Any:
    """Send a file as the body, as `curl --data-binary` does."""
    path = f"/imports?{urlencode({'name': 'facts.jsonl', **options})}"
    return program.send("POST", path, content, "application/x-www-form-urlencoded")


def form(program: RestClient, content: bytes = ROWS, **fields: Any) -> Any:
    data = {"file": SimpleUploadedFile("facts.jsonl", content), **fields}
    return program.client.post("/imports", data, headers={"authorization": f"Bearer {program.token}"})


@pytest.mark.parametrize("send", [raw, form])
def test_a_file_is_imported_and_followed(owner: User, program: RestClient, send: Any) -> None:
    make_memory(owner, "Likes rain.")
    response = send(program, tags="moved", source_provider="old")
    assert response.status_code == 202, response.content
    begun = response.json()
    assert (begun["state"], begun["name"]) == ("running", "facts.jsonl")
    run_imports()
    ended = program.get(f"/imports/{begun['id']}")
    assert (ended["state"], ended["position"], ended["total"]) == ("done", 3, 3)
    counts = ended["counts"]
    assert (counts["inserted"], counts["duplicates"], counts["failed"]) == (1, 1, 1)
    report = program.send("GET", f"/imports/{begun['id']}/report")
    lines = [json.loads(line) for line in report.getvalue().splitlines()]
    assert [line["outcome"] for line in lines] == ["inserted", "duplicate", "failed"]
    tea = Memory.objects.get(text="Likes tea.")
    assert (tea.tags, tea.source_provider) == (["drinks", "moved"], "old")
    entry = JournalEntry.objects.get(memory_id=tea.pk)
    assert str(entry.change_set) == ended["change_set"]
    assert entry.client == tea.stored_by != "import"


@pytest.mark.parametrize("send", [raw, form])
def test_a_dry_run_returns_the_preview_and_can_be_started(owner: User, program: RestClient, send: Any) -> None:
    begun = send(program, dry_run="true").json()
    assert begun["state"] == "ready"
    assert begun["preview"]["counts"]["inserted"] == 2
    assert begun["preview"]["rejections"] == [{"place": "line 3", "reason": "text: is required."}]
    run_imports()
    assert not Memory.objects.exists()
    started = program.send("POST", f"/imports/{begun['id']}/start")
    assert (started.status_code, started.json()["state"]) == (202, "running")
    run_imports()
    assert Memory.objects.count() == 2
    assert_refused(program.send("POST", f"/imports/{begun['id']}/start"), 404, "NOT_FOUND")


def test_an_import_is_cancelled(owner: User, program: RestClient) -> None:
    begun = raw(program).json()
    assert program.send("DELETE", f"/imports/{begun['id']}").json()["state"] == "cancelled"
    run_imports()
    assert not Memory.objects.exists()


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"content": b""}, "file"),
        ({"format": "pdf"}, "format"),
        ({"conversations": "all"}, "conversations"),
        ({"dedup_policy": "never"}, "dedup_policy"),
        ({"colour": "red"}, "colour"),
        ({"tags": "x" * 500}, "tags"),
        ({"dry_run": "perhaps"}, "dry_run"),
        ({"content": b"[1, 2", "dry_run": "true", "format": "json"}, "file"),
    ],
)
@pytest.mark.parametrize("send", [raw, form])
def test_what_is_wrong_is_named_and_nothing_is_stored(
    owner: User, program: RestClient, send: Any, options: dict[str, Any], argument: str
) -> None:
    response = send(program, **options)
    error = assert_refused(response, 400, "INVALID_INPUT")
    assert error["message"].startswith(f"{argument}: ")
    run_imports()
    assert not Memory.objects.exists()


def test_other_forms_are_refused(owner: User, program: RestClient) -> None:
    headers = {"authorization": f"Bearer {program.token}"}
    none = program.client.post("/imports", {"name": "x"}, headers=headers)
    assert assert_refused(none, 400, "INVALID_INPUT")["message"].startswith("file: ")
    broken = program.client.post("/imports", b"--x\r\n", content_type="multipart/form-data; boundary=", headers=headers)
    assert_refused(broken, 400, "bad_request")


def test_scopes_and_tools_are_required(owner: User) -> None:
    reader = RestClient.of(owner, "memory:read")
    assert assert_refused(raw(reader), 403, "insufficient_scope")["required_scope"] == "memory:write"
    app = make_app()
    limited = RestClient.of(owner, app=app)
    Connection.objects.filter(application=app).update(tools=["recall"])
    assert_refused(raw(limited), 403, "tool_not_allowed")
    assert_refused(Client().post("/imports", headers={"host": HOST}), 401, "missing_token")
    assert not ImportJob.objects.exists()


def test_an_app_sees_its_own_imports_only(owner: User, program: RestClient) -> None:
    begun = raw(program).json()
    for other in (RestClient.of(owner), RestClient.of(make_user())):
        path = f"/imports/{begun['id']}"
        assert_refused(other.send("GET", path), 404, "NOT_FOUND")
        assert_refused(other.send("GET", f"{path}/report"), 404, "NOT_FOUND")
        assert_refused(other.send("DELETE", path), 404, "NOT_FOUND")
        assert_refused(other.send("POST", f"{path}/start"), 404, "NOT_FOUND")
    assert_refused(program.send("GET", "/imports/1"), 404, "not_found")
    assert ImportJob.objects.get().state == "running"


def test_an_app_limited_to_tags_imports_into_its_view(owner: User) -> None:
    make_memory(owner, "Likes rain.", tags=("private",))
    limited = RestClient.of(owner, tags=["work"])
    # What is out of view is not counted as a duplicate in the preview.
    begun = raw(limited, dry_run="true").json()
    assert begun["preview"]["counts"]["inserted"] == 2
    limited.send("POST", f"/imports/{begun['id']}/start")
    run_imports()
    assert Memory.objects.get(text="Likes tea.").tags == ["drinks", "work"]


def test_an_app_cannot_use_the_inbox_in_another_name(owner: User, program: RestClient) -> None:
    raw(program, b'{"text": "Likes tea.", "quarantined_from": "other", "pinned": true}\n')
    run_imports()
    tea = Memory.objects.get()
    assert (tea.quarantined_from, tea.briefing_place) == (None, None)


def test_an_archive_is_for_the_owner(owner: User, program: RestClient, tmp_path: Any) -> None:
    export_archive(View.whole(owner.pk), tmp_path / "all.zip")
    begun = raw(program, (tmp_path / "all.zip").read_bytes()).json()
    run_imports()
    ended = program.get(f"/imports/{begun['id']}")
    assert (ended["state"], "Only the owner" in ended["problem"]) == ("failed", True)


def test_disconnecting_an_app_cancels_its_imports(owner: User) -> None:
    app = make_app()
    begun = raw(RestClient.of(owner, app=app)).json()
    disconnect(Connection.objects.get(application=app))
    run_imports()
    assert ImportJob.objects.get(pk=begun["id"]).state == "cancelled"
    assert not path_of(ImportJob.objects.get().pk).exists()
    assert not Memory.objects.exists()


def test_it_is_in_the_activity_log(owner: User, program: RestClient) -> None:
    raw(program)
    audit_lines.flush()
    line = AuditLine.objects.get()
    assert (line.tool, line.result) == ("remember_batch", "ok")


def test_large_files_are_accepted(settings: Settings) -> None:
    settings.MAX_IMPORT_MB = 3
    assert max_bytes("/imports") == max_bytes("/imports/") == 4_000_000
    assert max_bytes("/imports/x") < 300_000
