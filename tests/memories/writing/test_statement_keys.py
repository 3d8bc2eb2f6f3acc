"""Tests that every way of storing a text stores its key."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import RunPython

from memories.access import Actor, View
from memories.models import Memory
from memories.relations.statements import statement_key
from memories.transfer.archive.importing import import_archive
from memories.undo.selection import Selection
from memories.undo.undoing import undo
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.memories.transfer.archive.contents import exported
from tests.support.factories import actor_for, make_memory, make_user, owner_actor

pytestmark = pytest.mark.django_db


def check_keys(owner: User, *texts: str) -> None:
    """Check that these are the texts of the owner's memories, and that each has its key."""
    stored = dict(Memory.objects.filter(owner=owner).values_list("text", "statement_key"))
    assert stored == {text: statement_key(text) for text in texts}


@pytest.fixture
def owner() -> User:
    owner = make_user("owner")
    owner.is_superuser = True
    owner.save()
    return owner


def test_an_update_and_its_undo_store_the_key_of_the_text(owner: User) -> None:
    memory = make_memory(owner, "The rent is 980 euros")
    check_keys(owner, "The rent is 980 euros")
    changing = actor_for(owner)
    update_memory(changing, memory.pk, MemoryUpdate(text="The rent is 990 euros"))
    check_keys(owner, "The rent is 990 euros")
    undo(owner_actor(owner), Selection(change_set=changing.change_set))
    check_keys(owner, "The rent is 980 euros")


def test_an_import_stores_the_keys_of_memories_and_tombstones(owner: User, tmp_path: Path) -> None:
    rows = [{"text": "Ben is 12"}, {"text": "Ben was 11", "deleted_at": "2024-01-01T00:00:00Z"}]
    file = tmp_path / "memories.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    call_command("import_memories", str(file))
    check_keys(owner, "Ben is 12", "Ben was 11")


def test_an_archive_restores_the_keys(owner: User, tmp_path: Path) -> None:
    make_memory(owner, "Ben is 12")
    path = exported(owner, tmp_path / "archive.zip")
    other = make_user("other")
    import_archive(Actor(View.whole(other.pk), "import", is_owner=True), path)
    check_keys(other, "Ben is 12")


SPELLED_ALIKE = (
    *(
        "The rent is 1.200 €",
        "Tickets cost 19,90 Euro",
        "€ 1.200 a month",
        "costs 1 200 €",
        "CHF 1’200",
        "EUR 12,50",
    ),
    *(
        "980,00 €",
        "at half past seven",
        "Essen um halb acht",
        "Viertel nach sieben",
        "dreiviertel acht",
        "at quarter to ten",
    ),
    *(
        "à sept heures et demie",
        "à 7h et quart",
        "à huit heures moins le quart",
        "a las siete y media",
        "a las ocho y cuarto",
    ),
    *("alle sette e mezza", "alle otto meno un quarto", "alle sette e mezzo"),
)
"""Texts whose keys have changed with the migration 0034."""


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("0029_statement_keys", ["Ben is 12"]),
        ("0033_spelled_alike", ["Ben is 12"]),
        ("0034_amounts_and_spoken_times", SPELLED_ALIKE),
        ("0043_keys_of_ranges", ["Closed 24.12.-6.1.", "Urlaub: 27.12. bis 3.1.", "Ball am 8. Feber"]),
    ],
)
def test_the_migrations_compute_the_keys_of_all_memories_and_change_nothing_else(
    owner: User, name: str, texts: Sequence[str]
) -> None:
    for text in texts:
        make_memory(owner, text)
    Memory.objects.update(statement_key=None)
    before = list(Memory.objects.order_by("pk").values("updated_at", "text"))
    loader = MigrationLoader(connection)
    state = loader.project_state(("memories", name))
    [computing] = [
        operation for operation in loader.get_migration("memories", name).operations if isinstance(operation, RunPython)
    ]
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    with connection.schema_editor() as editor:
        computing.database_forwards("memories", editor, state, state)
    check_keys(owner, *texts)
    assert list(Memory.objects.order_by("pk").values("updated_at", "text")) == before
