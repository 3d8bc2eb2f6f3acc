"""Tests of the tools while the disk is full."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import Settings

from common import disk_space
from common.disk_space import is_full
from mcpapi.models import AuditLine, RateWindow
from mcpapi.observability.audit import audit_lines
from memories.models import Memory, PastRecall
from memories.recall_log.past_recalls import pending_recalls
from memories.tasks import index_pending
from oauthserver.models import User
from tests.support.factories import Assistant, make_memory

MORE_THAN_ANY_DISK = 10**9


@pytest.fixture(autouse=True)
def own_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path of its own for the report of a full disk, which other tests do not see."""
    monkeypatch.setattr(disk_space, "_report", lambda: tmp_path / "disk_full")


@pytest.fixture
def full_disk(settings: Settings) -> None:
    """A disk with less free space than the minimum."""
    settings.DISK_MINIMUM_MB = MORE_THAN_ANY_DISK


@pytest.fixture
def broken_disk(transactional_db: None) -> Iterator[None]:
    """A PostgreSQL without room for memories or rate windows, although the data folder's disk has room."""
    refuse = "BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full'; END"
    tables = ("memories_memory", "mcpapi_ratewindow")
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ {refuse} $$")
        for table in tables:
            cursor.execute(f"CREATE TRIGGER refuse BEFORE INSERT ON {table} EXECUTE FUNCTION refuse()")
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP FUNCTION refuse() CASCADE")


def says_full(error: dict[str, Any]) -> bool:
    return error["code"] == "DATABASE_ERROR" and "disk" in error["message"] and "Do not retry" in error["message"]


@pytest.mark.usefixtures("full_disk")
def test_nothing_that_takes_more_space_is_begun(assistant: Assistant, owner: User, settings: Settings) -> None:
    settings.DISK_MINIMUM_MB = 0
    memory = make_memory(owner, "Ada has tea")
    settings.DISK_MINIMUM_MB = MORE_THAN_ANY_DISK
    assert says_full(assistant.error_of("remember", text="Ada has a cat"))
    assert says_full(assistant.error_of("remember_batch", items=[{"text": "Ada has a cat"}]))
    assert says_full(assistant.error_of("update_memory", id=memory.pk, text="Ada has coffee"))
    assert says_full(assistant.error_of("update_memory_batch", items=[{"id": memory.pk, "text": "Ada has coffee"}]))
    assert Memory.objects.get().text == "Ada has tea"


@pytest.mark.usefixtures("full_disk")
def test_reading_forgetting_and_exporting_go_on(
    assistant: Assistant, owner: User, settings: Settings, tmp_path: Path
) -> None:
    settings.DISK_MINIMUM_MB = 0
    tea, coffee, cake = (make_memory(owner, f"Ada has {what}") for what in ("tea", "coffee", "cake"))
    settings.DISK_MINIMUM_MB = MORE_THAN_ANY_DISK
    assert is_full()
    assert assistant.call("recall", query="What does Ada have?")["matches"]
    assert assistant.call("export_memories")["count"] == 3
    assert assistant.call("update_memory", id=tea.pk, text="Ada has milk", dry_run=True)["message"] == "Would update"
    assert assistant.call("confirm", id=tea.pk)["message"] == "Confirmed"
    assert assistant.call("forget", id=coffee.pk)["message"] == "Forgotten"
    assert assistant.call("forget", id=cake.pk, hard_delete=True)["message"] == "Hard deleted"
    assert list(Memory.objects.order_by("pk").values_list("pk", flat=True)) == [tea.pk, coffee.pk]
    call_command("export_memories", user=owner.username, output=str(tmp_path / "copy"))
    assert "Ada has tea" in (tmp_path / "copy").read_text()


@pytest.mark.usefixtures("full_disk")
def test_who_did_what_is_recorded_but_what_a_recall_weighed_is_not(assistant: Assistant) -> None:
    assistant.call("recall", query="tea")
    audit_lines.flush()
    pending_recalls.flush()
    assert AuditLine.objects.get().tool == "recall"
    assert not PastRecall.objects.exists()


@pytest.mark.usefixtures("full_disk")
def test_an_import_stops_and_says_why(owner: User, tmp_path: Path) -> None:
    file = tmp_path / "memories.jsonl"
    file.write_text('{"text": "Ada has tea"}\n{"text": "Ada has milk", "deleted_at": "2026-01-01T00:00:00Z"}\n')
    with pytest.raises(CommandError, match=r"disk .* is full"):
        call_command("import_memories", str(file), user=owner.username, stdout=StringIO())
    assert not Memory.objects.exists()


@pytest.mark.usefixtures("full_disk")
def test_vectors_wait_until_there_is_room(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []
    monkeypatch.setattr("memories.tasks.index_pending_batch", begun.append)
    index_pending()
    assert begun == []


@pytest.mark.usefixtures("broken_disk")
def test_what_postgresql_says_of_a_full_disk_reaches_the_app_in_words(
    assistant: Assistant, caplog: pytest.LogCaptureFixture
) -> None:
    assert says_full(assistant.error_of("remember", text="Ada has tea"))
    assert "Traceback" not in caplog.text
    assert is_full()
    assert assistant.call("recall", query="tea")["matches"] == []


@pytest.mark.usefixtures("broken_disk")
def test_what_cannot_be_counted_is_answered_all_the_same(assistant: Assistant, settings: Settings) -> None:
    settings.MCP_RATE_LIMIT_PER_MINUTE = 60
    assert assistant.call("recall", query="tea")["matches"] == []
    assert not RateWindow.objects.exists()
