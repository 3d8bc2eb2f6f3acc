"""Export and import of pinned and hidden memories."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from memories.access import Actor, View
from memories.errors import MemoriesError
from memories.models import Memory
from memories.transfer.exporting import exported_lines, exported_memories
from memories.transfer.importer import ImportRun
from memories.transfer.opening import open_import
from memories.transfer.options import Format, ImportOptions
from memories.writing.briefing_places import place_memory
from memories.writing.lifecycle import forget_memory
from oauthserver.models import User
from tests.support.factories import actor_for, make_memory, make_user, owner_actor

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make_user()


def exported(user: User) -> list[dict[str, Any]]:
    return [json.loads(line) for line in exported_lines(exported_memories(View.whole(user.pk)))]


def import_into(user: User, records: list[dict[str, Any]], *, is_owner: bool = True) -> list[MemoriesError]:
    errors: list[MemoriesError] = []
    stream = io.BytesIO("\n".join(map(json.dumps, records)).encode())
    run = ImportRun(Actor(View.whole(user.pk), "import", is_owner=is_owner))
    run.run(
        open_import(stream, "export.jsonl", ImportOptions(Format.JSONL)).entries, lambda _, error: errors.append(error)
    )
    assert run.summary.ignored == set()
    return errors


def places(user: User) -> list[tuple[str, str | None]]:
    return list(Memory.objects.filter(owner=user).order_by("pk").values_list("text", "briefing_place"))


def test_an_owner_keeps_what_is_pinned_and_hidden_also_of_what_is_forgotten(owner: User) -> None:
    for text, place in (("First", "pinned"), ("Second", "hidden"), ("Third", "pinned")):
        place_memory(owner_actor(owner), make_memory(owner, text).pk, Memory.BriefingPlace(place))
    make_memory(owner, "Fourth")
    forget_memory(actor_for(owner), Memory.objects.get(text="Third").pk)
    records = exported(owner)
    assert [(record.get("pinned"), record.get("hidden_from_briefing")) for record in records] == [
        (True, None),
        (None, True),
        (True, None),
        (None, None),
    ]
    other = make_user()
    assert import_into(other, records) == []
    assert sorted(places(other)) == sorted(places(owner))
    assert set(Memory.objects.filter(owner=other).values_list("stored_by", flat=True)) == {"import"}


def test_an_import_that_is_not_the_owners_pins_nothing(owner: User) -> None:
    tombstone = {"text": "Buy it again", "pinned": True, "deleted_at": "2026-01-01T00:00:00Z"}
    assert import_into(owner, [{"text": "Buy it", "pinned": True}, tombstone], is_owner=False) == []
    assert [place for _, place in places(owner)] == [None, None]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"pinned": "yes"}, "pinned: must be true or false."),
        ({"hidden_from_briefing": 1}, "hidden_from_briefing: must be true or false."),
        (
            {"pinned": True, "hidden_from_briefing": True},
            "pinned: must not be true together with hidden_from_briefing.",
        ),
    ],
)
def test_an_impossible_place_names_the_field(owner: User, fields: dict[str, object], message: str) -> None:
    (error,) = import_into(owner, [{"text": "I live in Lyon", **fields}])
    assert str(error) == message
    assert not Memory.objects.filter(owner=owner).exists()


def test_false_and_null_mean_neither(owner: User) -> None:
    assert import_into(owner, [{"text": "I live in Lyon", "pinned": False, "hidden_from_briefing": None}]) == []
    assert places(owner) == [("I live in Lyon", None)]
