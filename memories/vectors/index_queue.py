"""Requests to the job process to index pending memories and to build vector indexes.

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

BULK_LOAD_SECONDS = 5.0
"""Delay between a sign of a bulk load and the check of the vector indexes."""


def index_soon() -> None:
    """Have pending memories indexed now instead of at the next minute."""
    queue_once(INDEX_PENDING)


def index_after(seconds: float) -> None:
    """Have pending memories indexed in this many seconds, whatever the job process does until then."""
    queue_once(INDEX_PENDING, seconds)


def build_index_soon() -> None:
    """Have the vector indexes checked in a moment, because many memories are being stored."""
    queue_once(KEEP_INDEXES, BULK_LOAD_SECONDS)


def queue_once(task: str, seconds: float | None = None) -> None:
    """Queue `task` for now or in `seconds`, at most once each."""
    # With one queueing lock, a job for now and one for later would keep each other out of the queue.
    queueing_lock = task if seconds is None else f"{task}.later"
    schedule_at = None if seconds is None else timezone.now() + timedelta(seconds=seconds)
    try:
        app.configure_task(task, lock=task, queueing_lock=queueing_lock, schedule_at=schedule_at).defer()
    except AlreadyEnqueued:
        logger.debug("%s is already queued.", task)
