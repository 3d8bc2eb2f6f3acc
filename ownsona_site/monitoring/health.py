"""Whether each part that the server needs does its work."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import DatabaseError, connection

from common.storage import Level, describe_place, level
from memories.vectors import spaces


@dataclass(frozen=True, slots=True)
class Component:
    """One part; `problem` is one sentence, empty when it is well; `warning` one that the owner should read."""

    name: str
    problem: str
    warning: str = ""

    @property
    def is_healthy(self) -> bool:
        return not self.problem


def components() -> list[Component]:
    """Every part, the database first."""
    database = Component("database", _database_problem())
    embeddings = Component(
        "embeddings", " ".join(spaces.embedding_problems()) if database.is_healthy else "It is not known."
    )
    return [database, embeddings, _storage()]


def _storage() -> Component:
    """The disk of the data folder. Full, it lets nothing be stored, and everything else go on."""
    place = f"{describe_place()}."
    match level():
        case Level.FULL:
            return Component("storage", f"The disk is full: nothing more is stored until you free some space. {place}")
        case Level.LOW:
            return Component("storage", "", warning=f"The disk is nearly full. {place}")
        case Level.ENOUGH:
            return Component("storage", "")


def _database_problem() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_extension WHERE extname = 'vector'")
            found = cursor.fetchone() == (1,)
    except DatabaseError:
        return "It does not answer."
    return "" if found else "The pgvector extension is missing."
