"""Storage of the results of comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from psycopg.types.json import Jsonb

from memories.comparisons.comparing import Compared, NearMemory
from memories.comparisons.cross_encoder import REVISION
from memories.database import fetch_rows

# A memory that has been deleted meanwhile is left out.
_STORE = """
INSERT INTO memories_comparison (memory_id, text_hash, revision, changes, repeats)
SELECT memory.id, decode(given.hash, 'hex'), %(revision)s,
       ARRAY(SELECT jsonb_array_elements_text(given.changes)::bigint),
       ARRAY(SELECT jsonb_array_elements_text(given.repeats)::bigint)
FROM jsonb_to_recordset(%(items)s::jsonb) AS given(id bigint, hash text, changes jsonb, repeats jsonb)
JOIN memories_memory AS memory ON memory.id = given.id
ORDER BY memory.id FOR KEY SHARE OF memory
ON CONFLICT (memory_id)
DO UPDATE SET text_hash = excluded.text_hash, revision = excluded.revision, changes = excluded.changes,
              repeats = excluded.repeats
RETURNING 1
"""


def store_comparisons(found: Iterable[tuple[int, bytes | memoryview, Compared]]) -> None:
    """Store the results of comparisons, with the ids of the memories and the hashes of the texts that were compared."""
    items = [
        {"id": pk, "hash": bytes(text_hash).hex(), "changes": _ids(of.changes), "repeats": _ids(of.repeats)}
        for pk, text_hash, of in found
    ]
    fetch_rows(_STORE, {"items": Jsonb(items), "revision": REVISION})


def _ids(near: Sequence[NearMemory]) -> list[int]:
    return [each.memory.pk for each in near]
