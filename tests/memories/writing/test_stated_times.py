"""Tests of the times that memories state: read when they are stored, changed, imported and remembered again."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.management import call_command
from django.utils import timezone
from pytest_django import Settings

from memories import drafts
from memories.access import View
from memories.drafts import Draft
from memories.errors import InvalidInput
from memories.models import JournalEntry, Memory
from memories.transfer.exporting import exported_memories
from memories.transfer.records import parse_record, record_of
from memories.writing import stated_times
from memories.writing.remembering import RememberRequest, remember, remember_all
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import actor_for, make_memory, make_user

pytestmark = pytest.mark.django_db
MAY_6 = datetime(2026, 5, 6, 9, tzinfo=UTC)
FROM, UNTIL = datetime(2026, 5, 12, tzinfo=UTC), datetime(2026, 5, 12, 23, 59, 59, tzinfo=UTC)
TEXT = "Dentist next Tuesday"


@pytest.fixture(autouse=True)
def owners_time_zone(settings: Settings) -> None:
    settings.OWNER_TIME_ZONE = UTC


@pytest.fixture
def owner() -> User:
    return make_user("owner")


def validity(memory: Memory) -> tuple[datetime | None, datetime | None]:
    memory.refresh_from_db()
    return memory.valid_from, memory.valid_until


def names(memory: Memory, days: str) -> bool:
    return Memory.objects.visible_to(View.whole(memory.owner_id)).filter(pk=memory.pk).extra(
        where=["named_days = %s::datemultirange"], params=[days]
    ).exists()  # fmt: skip


def test_times_are_read_when_a_text_is_stored(owner: User) -> None:
    memory = make_memory(owner, TEXT, created_at=MAY_6)
    assert validity(memory) == (FROM, UNTIL)
    assert names(memory, "{[2026-05-12,2026-05-13)}")
    entry = JournalEntry.objects.get(memory_id=memory.pk)
    assert datetime.fromisoformat(entry.after["valid_until"]) == UNTIL


def test_without_a_creation_time_they_are_read_as_said_now(owner: User) -> None:
    first, last = validity(make_memory(owner, "Dentist tomorrow"))
    tomorrow = timezone.now().date() + timedelta(days=1)
    assert first is not None
    assert last is not None
    assert first.date() == last.date() == tomorrow


def test_days_are_those_of_the_owners_time_zone(owner: User, settings: Settings) -> None:
    settings.OWNER_TIME_ZONE = ZoneInfo("Europe/Berlin")
    memory = make_memory(owner, TEXT, created_at=MAY_6)
    assert validity(memory) == (FROM - timedelta(hours=2), UNTIL - timedelta(hours=2))


def test_a_batch_reads_the_times_of_each_text(owner: User) -> None:
    texts = [TEXT, "The lift is broken until Friday.", "I like tea."]
    remember_all(actor_for(owner), [RememberRequest(Draft(text, created_at=MAY_6)) for text in texts])
    memories = Memory.objects.visible_to(View.whole(owner.pk)).order_by("pk")
    assert [memory.valid_until and memory.valid_until.day for memory in memories] == [12, 8, None]


def test_a_new_text_has_the_times_that_it_states_now(owner: User) -> None:
    memory = make_memory(owner, TEXT, created_at=MAY_6)
    assert update_memory(actor_for(owner), memory.pk, MemoryUpdate(text="I like tea.")).changed_fields == [
        "text", "last_confirmed_at", "valid_from", "valid_until"
    ]  # fmt: skip
    assert validity(memory) == (None, None)
    assert not names(memory, "{[2026-05-12,2026-05-13)}")
    update_memory(actor_for(owner), memory.pk, MemoryUpdate(text="Dentist tomorrow"))
    first, _ = validity(memory)
    assert first is not None
    assert first > timezone.now()


def test_a_corrected_spelling_does_not_move_the_day(owner: User) -> None:
    memory = make_memory(owner, "Dentits next Tuesday", created_at=MAY_6)
    update_memory(actor_for(owner), memory.pk, MemoryUpdate(text="Dentist, next Tuesday"))
    assert validity(memory) == (FROM, UNTIL)


def test_a_day_that_an_update_stated_stays_when_the_spelling_is_corrected(owner: User) -> None:
    memory = make_memory(owner, TEXT, created_at=MAY_6)
    update_memory(actor_for(owner), memory.pk, MemoryUpdate(text="Dentits tomorrow"))
    stated = validity(memory)
    update_memory(actor_for(owner), memory.pk, MemoryUpdate(text="Dentist tomorrow"))
    assert validity(memory) == stated
    assert stated[0] is not None
    assert stated[0] > timezone.now()


def test_another_field_does_not_change_the_times(owner: User) -> None:
    memory = make_memory(owner, TEXT, created_at=MAY_6)
    update_memory(actor_for(owner), memory.pk, MemoryUpdate(importance=0.9))
    assert validity(memory) == (FROM, UNTIL)


def test_a_past_text_that_is_remembered_again_is_about_another_day(owner: User) -> None:
    memory = make_memory(owner, TEXT, created_at=MAY_6)
    outcome = remember(actor_for(owner), RememberRequest(Draft(TEXT)))
    assert (outcome.memory_id, outcome.is_duplicate) == (memory.pk, True)
    first, last = validity(memory)
    assert first is not None
    assert last is not None
    assert first > timezone.now()
    assert not memory.is_past
    assert JournalEntry.objects.filter(memory_id=memory.pk, operation=JournalEntry.Operation.CONFIRM).count() == 1


def test_a_past_date_that_is_remembered_again_stays_past(owner: User) -> None:
    memory = make_memory(owner, "Dentist on 12 May 2026", created_at=MAY_6)
    remember(actor_for(owner), RememberRequest(Draft("Dentist on 12 May 2026")))
    assert validity(memory) == (FROM, UNTIL)
    assert JournalEntry.objects.filter(memory_id=memory.pk).count() == 1


def test_it_is_past_once_the_time_has_passed_unless_it_was_confirmed_since(owner: User) -> None:
    memory = make_memory(owner, TEXT, created_at=MAY_6)
    assert memory.is_past
    assert not make_memory(owner, "Dentist tomorrow").is_past
    assert not make_memory(owner, "I like tea.", created_at=MAY_6).is_past
    view = View.whole(owner.pk)
    assert memory not in Memory.objects.visible_to(view).not_past(timezone.now())
    memory.last_confirmed_at = timezone.now()
    memory.save()
    assert not memory.is_past
    assert memory in Memory.objects.visible_to(view).not_past(timezone.now())


# --- Export and import


def test_an_export_has_the_times_and_an_import_keeps_them(owner: User, settings: Settings, tmp_path: Path) -> None:
    make_memory(owner, TEXT, created_at=MAY_6)
    make_memory(owner, "I like tea.")
    path = tmp_path / "all.jsonl"
    call_command("export_memories", "--user", "owner", "--output", str(path), stderr=io.StringIO())
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert rows[0]["valid_until"] == "2026-05-12T23:59:59Z"
    assert "valid_from" not in rows[1]
    # Even where days begin at another time.
    settings.OWNER_TIME_ZONE = ZoneInfo("Asia/Tokyo")
    new = make_user("new")
    call_command("import_memories", str(path), "--user", "new", stdout=io.StringIO(), stderr=io.StringIO())
    assert [record_of(memory).get("valid_until") for memory in exported_memories(View.whole(new.pk))] == [UNTIL, None]


def test_an_import_reads_the_times_as_said_at_its_creation(owner: User) -> None:
    record = parse_record({"text": TEXT, "created_at": "2026-05-06T09:00:00Z"})
    outcome = remember(actor_for(owner), RememberRequest(record.draft))
    assert validity(Memory.objects.get(pk=outcome.memory_id)) == (FROM, UNTIL)


def test_an_imported_tombstone_has_its_times(owner: User, tmp_path: Path) -> None:
    row = {"text": TEXT, "created_at": "2026-05-06T09:00:00Z", "deleted_at": "2026-06-01T09:00:00Z"}
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps(row))
    call_command("import_memories", str(path), "--user", "owner", stdout=io.StringIO(), stderr=io.StringIO())
    (memory,) = Memory.objects.visible_to(View.whole(owner.pk))
    assert validity(memory) == (FROM, UNTIL)
    assert names(memory, "{[2026-05-12,2026-05-13)}")


@pytest.mark.parametrize(
    ("fields", "argument"),
    [
        ({"valid_from": "2026-05-02T00:00:00Z", "valid_until": "2026-05-01T00:00:00Z"}, "valid_until"),
        ({"valid_from": "2026-05-02T00:00:00"}, "valid_from"),
        ({"valid_until": 7}, "valid_until"),
    ],
)
def test_times_that_make_no_sense_are_refused(fields: dict[str, Any], argument: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_record({"text": "tea", **fields}).draft.checked()
    assert refused.value.argument == argument


# --- Memories of an older version


def forget_times(*memories: Memory) -> None:
    for memory in memories:
        memory.valid_from = memory.valid_until = memory.named_days = None
        memory.save()


def read_times() -> str:
    out = io.StringIO()
    call_command("read_times", "--user", "owner", stdout=out)
    return out.getvalue()


def test_a_command_reads_the_times_of_older_memories(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stated_times, "BATCH_SIZE", 2)
    dated = [make_memory(owner, f"{TEXT} in room {number}", created_at=MAY_6) for number in range(3)]
    plain = make_memory(owner, "I like tea.", created_at=MAY_6)
    other = make_memory(make_user(), TEXT, created_at=MAY_6)
    forget_times(*dated, other)
    assert read_times() == "3 memories name a date.\n"
    assert [validity(memory) for memory in [*dated, plain, other]] == [(FROM, UNTIL)] * 3 + [(None, None)] * 2
    assert read_times() == "0 memories name a date.\n"


def test_an_older_text_counts_as_said_when_it_was_written(owner: User) -> None:
    memory = make_memory(owner, "I like tea.", created_at=MAY_6)
    update_memory(actor_for(owner), memory.pk, MemoryUpdate(text="Dentist tomorrow"))
    stated = validity(memory)
    forget_times(memory)
    assert read_times() == "1 memory names a date.\n"
    assert validity(memory) == stated


def test_a_text_that_changes_meanwhile_is_left_out(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = make_memory(owner, TEXT, created_at=MAY_6)
    forget_times(memory)

    def change_first(text: str, said_at: datetime) -> Any:
        update_memory(actor_for(owner), memory.pk, MemoryUpdate(text="I like tea."))
        return drafts.stated_times(text, said_at)

    monkeypatch.setattr(stated_times, "stated_times", change_first)
    assert read_times() == "0 memories name a date.\n"
    assert validity(memory) == (None, None)
