"""Raw SQL for queries that the ORM cannot express."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, cast
from uuid import UUID

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.expressions import RawSQL
from pgvector.psycopg import register_vector
from psycopg.pq import Format

from common.disk_space import is_full
from common.rows import read_rows
from memories.errors import StorageFull

T = TypeVar("T")
Row = tuple[Any, ...]

DEFAULT_EF_SEARCH = 150
"""Number of vectors that a search in an index considers, unless its transaction sets another one."""

MAX_SCANNED_VECTORS = 20_000
"""Number of vectors that a search in an index reads at most. Comparing 100,000 one by one takes no longer."""

SEARCH_SETTINGS = f"""
SELECT set_config('hnsw.iterative_scan', 'relaxed_order', false), set_config('hnsw.scan_mem_multiplier', '8', false),
       set_config('hnsw.ef_search', '{DEFAULT_EF_SEARCH}', false),
       set_config('hnsw.max_scan_tuples', '{MAX_SCANNED_VECTORS}', false),
       set_config('plan_cache_mode', 'force_generic_plan', false)
"""


def prepare_searches(connection: BaseDatabaseWrapper, **_: object) -> None:
    """Configure searches in vector indexes once for a new connection, so that no search has to."""
    with connection.cursor() as cursor:
        cursor.execute(SEARCH_SETTINGS)


def refuse_growth() -> None:
    """Raise StorageFull if the disk is full. Call it before work that stores data begins."""
    if is_full():
        raise StorageFull


def among(ids: Iterable[int]) -> RawSQL:
    """Return the ids as a subquery, for a filter with `__in` that takes thousands of them.

    As parameters of their own they would be compared one by one, row by row.
    """
    return RawSQL("SELECT unnest(%s::bigint[])", [list(ids)])


def among_uuids(ids: Iterable[UUID]) -> RawSQL:
    """Return UUIDs as a subquery, as `among` does."""
    return RawSQL("SELECT unnest(%s::uuid[])", [list(ids)])


def fetch_rows(sql: str, parameters: Mapping[str, object]) -> list[Row]:
    """Execute `sql` and return its rows. Parameters are bound on the server; vectors among them in binary."""
    register_vector_types()
    with connection.cursor() as cursor:
        cursor.execute(sql, cast(Any, parameters))
        return list(cursor.fetchall())


def fetch_binary(sql: str, parameters: Mapping[str, object]) -> list[Row]:
    """Execute `sql` as `fetch_rows` does, and receive the result in binary: half the bytes of a long bytea.

    Only for results of types that psycopg reads in binary.
    """
    register_vector_types()
    with connection.cursor() as cursor:
        cursor.cursor.format = Format.BINARY
        cursor.execute(sql, cast(Any, parameters))
        return list(cursor.fetchall())


def fetch_as(shape: type[T], sql: str, parameters: Mapping[str, object]) -> list[T]:
    """Execute `sql` as `fetch_rows` does, and return its rows as instances of `shape` (see `read_rows`)."""
    register_vector_types()
    with connection.cursor() as cursor:
        cursor.execute(sql, cast(Any, parameters))
        return read_rows(cursor, shape, sql)


def register_vector_types() -> None:
    """Register the pgvector types on this thread's connection, so that it binds and reads vectors in binary.

    Bound as text, a vector would be parsed again for every row that it is compared with. After the first call on a
    connection this is only a dictionary look-up.
    """
    connection.ensure_connection()
    raw = connection.connection
    if raw.adapters.types.get("halfvec") is None:
        register_vector(raw)
