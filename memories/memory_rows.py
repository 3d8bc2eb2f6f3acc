"""Memories from raw SQL.

Hot paths read them this way: for a simple statement, the ORM takes several times as long as the database.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection

from memories.models import Memory

_FIELDS = [(field.attname, field.column) for field in Memory._meta.concrete_fields]
_ATTRIBUTES = [attribute for attribute, _ in _FIELDS]

MEMORY_COLUMNS = ", ".join(f"memory.{column}" for _, column in _FIELDS)
"""The columns of "memories_memory AS memory" that `memory_from` expects."""


def memory_from(values: Sequence[Any]) -> Memory:
    """Return the memory with the values of `MEMORY_COLUMNS`."""
    memory: Memory = Memory.from_db(connection.alias, _ATTRIBUTES, values)
    return memory
