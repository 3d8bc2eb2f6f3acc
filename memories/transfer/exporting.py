"""Export of all memories of a view as JSON, page by page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Self

import orjson

from memories.access import View
from memories.models import Memory
from memories.queries.selectors import export_page
from memories.transfer.records import owner_record_of


def exported_memories(view: View, *, include_deleted: bool = True) -> Iterator[Memory]:
    """Yield all memories by id, oldest first, also expired and quarantined ones. One page is in memory at a time."""
    after_id: int | None = 0
    while after_id is not None:
        page = export_page(view, after_id=after_id, include_deleted=include_deleted, include_quarantined=True)
        yield from page.memories
        after_id = page.next_after_id


class Counted:
    """An iterator over memories that counts them: `number` have been read so far."""

    def __init__(self, memories: Iterable[Memory]) -> None:
        self._memories = iter(memories)
        self.number = 0

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Memory:
        memory = next(self._memories)
        self.number += 1
        return memory

    @property
    def in_words(self) -> str:
        """The number and the word for it."""
        return f"{self.number} {'memory' if self.number == 1 else 'memories'}"


def exported_lines(memories: Iterable[Memory]) -> Iterator[bytes]:
    """Yield the memories as JSON Lines, one memory per line."""
    for memory in memories:
        yield _as_json(memory) + b"\n"


def exported_json(memories: Iterable[Memory]) -> Iterator[bytes]:
    """Yield the parts of one JSON document: an object with the list of memories under "memories"."""
    yield b'{"memories": ['
    separator = b"\n"
    for memory in memories:
        yield separator + _as_json(memory)
        separator = b",\n"
    yield b"\n]}\n"


def _as_json(memory: Memory) -> bytes:
    return orjson.dumps(owner_record_of(memory), option=orjson.OPT_UTC_Z)
