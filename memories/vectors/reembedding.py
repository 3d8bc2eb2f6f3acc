"""Moving all memories to another embedding space while the one in use goes on answering."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from common.advisory_locks import AdvisoryLock, locked, locked_if_free
from memories.database import fetch_rows, refuse_growth
from memories.models import EmbeddingSpace
from memories.vectors.hnsw import keep_vector_indexes
from memories.vectors.index_queue import index_after
from memories.vectors.indexing import index_batch, memories_without_window_spans, pending_memories
from memories.vectors.spaces import SPACE_CACHE_SECONDS, OpenSpace, put_in_use, space_deleted_error

Report = Callable[[int], object]
"""Is told how many more memories have their vectors."""

POLL_SECONDS = 0.5
DELETE_BATCH_SIZE = 10_000

SWITCH_SETTLED_SECONDS = 2 * SPACE_CACHE_SECONDS
"""So long after a switch every process has noticed it, and stored what it embedded by the model before."""

_DELETE_SOME = """
WITH chosen AS (
    SELECT memory_id, "window" FROM memories_memoryvector WHERE space_id = %(space)s LIMIT %(count)s
)
DELETE FROM memories_memoryvector AS vector USING chosen
WHERE vector.space_id = %(space)s AND vector.memory_id = chosen.memory_id AND vector."window" = chosen."window"
RETURNING 1
"""


def move_to(space: OpenSpace, report: Report) -> int:
    """Fill `space` and put it in use; how many memories are left without vectors in it. Not within a transaction.

    Meanwhile nobody forgets it. Raises EmbeddingError when the provider fails, or when it has been forgotten already.
    """
    with locked(AdvisoryLock.SPACE_FILLING, space.pk, shared=True):
        if not EmbeddingSpace.objects.filter(pk=space.pk).exists():
            raise space_deleted_error(space)
        left = fill(space, report)
        switch_to(space)
        return left


def count_unfinished(space: OpenSpace) -> int:
    """How many memories `fill` has work with."""
    return pending_memories(space).count() + memories_without_window_spans(space).count()


def fill(space: OpenSpace, report: Report) -> int:
    """Give every memory its vectors in `space`, what is written meanwhile included; how many are left without any.

    Those with windows that nobody knows the places of get new ones. Left are texts that the provider refuses. Stopped,
    it goes on from there when it is called again; called in several processes, they share the work. Raises
    EmbeddingError when the provider fails, StorageFull when the disk is full.
    """
    while True:
        indexed, claimed_elsewhere = _pass(space, report)
        if not indexed and not claimed_elsewhere:
            return pending_memories(space).count()
        if not indexed:
            time.sleep(POLL_SECONDS)


def _pass(space: OpenSpace, report: Report) -> tuple[int, int]:
    """Once through all that is to be done: how many were indexed here, how many others work on."""
    indexed = claimed_elsewhere = 0
    for wanted in (pending_memories(space), memories_without_window_spans(space)):
        after_id = 0
        while batch := index_batch(wanted, space, after_id):
            refuse_growth()
            after_id = batch.last_id
            indexed += batch.indexed
            claimed_elsewhere += batch.claimed_elsewhere
            report(batch.indexed)
    return indexed, claimed_elsewhere


def switch_to(space: OpenSpace) -> None:
    """Put `space` in use, with its indexes. Not within a transaction.

    What was written to the one before until every process has noticed is made up for after that.
    """
    keep_vector_indexes()
    put_in_use(space)
    index_after(SWITCH_SETTLED_SECONDS)


def delete_other_spaces() -> dict[str, int]:
    """Delete all spaces but the one in use; by their names, how many vectors they had. Not within a transaction.

    Waits until every process has noticed the last switch: a few seconds. A space stays that is being filled, or is
    newer than the switch; one whose filling was stopped before that goes, too.
    """
    with locked(AdvisoryLock.SPACE_SWITCH):
        since = EmbeddingSpace.objects.values_list("in_use_since", flat=True).get(in_use_since__isnull=False)
        assert since is not None, "that is what it was found by"
        noticed_at = since + timedelta(seconds=SWITCH_SETTLED_SECONDS)
        # Not longer than after a switch just now, if the clock was set back since.
        time.sleep(min(SWITCH_SETTLED_SECONDS, max(0.0, (noticed_at - timezone.now()).total_seconds())))
        others = EmbeddingSpace.objects.filter(in_use_since=None, created_at__lt=since).order_by("pk")
        forgotten = {str(other): vectors for other in others if (vectors := _delete_space(other)) is not None}
    keep_vector_indexes()
    return forgotten


def _delete_space(space: EmbeddingSpace) -> int | None:
    """Delete a space with its vectors; how many those were. None where somebody fills it: then it stays."""
    with locked_if_free(AdvisoryLock.SPACE_FILLING, space.pk) as is_free:
        if not is_free:
            return None
        vectors = 0
        while deleted := len(fetch_rows(_DELETE_SOME, {"space": space.pk, "count": DELETE_BATCH_SIZE})):
            vectors += deleted
        with transaction.atomic():
            # Whoever is storing a vector in it holds the row: what they store is deleted, too.
            EmbeddingSpace.objects.select_for_update().get(pk=space.pk)
            space.delete()
    return vectors
