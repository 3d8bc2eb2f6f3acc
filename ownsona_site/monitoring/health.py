"""Health of the parts that the server needs: the database, the embeddings and the storage."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import DatabaseError, connection
from django.utils.translation import gettext

from common.disk_space import Level, describe_place, level
from memories.vectors import spaces


@dataclass(frozen=True, slots=True)
class Component:
    """A part of the server. `problem` is a sentence, empty if it is healthy; `warning` is a sentence for the owner."""

    name: str
    problem: str
    warning: str = ""

    @property
    def is_healthy(self) -> bool:
        return not self.problem


def components() -> list[Component]:
    """Return all parts, the database first."""
    database = Component("database", _database_problem())
    embeddings = Component(
        "embeddings",
        " ".join(spaces.embedding_problems())
        if database.is_healthy
        else gettext("Unknown, because the database does not work."),
    )
    return [database, embeddings, _storage()]


def _storage() -> Component:
    """Return the state of the data folder's disk. When it is full, nothing can be stored, but everything else works."""
    place = f"{describe_place()}."
    match level():
        case Level.FULL:
            return Component(
                "storage",
                gettext("The disk is full: nothing can be stored until you free some space. %(place)s")
                % {"place": place},
            )
        case Level.LOW:
            return Component("storage", "", warning=gettext("The disk is nearly full. %(place)s") % {"place": place})
        case Level.ENOUGH:
            return Component("storage", "")


def _database_problem() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_extension WHERE extname = 'vector'")
            found = cursor.fetchone() == (1,)
    except DatabaseError:
        return gettext("The database does not respond.")
    return "" if found else gettext("The pgvector extension is missing.")
