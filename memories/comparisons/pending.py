"""Comparison of memories that have not been compared yet: imported, batched and changed ones in the background.

After an update with another cross-encoder, all memories are compared again.
"""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Sequence

from memories.access import View
from memories.comparisons.comparing import COMPARED, Compared, compare, compared_space_id, near_memories
from memories.comparisons.cross_encoder import COMPARING, REVISION
from memories.comparisons.judging import MIN_STORED_COSINE, is_readable
from memories.comparisons.storing import store_comparisons
from memories.corpus import ACTIVE_CONDITION
from memories.database import fetch_rows
from memories.errors import EmbeddingError
from memories.models import Memory
from memories.vectors.indexing import stored_vectors
from memories.vectors.spaces import TextVectors

logger = logging.getLogger(__name__)

BATCH = 50

# The newest first: they are the most likely ones to be needed, and to change something.
PENDING = """
SELECT memory.owner_id, memory.id FROM memories_memory AS memory
WHERE memory.id < %(before)s AND quarantined_from IS NULL AND {active}
  AND NOT EXISTS (
    SELECT FROM memories_comparison AS done
    WHERE done.memory_id = memory.id AND done.text_hash = memory.text_hash AND done.revision = %(revision)s
  ) AND EXISTS (
    SELECT FROM memories_memoryvector AS vector WHERE vector.memory_id = memory.id AND space_id = %(space)s
  )
ORDER BY memory.id DESC LIMIT %(batch)s
"""
_ALL = 2**63 - 1


def compare_pending(seconds: float) -> bool:
    """Compare memories that have not been compared, for about that time. Return whether any was.

    Nothing is compared while vectors are not those of a model that comes with OwnSona. Raises EmbeddingError.
    """
    space_id = compared_space_id()
    if space_id is None:
        return False
    COMPARING.prepare()
    end, before, is_any_done = time.monotonic() + seconds, _ALL, False
    while time.monotonic() < end:
        rows = fetch_rows(
            PENDING.format(active=ACTIVE_CONDITION),
            {"before": before, "space": space_id, "revision": REVISION, "batch": BATCH},
        )
        if not rows:
            break
        before, is_any_done = rows[-1][1], True
        ids: defaultdict[int, list[int]] = defaultdict(list)
        for owner_id, pk in rows:
            ids[owner_id].append(pk)
        for owner_id, of_owner in ids.items():
            _compare_all(View.whole(owner_id), of_owner)
    return is_any_done


def compare_at_once(owner_id: int, memory_ids: Sequence[int]) -> None:
    """Compare memories that have just taken the place of others: until then, no correction of them is known.

    What cannot be compared now is compared in the background. A memory takes some 20 ms.
    """
    if compared_space_id() is None:
        return
    try:
        _compare_all(View.whole(owner_id), memory_ids)
    except EmbeddingError as error:
        logger.warning("Memories were stored without being compared for now: %s", error)


def _compare_all(view: View, ids: Sequence[int]) -> None:
    """Compare these memories of an owner, and store what that has shown."""
    vectors = stored_vectors(view.owner_id, ids)
    memories = Memory.objects.visible_to(view).filter(pk__in=ids)
    store_comparisons([(each.pk, each.text_hash, _compared(view, each, vectors.get(each.pk))) for each in memories])


def _compared(view: View, memory: Memory, vectors: TextVectors | None) -> Compared:
    if vectors is None or not is_readable(memory.text):
        return Compared()
    # The memory itself is the nearest one.
    near = near_memories(view, vectors, COMPARED + 1, MIN_STORED_COSINE)
    return compare(memory.text, memory.last_confirmed_at, (each for each in near if each.memory.pk != memory.pk))
