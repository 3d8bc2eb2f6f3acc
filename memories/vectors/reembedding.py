"""Moves of all memories to another embedding space while the one in use serves requests."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from common.advisory_locks import AdvisoryLock, locked, locked_if_free
from memories.corpus import Corpus, corpora
from memories.database import fetch_rows, refuse_growth
from memories.models import EmbeddingSpace
from memories.vectors.hnsw import keep_vector_indexes
from memories.vectors.index_queue import index_after
from memories.vectors.indexing import SelectItems, index_batch, outdated_items, pending_items
from memories.vectors.room import require_room
from memories.vectors.spaces import SPACE_CACHE_SECONDS, OpenSpace, put_in_use, space_deleted_error

Report = Callable[[int], object]
"""Callback that receives the number of items that have been indexed since its last call."""

POLL_SECONDS = 0.5
DELETE_BATCH_SIZE = 10_000

SWITCH_SETTLED_SECONDS = 2 * SPACE_CACHE_SECONDS
"""Time after a switch by which every process has noticed it and stored what it embedded with the model before."""

_DELETE_SOME = """
WITH chosen AS (
    SELECT {corpus.item_id}, "window" FROM {corpus.vectors} WHERE space_id = %(space)s LIMIT %(count)s
)
DELETE FROM {corpus.vectors} AS vector USING chosen
WHERE vector.space_id = %(space)s AND vector.{corpus.item_id} = chosen.{corpus.item_id}
  AND vector."window" = chosen."window"
RETURNING 1
"""


def move_to(space: OpenSpace, report: Report) -> int:
    """Fill `space` and put it in use; return how many items are left without vectors in it.

    Not within a transaction. No process can delete the space meanwhile. Raises EmbeddingError when the provider fails,
    if there is too little disk space, or if the space has already been deleted.
    """
    with locked(AdvisoryLock.SPACE_FILLING, space.pk, shared=True):
        if not EmbeddingSpace.objects.filter(pk=space.pk).exists():
            raise space_deleted_error(space)
        require_room(space)
        left = fill(space, report)
        switch_to(space)
        return left


def count_unfinished(space: OpenSpace) -> int:
    """Return the number of items that `fill` has to process."""
    return sum(select(corpus, space, 0).count() for corpus, select in _unfinished())


def fill(space: OpenSpace, report: Report) -> int:
    """Give every item its vectors in `space`; return how many are left without any.

    Items that are written meanwhile are included. Outdated vectors are replaced. Items whose text the provider refuses
    are left without. After an interruption, the next call continues the work; several processes that call it share the
    work. Raises EmbeddingError when the provider fails, StorageFull when the disk is full.
    """
    while True:
        indexed, claimed_elsewhere = _pass(space, report)
        if not indexed and not claimed_elsewhere:
            return sum(pending_items(corpus, space).count() for corpus in corpora())
        if not indexed:
            time.sleep(POLL_SECONDS)


def _pass(space: OpenSpace, report: Report) -> tuple[int, int]:
    """Process all that is outstanding once; return how many were indexed here, and how many others work on."""
    indexed = claimed_elsewhere = 0
    for corpus, select in _unfinished():
        after_id = 0
        while batch := index_batch(corpus, select, space, after_id):
            refuse_growth()
            after_id = batch.last_id
            indexed += batch.indexed
            claimed_elsewhere += batch.claimed_elsewhere
            report(batch.indexed)
    return indexed, claimed_elsewhere


def _unfinished() -> Iterator[tuple[Corpus, SelectItems]]:
    """Yield the choices of the items of each corpus that need vectors."""
    for corpus in corpora():
        yield corpus, pending_items
        yield corpus, outdated_items


def switch_to(space: OpenSpace) -> None:
    """Put `space` in use, with its indexes. Not within a transaction.

    What processes write to the previous space until they notice the switch is indexed after that.
    """
    keep_vector_indexes()
    put_in_use(space)
    index_after(SWITCH_SETTLED_SECONDS)


def delete_other_spaces() -> dict[str, int]:
    """Delete all spaces but the one in use; return how many vectors each had, by name. Not within a transaction.

    Waits a few seconds, until every process has noticed the last switch. A space that is being filled, or is newer than
    the switch, stays; an older one whose filling was interrupted is deleted, too.
    """
    with locked(AdvisoryLock.SPACE_SWITCH):
        since = EmbeddingSpace.objects.values_list("in_use_since", flat=True).get(in_use_since__isnull=False)
        assert since is not None, "that is what it was found by"
        noticed_at = since + timedelta(seconds=SWITCH_SETTLED_SECONDS)
        # Bounded, in case the clock was set back since the switch.
        time.sleep(min(SWITCH_SETTLED_SECONDS, max(0.0, (noticed_at - timezone.now()).total_seconds())))
        others = EmbeddingSpace.objects.filter(in_use_since=None, created_at__lt=since).order_by("pk")
        forgotten = {str(other): vectors for other in others if (vectors := _delete_space(other)) is not None}
    keep_vector_indexes()
    return forgotten


def _delete_space(space: EmbeddingSpace) -> int | None:
    """Delete a space and return how many vectors it had; if a process is filling it, keep it and return None."""
    with locked_if_free(AdvisoryLock.SPACE_FILLING, space.pk) as is_free:
        if not is_free:
            return None
        vectors = sum(_delete_vectors(corpus, space) for corpus in corpora())
        with transaction.atomic():
            # A process that is storing a vector in the space has locked the row: what it stores is deleted, too.
            EmbeddingSpace.objects.select_for_update().get(pk=space.pk)
            space.delete()
    return vectors


def _delete_vectors(corpus: Corpus, space: EmbeddingSpace) -> int:
    """Delete the vectors of a corpus in a space, in batches. Return their number."""
    vectors = 0
    while deleted := len(fetch_rows(corpus.in_sql(_DELETE_SOME), {"space": space.pk, "count": DELETE_BATCH_SIZE})):
        vectors += deleted
    return vectors
