"""Background work on memories, done by the job process. This module's name is where its library looks for tasks."""

from __future__ import annotations

import logging

from procrastinate.contrib.django import app

from common.clock import clock_watch
from common.storage import is_full
from memories.errors import EmbeddingError
from memories.recall_log.past_recalls import forget_old_recalls
from memories.vectors.hnsw import keep_vector_indexes
from memories.vectors.index_queue import INDEX_PENDING
from memories.vectors.indexing import index_pending_batch

logger = logging.getLogger(__name__)


# Two at once would embed the same texts twice; a second one that waits would find nothing to do.
@app.periodic(cron="* * * * *", periodic_id="index_pending")
@app.task(name=INDEX_PENDING, lock=INDEX_PENDING, queueing_lock=INDEX_PENDING)
def index_pending(timestamp: int = 0) -> None:
    """Give every pending memory its vectors, batch by batch. While the embedder fails, or the disk is full, the next
    minute tries again.

    `timestamp` is what the library tells periodic tasks: the second that they are meant for.
    """
    if is_full():
        return
    after_id = 0
    try:
        while batch := index_pending_batch(after_id):
            after_id = batch.last_id
    except EmbeddingError as error:
        logger.warning("Some memories stay without a vector for now: %s", error)


@app.periodic(cron="*/5 * * * *", periodic_id="keep_vector_indexes")
@app.task(name="memories.keep_vector_indexes", queueing_lock="memories.keep_vector_indexes")
def keep_indexes(timestamp: int) -> None:
    """Build the indexes for searches by meaning that are missing or outgrown, unless the disk is full."""
    if not is_full():
        keep_vector_indexes()


@app.periodic(cron="*/10 * * * *", periodic_id="forget_old_recalls")
@app.task(name="memories.forget_old_recalls", queueing_lock="memories.forget_old_recalls")
def forget_recalls(timestamp: int) -> None:
    """Remove the recalls that are kept no longer; none for its age, if the clock was set a short time ago."""
    forget_old_recalls(for_their_age=clock_watch.is_steady())
