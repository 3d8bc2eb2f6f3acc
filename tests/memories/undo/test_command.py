"""Tests of `manage.py undo`."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memories.access import View
from memories.models import JournalEntry, Memory
from memories.undo import parts, undoing
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import actor_for, make_memory, make_user, owner_actor


@pytest.fixture
def owner(db: None) -> User:
    return make_user("owner")


def undo(*arguments: str) -> str:
    said = StringIO()
    call_command("undo", "--user", "owner", *arguments, stdout=said)
    return said.getvalue()


def active(owner: User) -> list[str]:
    return list(Memory.objects.visible_to(View.whole(owner.pk)).active().order_by("pk").values_list("text", flat=True))


def test_what_an_app_did_is_previewed_undone_and_brought_back(owner: User) -> None:
    make_memory(owner, "Bears can fly")
    assert "Forgotten: 1" in undo("--app", "tests", "--since", "2h", "--dry-run")
    assert active(owner) == ["Bears can fly"]
    said = undo("--app", "tests", "--since", "2h")
    assert active(owner) == []
    change_set = said.split("--change-set ")[1].strip()
    assert str(JournalEntry.objects.latest("pk").change_set) == change_set
    assert "Set back: 1" in undo("--change-set", change_set)
    assert active(owner) == ["Bears can fly"]


def test_many_memories_are_undone_in_parts(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"Fact number {number}." for number in range(5)]
    for text in texts:
        make_memory(owner, text)
    monkeypatch.setattr(undoing, "MAX_ITEMS", 2)
    monkeypatch.setattr(parts, "PART", 2)
    with pytest.raises(CommandError, match="--in-parts"):
        undo("--app", "tests")
    assert undo("--app", "tests", "--in-parts", "--dry-run").count("Forgotten: ") == 3
    assert active(owner) == texts
    said = undo("--app", "tests", "--in-parts")
    assert active(owner) == []
    change_set = said.split("--change-set ")[1].strip()
    assert undo("--change-set", change_set, "--in-parts").count("Set back: ") == 3
    assert active(owner) == texts
    with pytest.raises(CommandError, match="There are no such changes"):
        undo("--session", "unknown", "--in-parts")


def test_a_version_is_restored(owner: User) -> None:
    memory = make_memory(owner, "My phone is a Pixel")
    update_memory(actor_for(owner), memory.pk, MemoryUpdate(text="My phone is a toaster"))
    undo("--memory", str(memory.pk), "--version-number", "1")
    assert active(owner) == ["My phone is a Pixel"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Give one of --change-set, --app, --session and --memory, or --since alone."),
        (("--app", "tests", "--session", "x"), "Give one of"),
        (("--memory", "1"), "Give --memory and --version-number together."),
        (("--app", "Nobody"), "no changes by an app called 'Nobody'. Apps with changes: tests, you."),
        (("--session", " "), "session_id: must not be empty."),
        (("--since", "yesterday"), "neither an ISO 8601 time nor a number with m, h or d"),
        (("--session", "unknown"), "There are no such changes."),
    ],
)
def test_what_cannot_be_undone_is_said(owner: User, arguments: tuple[str, ...], message: str) -> None:
    memory = make_memory(owner, "I like tea")
    update_memory(owner_actor(owner), memory.pk, MemoryUpdate(importance=0.9))
    with pytest.raises(CommandError) as error:
        undo(*arguments)
    assert message in str(error.value)
    assert active(owner) == ["I like tea"]
