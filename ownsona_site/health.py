"""Whether each part that the server needs does its work."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import DatabaseError, connection

from memories import spaces


@dataclass(frozen=True, slots=True)
class Part:
    """One part; `problem` is one sentence, empty when it is well."""

    name: str
    problem: str

    @property
    def is_well(self) -> bool:
        return not self.problem


def parts() -> list[Part]:
    """Every part, the database first."""
    database = Part("database", _database_problem())
    return [database, Part("embeddings", " ".join(spaces.problems()) if database.is_well else "It is not known.")]


def _database_problem() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_extension WHERE extname = 'vector'")
            found = cursor.fetchone() == (1,)
    except DatabaseError:
        return "It does not answer."
    return "" if found else "The pgvector extension is missing."
