"""Requests to the job process to index pending memories.

The task is in `memories.tasks`, above everything that it calls. Modules below it defer it by name.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from django.utils import timezone
from procrastinate.contrib.django import app
from procrastinate.exceptions import AlreadyEnqueued

logger = logging.getLogger(__name__)

INDEX_PENDING = "memories.index_pending"
KEEP_INDEXES = "memories.keep_vector_indexes"

MANY_MEMORIES = 50
"""Number of memories stored at once that may be part of a bulk load."""

BULK_LOAD_PAUSE_SECONDS = 5.0
"""Delay of the vector index after a bulk load begins, and its renewals while the load goes on."""


def index_soon() -> None:
    """Have pending memories indexed now instead of at the next minute."""
    try:
        app.configure_task(INDEX_PENDING, lock=INDEX_PENDING, queueing_lock=INDEX_PENDING).defer()
    except AlreadyEnqueued:
        logger.debug("Indexing is already queued.")


def build_index_soon() -> None:
    """Have the vector indexes checked in a moment, because many memories are being stored."""
    task = app.configure_task(
        KEEP_INDEXES,
        lock=KEEP_INDEXES,
        queueing_lock=f"{KEEP_INDEXES}.soon",
        schedule_at=timezone.now() + timedelta(seconds=BULK_LOAD_PAUSE_SECONDS),
    )
    try:
        task.defer()
    except AlreadyEnqueued:
        logger.debug("The vector indexes are checked soon.")


def index_after(seconds: float) -> None:
    """Have pending memories indexed in this many seconds, whatever the job process does until then."""
    # With the queueing lock of index_soon, each of the two would keep the other out of the queue.
    later = app.configure_task(
        INDEX_PENDING,
        lock=INDEX_PENDING,
        queueing_lock=f"{INDEX_PENDING}.later",
        schedule_at=timezone.now() + timedelta(seconds=seconds),
    )
    try:
        later.defer()
    except AlreadyEnqueued:
        logger.debug("Later indexing is already queued.")
