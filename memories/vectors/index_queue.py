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


def index_soon() -> None:
    """Have pending memories indexed now instead of at the next minute."""
    try:
        app.configure_task(INDEX_PENDING, lock=INDEX_PENDING, queueing_lock=INDEX_PENDING).defer()
    except AlreadyEnqueued:
        logger.debug("Indexing is already queued.")


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
