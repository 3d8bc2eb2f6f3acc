"""The ids that memories of an archive have here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.db import connection

from common.texts import translatable
from memories.transfer.archive.errors import UnusableArchive

_IS_UNUSED = "SELECT pg_sequence_last_value(pg_get_serial_sequence('memories_memory', 'id')::regclass) IS NULL"
_NEXT = "SELECT nextval(pg_get_serial_sequence('memories_memory', 'id')) FROM generate_series(1, %s)"
_ADVANCE = "SELECT setval(pg_get_serial_sequence('memories_memory', 'id'), %s)"
# Others wait before they take an id for a new memory, so that it is not one of the archive.
_LOCK = "LOCK TABLE memories_memory IN SHARE ROW EXCLUSIVE MODE"

MAX_ID = 1 << 53
"""Greatest id that is kept: clients read ids as doubles."""


class MemoryIds:
    """The ids of memories here, by their ids in the archive. Create it in the transaction of the import.

    If this installation has never stored a memory, memories keep their ids. Otherwise they get new ones, because an id
    is never used twice.
    """

    def __init__(self) -> None:
        self._here: dict[int, int] = {}
        self._gone: dict[int, int] = {}
        self._restored: set[int] = set()
        self._keeps = _is_unused()
        if self._keeps:
            _execute(_LOCK)
            self._keeps = _is_unused()

    def find(self, former_id: int) -> int | None:
        """Return the id of a memory that was in the archive's list, None for any other."""
        return self._here.get(former_id)

    def known_or_new(self, former_id: int) -> int:
        """Return the id of a memory. One that does not exist any more gets an id that no other memory will have."""
        if former_id in self._here:
            return self._here[former_id]
        if former_id not in self._gone:
            (self._gone[former_id],) = self._chosen([_checked(former_id)])
        return self._gone[former_id]

    def is_restored(self, former_id: int) -> bool:
        """Return whether this import has stored the memory."""
        return former_id in self._restored

    def restored(self) -> Iterator[int]:
        """Yield the ids here of the memories that this import has stored."""
        return (self._here[former_id] for former_id in sorted(self._restored))

    def set_present(self, former_id: int, here: int) -> None:
        """Record that a memory is here already. Raises UnusableArchive for an id that cannot be one."""
        self._here[_checked(former_id)] = here

    def restore(self, former_ids: list[int]) -> None:
        """Choose the ids of memories that will be stored. Raises UnusableArchive for an id that cannot be one."""
        self._here |= zip(former_ids, self._chosen(list(map(_checked, former_ids))), strict=True)
        self._restored.update(former_ids)

    def close(self) -> None:
        """Make sure that no later memory gets one of the ids that were kept. Call it at the end of the transaction."""
        kept = [*self._here.values(), *self._gone.values()] if self._keeps else []
        if kept:
            _execute(_ADVANCE, max(kept))

    def _chosen(self, former_ids: list[int]) -> Iterable[int]:
        return former_ids if self._keeps else [row[0] for row in _execute(_NEXT, len(former_ids))]


def _checked(former_id: int) -> int:
    if not 0 < former_id < MAX_ID:
        raise UnusableArchive(
            translatable("It has a memory with the id %(former_id)s, which is not a valid id.", former_id=former_id)
        )
    return former_id


def _is_unused() -> bool:
    return bool(_execute(_IS_UNUSED)[0][0])


def _execute(sql: str, *parameters: int) -> list[tuple[int, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall()) if cursor.description else []
