"""Stored vectors as matrices, block by block, for work on all of them in little memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memories.database import fetch_binary

VECTORS_PER_BLOCK = 8_192

# Three values in the binary wire format, which numpy reads directly: no object is created for a row. Owner and space
# are part of the row comparison: beside an equality it would begin at the owner's first vector every time.
_BLOCK_AFTER = """
SELECT string_agg(int8send(memory_id), ''), string_agg(int2send("window"), ''), string_agg(halfvec_send(embedding), '')
FROM (
    SELECT memory_id, "window", embedding FROM memories_memoryvector
    WHERE (owner_id, space_id, memory_id, "window")
          > (%(owner)s::bigint, %(space)s::bigint, %(memory)s::bigint, %(last_window)s::smallint)
      AND (owner_id, space_id) <= (%(owner)s::bigint, %(space)s::bigint)
    ORDER BY owner_id, space_id, memory_id, "window" LIMIT %(block)s
) AS vector
"""
_BLOCK_OF = """
SELECT string_agg(int8send(memory_id), ''), string_agg(int2send("window"), ''), string_agg(halfvec_send(embedding), '')
FROM (
    SELECT memory_id, "window", embedding FROM memories_memoryvector
    WHERE owner_id = %(owner)s AND space_id = %(space)s AND memory_id = ANY (%(memories)s::bigint[])
    ORDER BY memory_id, "window"
) AS vector
"""
_HEADER_BYTES = 4
"""Length of what halfvec_send puts before the numbers: their count, and two reserved bytes."""


@dataclass(frozen=True, slots=True)
class Block:
    """Vectors (shape (windows, dimensions), unit length) and the id of the memory of each."""

    memory_ids: npt.NDArray[np.int64]
    vectors: npt.NDArray[np.float16]

    def among(self, memory_ids: npt.NDArray[np.int64]) -> Block:
        """Return a block of only the vectors of these memories."""
        chosen = np.isin(self.memory_ids, memory_ids)
        return Block(self.memory_ids[chosen], self.vectors[chosen])


def vector_blocks(owner_id: int, space_id: int) -> Iterator[Block]:
    """Yield all vectors of an owner in a space, in order of memory and window. One query per block, at least one."""
    memory, window = 0, -1
    while True:
        [(ids, windows, vectors)] = fetch_binary(
            _BLOCK_AFTER,
            {"owner": owner_id, "space": space_id, "memory": memory, "last_window": window, "block": VECTORS_PER_BLOCK},
        )
        if ids is None:
            return
        block = _as_block(ids, vectors)
        yield block
        if len(block.memory_ids) < VECTORS_PER_BLOCK:
            return
        memory, window = int(block.memory_ids[-1]), int(np.frombuffer(windows, ">i2")[-1])


def vectors_of(owner_id: int, space_id: int, memory_ids: Sequence[int]) -> Block | None:
    """Return the vectors of some of an owner's memories in a space, in order of memory and window. One query.

    None if there are none.
    """
    [(ids, _, vectors)] = fetch_binary(_BLOCK_OF, {"owner": owner_id, "space": space_id, "memories": list(memory_ids)})
    return None if ids is None else _as_block(ids, vectors)


def _as_block(ids: bytes, vectors: bytes) -> Block:
    memory_ids = np.frombuffer(ids, ">i8").astype(np.int64)
    rows = np.frombuffer(vectors, np.uint8).reshape(len(memory_ids), -1)[:, _HEADER_BYTES:]
    return Block(memory_ids, np.ascontiguousarray(rows).view(">f2").astype(np.float16))
