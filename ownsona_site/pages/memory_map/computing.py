"""The computation of maps in the background."""

from __future__ import annotations

import logging
from datetime import timedelta
from uuid import UUID

import numpy as np
import numpy.typing as npt
from django.utils import timezone
from procrastinate.contrib.django import app
from procrastinate.exceptions import AlreadyEnqueued

from common.advisory_locks import AdvisoryLock, locked
from documents.map_vectors import document_vectors
from memories.access import View
from memories.errors import EmbeddingError
from memories.map.groups import find_groups
from memories.map.layout import lay_out
from memories.map.vectors import memory_vectors
from memories.models import MemoryMap
from memories.vectors.spaces import current_space_id, space_in_use_or_none

logger = logging.getLogger(__name__)

COMPUTE = "site.compute_map"

MIN_POINTS = 5
"""Number of memories and documents that a map needs."""

MAX_POINTS = 3_000
MAX_DOCUMENTS = 600
"""Number of the points that are documents at most."""

OLD_AFTER = timedelta(days=1)


def compute_soon(owner_id: int) -> None:
    """Have the job process compute the map. Computations of one owner that are queued already are not repeated."""
    MemoryMap.objects.update_or_create(owner_id=owner_id, defaults={"started_at": timezone.now(), "finished_at": None})
    lock = f"{COMPUTE}.{owner_id}"
    try:
        app.configure_task(COMPUTE, lock=COMPUTE, queueing_lock=lock).defer(owner_id=owner_id)
    except AlreadyEnqueued:
        logger.debug("%s is already queued.", lock)


def is_due(stored: MemoryMap | None, newer: int) -> bool:
    """Return whether a map is missing, of another embedding space, or too small or a day old with `newer` memories."""
    if stored is None:
        return True
    now = timezone.now()
    if stored.finished_at is None:
        # A job that was lost with a restored backup, for example.
        return stored.started_at < now - OLD_AFTER
    if stored.computed_at is None:
        return not stored.problem or stored.finished_at < now - timedelta(minutes=1)
    space = space_in_use_or_none()
    is_other_space = space is not None and stored.space_id != space.pk
    return is_other_space or (newer > 0 and (len(stored.xs) < MIN_POINTS or stored.computed_at < now - OLD_AFTER))


def compute(owner_id: int) -> None:
    """Compute and store the map of an owner. After an EmbeddingError, the earlier map stays."""
    with locked(AdvisoryLock.MAP, owner_id):
        row, _ = MemoryMap.objects.get_or_create(owner_id=owner_id)
        try:
            changes = _computed(View.whole(owner_id), row)
        except EmbeddingError as error:
            logger.warning("There is no map for now: %s", error)
            changes = {"problem": str(error)}
        MemoryMap.objects.filter(pk=owner_id).update(finished_at=timezone.now(), **changes)


def _computed(view: View, row: MemoryMap) -> dict[str, object]:
    """Return the new values of the row."""
    space_id, now = current_space_id(), timezone.now()
    documents = document_vectors(view, space_id, MAX_DOCUMENTS)
    memories = memory_vectors(view, space_id, MAX_POINTS - len(documents.ids))
    matrices = [found.vectors for found in (memories, documents) if found.ids]
    vectors = np.concatenate(matrices) if matrices else np.zeros((0, 1), np.float32)
    ids: list[int | UUID] = [*memories.ids, *documents.ids]
    places = lay_out(vectors, _earlier(row, ids) if row.space_id == space_id else None)
    return {
        "space_id": space_id,
        "computed_at": now,
        "memory_ids": list(memories.ids),
        "document_ids": list(documents.ids),
        "xs": places[:, 0].tolist(),
        "ys": places[:, 1].tolist(),
        "groups": find_groups(places),
        "problem": "",
    }


def _earlier(row: MemoryMap, ids: list[int | UUID]) -> npt.NDArray[np.float32] | None:
    """Return the positions of the points in the earlier map, with NaN for new points; None without any."""
    known = dict(zip([*row.memory_ids, *row.document_ids], zip(row.xs, row.ys, strict=True), strict=True))
    nowhere = (np.nan, np.nan)
    return np.array([known.get(point, nowhere) for point in ids], np.float32) if known and ids else None
