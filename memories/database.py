"""Running SQL that the ORM has no words for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from django.db import connection
from pgvector.psycopg import register_vector

Row = tuple[Any, ...]


def fetch_rows(sql: str, parameters: Mapping[str, object]) -> list[Row]:
    """The rows that `sql` gives. Parameters go to the server apart from the text; vectors among them in binary."""
    teach_connection_vectors()
    with connection.cursor() as cursor:
        cursor.execute(sql, cast(Any, parameters))
        return list(cursor.fetchall())


def teach_connection_vectors() -> None:
    """Let this thread's connection bind and read vectors in binary; a look-up after the first call.

    Bound as text, a vector would be parsed again for every row that it is compared with.
    """
    connection.ensure_connection()
    raw = connection.connection
    if raw.adapters.types.get("halfvec") is None:
        register_vector(raw)
