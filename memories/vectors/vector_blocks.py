"""Stored vectors as matrices, block by block: for work that looks at all of them, in little memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memories.database import fetch_rows

VECTORS_PER_BLOCK = 8_192

# As three values in the wire's own format, which numpy reads as they are: no object is made for a row. Beside an
# equality, a comparison of rows would begin at the first vector every time.
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
_HEADER_BYTES = 4
"""What halfvec_send puts before the numbers: how many there are, and two bytes for the future."""


@dataclass(frozen=True, slots=True)
class Block:
    """Vectors (shape (windows, dimensions), unit length) and the memory of each."""

    memory_ids: npt.NDArray[np.int64]
    vectors: npt.NDArray[np.float16]

    def among(self, memory_ids: npt.NDArray[np.int64]) -> Block:
        """Only the vectors of these memories."""
        chosen = np.isin(self.memory_ids, memory_ids)
        return Block(self.memory_ids[chosen], self.vectors[chosen])


def vector_blocks(owner_id: int, space_id: int) -> Iterator[Block]:
    """All vectors of an owner in a space, in order of memory and window; at least one query, one for each block."""
    memory, window = 0, -1
    while True:
        [(ids, windows, vectors)] = fetch_rows(
            _BLOCK_AFTER,
            {"owner": owner_id, "space": space_id, "memory": memory, "last_window": window, "block": VECTORS_PER_BLOCK},
        )
        if ids is None:
            return
        memory_ids = np.frombuffer(ids, ">i8").astype(np.int64)
        rows = np.frombuffer(vectors, np.uint8).reshape(len(memory_ids), -1)[:, _HEADER_BYTES:]
        yield Block(memory_ids, np.ascontiguousarray(rows).view(">f2").astype(np.float16))
        if len(memory_ids) < VECTORS_PER_BLOCK:
            return
        memory, window = int(memory_ids[-1]), int(np.frombuffer(windows, ">i2")[-1])
