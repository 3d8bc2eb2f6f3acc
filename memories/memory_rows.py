"""Memories from raw SQL.

Hot paths read them this way: for a simple statement, the ORM takes several times as long as the database.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import DEFAULT_DB_ALIAS
from django.db.models.base import ModelState

from memories.models import Memory

_FIELDS = [(field.attname, field.column) for field in Memory._meta.concrete_fields]
_ATTRIBUTES = [attribute for attribute, _ in _FIELDS]

MEMORY_COLUMNS = ", ".join(f"memory.{column}" for _, column in _FIELDS)
"""The columns of "memories_memory AS memory" that `memory_from` expects."""


def memory_from(values: Sequence[Any]) -> Memory:
    """Return the memory with the values of `MEMORY_COLUMNS`.

    It is what `Memory.from_db` returns, which calls a descriptor or two for each field and takes several times as long.
    """
    memory = Memory.__new__(Memory)
    state = ModelState()
    state.adding = False
    state.db = DEFAULT_DB_ALIAS
    memory.__dict__.update(zip(_ATTRIBUTES, values, strict=True))
    memory._state = state
    return memory
