"""Advisory locks of PostgreSQL: all their keys, and the ways to take them.

A key is a 64-bit number without a meaning to PostgreSQL. Two parts of the application that choose the same key by
accident block each other, so keys are chosen only in this module.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

from django.db import connection

NUMBER_BITS = 56
"""Number of bits of a key below those of its kind. PostgreSQL's bigint is signed, so 7 bits are left for the kind."""


@enum.unique
class AdvisoryLock(enum.IntEnum):
    """Kinds of locks. A value never changes its meaning: a process of another version may be running."""

    DATABASE_PREPARATION = 1
    SIGNING_KEY_CREATION = 2
    BATCH_INSERTION = 3
    """One lock per owner."""
    SPACE_SWITCH = 4
    SPACE_FILLING = 5
    """One lock per embedding space."""
    MEMORY_INDEXING = 6
    """One lock per memory and embedding space."""
    VECTOR_INDEX_BUILD = 7
    CHUNK_INDEXING = 8
    """One lock per chunk and embedding space."""
    DOCUMENT_ADDING = 9
    """One lock per owner."""
    SOURCE_SYNC = 10
    """One lock per source."""
    TOOL_FILES = 11
    """Reading the files of custom tools."""
    TAG_SYNONYMS = 12
    """One lock per owner."""
    CLEANUP_SEARCH = 13
    """One lock per owner."""
    TOOL_SAVING = 14
    """One lock per owner."""
    AGENT_FILES = 15
    WORKFLOW_CHANGE = 16
    """One lock per owner."""
    WORKFLOW_RUN = 17
    """One lock per run."""
    MAP = 18
    """One lock per owner."""
    DOWNLOAD = 19
    """Making an archive for a browser. One lock per owner."""

    def key(self, number: int = 0) -> int:
        """Return the key of this kind of lock for the object with the `number`.

        Raises ValueError unless the number is from 0 to 2**56 - 1.
        """
        if not 0 <= number < 1 << NUMBER_BITS:
            raise ValueError(f"{number} is not a number of {NUMBER_BITS} bits")
        return (self.value << NUMBER_BITS) + number


def lock_until_commit(kind: AdvisoryLock, number: int = 0) -> None:
    """Wait for the lock and keep it until the transaction ends."""
    _fetch("SELECT pg_advisory_xact_lock(%(key)s::bigint)", {"key": kind.key(number)})


@contextmanager
def locked(kind: AdvisoryLock, number: int = 0, *, shared: bool = False) -> Iterator[None]:
    """Wait for the lock and hold it inside the block, if `shared` along with other sharers. A crash releases it."""
    key, suffix = {"key": kind.key(number)}, "_shared" if shared else ""
    _fetch(f"SELECT pg_advisory_lock{suffix}(%(key)s::bigint)", key)
    try:
        yield
    finally:
        _fetch(f"SELECT pg_advisory_unlock{suffix}(%(key)s::bigint)", key)


@contextmanager
def locked_if_free(kind: AdvisoryLock, number: int = 0) -> Iterator[bool]:
    """Hold the lock inside the block if it is free, and yield whether it was. Never waits."""
    with locked_where_free(kind, [number]) as taken:
        yield bool(taken)


@contextmanager
def locked_where_free(kind: AdvisoryLock, numbers: Iterable[int]) -> Iterator[Sequence[int]]:
    """Hold those of the locks that are free inside the block, and yield their `numbers`. Never waits."""
    sql = "SELECT number FROM unnest(%(keys)s::bigint[], %(numbers)s::bigint[]) AS wanted(key, number) WHERE {}(key)"
    taken = [number for (number,) in _fetch(sql.format("pg_try_advisory_lock"), _keys(kind, numbers))]
    try:
        yield taken
    finally:
        _fetch(sql.format("pg_advisory_unlock"), _keys(kind, taken))


def _keys(kind: AdvisoryLock, numbers: Iterable[int]) -> dict[str, list[int]]:
    numbers = list(numbers)
    return {"keys": [kind.key(number) for number in numbers], "numbers": numbers}


def _fetch(sql: str, parameters: Mapping[str, int | list[int]]) -> list[tuple[int, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, cast(Any, parameters))  # The type does not allow lists, which are passed as arrays.
        return list(cursor.fetchall())
