"""Moving all memories to another embedding space while the one in use goes on answering."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta

from django.utils import timezone

from memories.database import fetch_rows
from memories.indexing import index_pending_batch, pending_memories
from memories.models import EmbeddingSpace
from memories.spaces import REMEMBERED_SECONDS, OpenSpace, put_in_use, space_in_use
from memories.tasks import index_soon
from memories.vector_index import keep_vector_indexes

Report = Callable[[int], object]
"""Is told how many more memories have their vectors."""

OTHERS_WORK_SECONDS = 0.5
DELETED_AT_ONCE = 10_000

_DELETE_SOME = """
WITH chosen AS (
    SELECT memory_id, "window" FROM memories_memoryvector WHERE space_id = %(space)s LIMIT %(count)s
)
DELETE FROM memories_memoryvector AS vector USING chosen
WHERE vector.space_id = %(space)s AND vector.memory_id = chosen.memory_id AND vector."window" = chosen."window"
RETURNING 1
"""


def fill(space: OpenSpace, report: Report) -> int:
    """Give every memory its vectors in `space`, what is written meanwhile included; how many are left without any.

    Those are texts that the provider refuses. Stopped at any time, it goes on from there when it is called again;
    called in several processes, they share the work. Raises EmbeddingError when the provider fails.
    """
    while True:
        indexed, claimed_elsewhere = _pass(space, report)
        if not indexed and not claimed_elsewhere:
            return pending_memories(space).count()
        if not indexed:
            time.sleep(OTHERS_WORK_SECONDS)


def _pass(space: OpenSpace, report: Report) -> tuple[int, int]:
    """Once through all that is pending: how many were indexed here, how many others work on."""
    after_id = indexed = claimed_elsewhere = 0
    while batch := index_pending_batch(after_id, space):
        after_id = batch.last_id
        indexed += batch.indexed
        claimed_elsewhere += batch.claimed_elsewhere
        report(batch.indexed)
    return indexed, claimed_elsewhere


def switch_to(space: OpenSpace) -> None:
    """Put `space` in use, with its indexes. Not within a transaction.

    What was written in the last moment to the one before is made up for at once by the job process.
    """
    keep_vector_indexes()
    put_in_use(space)
    index_soon()


def forget_other_spaces() -> list[str]:
    """Delete the vectors of the spaces that were in use before; their names. Not within a transaction.

    Waits until every process has noticed the last switch: a few seconds. A newer space that is being filled stays.
    """
    in_use = EmbeddingSpace.objects.get(pk=space_in_use().pk)
    assert in_use.in_use_since is not None, "that is what makes it the one in use"
    noticed_at = in_use.in_use_since + timedelta(seconds=2 * REMEMBERED_SECONDS)
    time.sleep(max(0.0, (noticed_at - timezone.now()).total_seconds()))
    others = list(EmbeddingSpace.objects.exclude(pk=in_use.pk).filter(created_at__lt=in_use.in_use_since))
    for other in others:
        while fetch_rows(_DELETE_SOME, {"space": other.pk, "count": DELETED_AT_ONCE}):
            pass
        other.delete()
    keep_vector_indexes()
    return [str(other) for other in others]
