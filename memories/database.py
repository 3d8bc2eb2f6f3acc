"""Running SQL that the ORM has no words for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from pgvector.psycopg import register_vector

from common.storage import is_full
from memories.errors import StorageFull

Row = tuple[Any, ...]

DEFAULT_EF_SEARCH = 150
"""How many vectors a search in an index weighs, if nothing else is said in its transaction."""

MAX_SCANNED_VECTORS = 20_000
"""How many vectors a search in an index looks at before it gives up: to compare 100,000 takes no longer."""

SEARCH_SETTINGS = f"""
SELECT set_config('hnsw.iterative_scan', 'relaxed_order', false), set_config('hnsw.scan_mem_multiplier', '8', false),
       set_config('hnsw.ef_search', '{DEFAULT_EF_SEARCH}', false),
       set_config('hnsw.max_scan_tuples', '{MAX_SCANNED_VECTORS}', false)
"""


def prepare_searches(connection: BaseDatabaseWrapper, **_: object) -> None:
    """Say once for a new connection how its searches in vector indexes go, so that no search has to."""
    with connection.cursor() as cursor:
        cursor.execute(SEARCH_SETTINGS)


def refuse_growth() -> None:
    """Raise StorageFull while there is no room for more. What it is called before is not begun."""
    if is_full():
        raise StorageFull


def fetch_rows(sql: str, parameters: Mapping[str, object]) -> list[Row]:
    """The rows that `sql` gives. Parameters go to the server apart from the text; vectors among them in binary."""
    register_vector_types()
    with connection.cursor() as cursor:
        cursor.execute(sql, cast(Any, parameters))
        return list(cursor.fetchall())


def register_vector_types() -> None:
    """Let this thread's connection bind and read vectors in binary; a look-up after the first call.

    Bound as text, a vector would be parsed again for every row that it is compared with.
    """
    connection.ensure_connection()
    raw = connection.connection
    if raw.adapters.types.get("halfvec") is None:
        register_vector(raw)
