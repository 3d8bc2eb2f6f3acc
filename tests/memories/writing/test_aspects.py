"""Tests that every way of storing a text stores its aspect."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import RunPython

from memories.access import Actor, View
from memories.models import Memory
from memories.transfer.archive.importing import import_archive
from memories.undo.selection import Selection
from memories.undo.undoing import undo
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.memories.transfer.archive.contents import exported
from tests.support.factories import actor_for, make_memory, make_user, owner_actor

pytestmark = pytest.mark.django_db

HOME, TEA, NAMED = "I live in Leeds", "The tea is in the drawer", "Elin works as a nurse"


@pytest.fixture
def owner() -> User:
    owner = make_user("owner")
    owner.is_superuser = True
    owner.save()
    return owner


def aspects(owner: User) -> dict[str, str | None]:
    return dict(Memory.objects.filter(owner=owner).values_list("text", "aspect"))


def test_an_update_and_its_undo_store_the_aspect_of_the_text(owner: User) -> None:
    memory = make_memory(owner, HOME)
    assert aspects(owner) == {HOME: "home"}
    changing = actor_for(owner)
    update_memory(changing, memory.pk, MemoryUpdate(text=TEA))
    assert aspects(owner) == {TEA: None}
    undo(owner_actor(owner), Selection(change_set=changing.change_set))
    assert aspects(owner) == {HOME: "home"}


def test_imports_and_archives_store_the_aspects(owner: User, tmp_path: Path) -> None:
    file = tmp_path / "memories.jsonl"
    file.write_text(f'{{"text": "{HOME}"}}\n{{"text": "{TEA}", "deleted_at": "2024-01-01T00:00:00Z"}}')
    call_command("import_memories", str(file))
    assert aspects(owner) == {HOME: "home", TEA: None}
    path = exported(owner, tmp_path / "archive.zip")
    other = make_user("other")
    import_archive(Actor(View.whole(other.pk), "import", is_owner=True), path)
    assert aspects(other) == {HOME: "home", TEA: None}


@pytest.mark.parametrize(
    "name", ["0032_aspects", "0035_aspects_by_name", "0038_preferences", "0044_family_and_answers"]
)
def test_the_migrations_find_the_aspects_of_all_memories_and_change_nothing_else(owner: User, name: str) -> None:
    for text in (HOME, TEA, NAMED):
        make_memory(owner, text)
    Memory.objects.update(aspect=None)
    before = list(Memory.objects.order_by("pk").values("updated_at", "text"))
    fill(name)
    assert aspects(owner) == {HOME: "home", TEA: None, NAMED: "work:elin"}
    assert list(Memory.objects.order_by("pk").values("updated_at", "text")) == before


def test_a_migration_finds_the_memories_that_begin_with_the_name_of_their_owner(owner: User) -> None:
    me, other = "I'm Franz Kogler, a carpenter in Graz", "We were at Lake Garda. I am Catholic."
    for text in (me, other, HOME):
        make_memory(owner, text)
    Memory.objects.update(aspect="home")
    fill("0042_introductions")
    assert aspects(owner) == {me: "name", other: "home", HOME: "home"}


def fill(migration: str) -> None:
    """Run the code of a migration again."""
    loader = MigrationLoader(connection)
    state = loader.project_state(("memories", migration))
    operations = loader.get_migration("memories", migration).operations
    [filling] = [operation for operation in operations if isinstance(operation, RunPython)]
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    with connection.schema_editor() as editor:
        filling.database_forwards("memories", editor, state, state)
