"""Requests to the job process to read queued versions and to sync sources. The tasks are in `documents.tasks`."""

from __future__ import annotations

import logging

from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.exceptions import AlreadyEnqueued

logger = logging.getLogger(__name__)

READ_QUEUED = "documents.read_queued"
SYNC_DUE = "documents.sync_due"
SYNC_SOURCE = "documents.sync_source"


def read_soon() -> None:
    """Have queued versions read now instead of at the next minute."""
    try:
        app.configure_task(READ_QUEUED, lock=READ_QUEUED, queueing_lock=READ_QUEUED).defer()
    except AlreadyEnqueued:
        logger.debug("Reading documents is already queued.")


def sync_soon(source_id: int, *, confirm_removals: bool = False) -> bool:
    """Have a source synced now, also if it is paused. Return False if that was requested already.

    `confirm_removals` permits to forget most of its documents at once.
    """
    try:
        # Syncs run one at a time, requested and scheduled ones together: several would occupy the whole job process.
        task = app.configure_task(SYNC_SOURCE, lock=SYNC_DUE, queueing_lock=_queueing_lock(source_id))
        task.defer(source_id=source_id, confirm_removals=confirm_removals)
    except AlreadyEnqueued:
        return False
    return True


def is_sync_requested(source_id: int) -> bool:
    """Return whether a requested sync of the source has not ended yet. One query."""
    open_jobs = ProcrastinateJob.objects.filter(status__in=["todo", "doing"])
    return open_jobs.filter(queueing_lock=_queueing_lock(source_id)).exists()


def _queueing_lock(source_id: int) -> str:
    return f"{SYNC_SOURCE}:{source_id}"
