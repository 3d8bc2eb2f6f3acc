from __future__ import annotations

import pytest
from django.db import connection

from memories.access import View
from memories.database import fetch_rows
from memories.memory_rows import MEMORY_COLUMNS, memory_from
from memories.models import Memory
from tests.support.factories import make_memory, make_user

pytestmark = pytest.mark.django_db


def test_a_memory_from_a_row_is_what_the_orm_loads() -> None:
    owner = make_user()
    pk = make_memory(owner, "Cats sleep.", tags=["pets"]).pk
    loaded = Memory.objects.visible_to(View.whole(owner.pk)).get(pk=pk)

    [row] = fetch_rows(f"SELECT {MEMORY_COLUMNS} FROM memories_memory AS memory WHERE id = %(pk)s", {"pk": pk})
    memory = memory_from(row)

    assert memory == loaded
    fields = [field.attname for field in Memory._meta.concrete_fields]
    assert {name: memory.__dict__[name] for name in fields} == {name: loaded.__dict__[name] for name in fields}
    assert memory.get_deferred_fields() == set()
    assert (memory._state.adding, memory._state.db) == (False, connection.alias)
    # It can be changed and read again like any other, and its relations are loaded when they are read.
    assert memory.owner == owner
    memory.refresh_from_db()
    assert memory.text == "Cats sleep."
