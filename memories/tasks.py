"""Background tasks on memories, run by the job process. Procrastinate looks for tasks in modules of this name."""

from __future__ import annotations

import logging

from procrastinate.contrib.django import app

from common.allocation import give_back_what_is_free
from common.clock import clock_watch
from common.disk_space import is_full
from memories.admin.base import ADMIN_CLIENT
from memories.cleanup.search import SEARCH, owners_with_searches, search, search_soon
from memories.comparisons.cross_encoder import COMPARING
from memories.comparisons.pending import compare_pending
from memories.corpus import Corpus, corpora
from memories.embeddings import clear_embedders
from memories.errors import EmbeddingError, StorageFull
from memories.recall_log.past_recalls import delete_old_recalls
from memories.transfer.background.housekeeping import tidy_imports
from memories.transfer.background.queue import RUN_IMPORTS
from memories.transfer.background.turns import run_imports
from memories.undo.background import RUN_UNDOS, run_undos
from memories.undo.retention import delete_old_changes
from memories.vectors.following import follow
from memories.vectors.hnsw import keep_vector_indexes
from memories.vectors.index_queue import INDEX_PENDING, KEEP_INDEXES
from memories.vectors.indexing import index_pending_batch
from memories.vectors.model_jobs import FOLLOW_MODEL, GET_MODEL, download_and_choose
from memories.vectors.spaces import cached_space

logger = logging.getLogger(__name__)

COMPARE_PENDING = "memories.compare_pending"
COMPARING_SECONDS = 20.0
"""Time for which memories are compared each minute: a bound on the cost after a large import."""


# `lock`: two concurrent runs would embed texts twice. `queueing_lock`: a second queued run would find nothing to do.
@app.periodic(cron="* * * * *", periodic_id="index_pending")
@app.task(name=INDEX_PENDING, lock=INDEX_PENDING, queueing_lock=INDEX_PENDING)
def index_pending(timestamp: int = 0) -> None:
    """Embed every pending item, one batch of each corpus at a time: memories do not wait for a large document.

    While the embedder fails or the disk is full, the run one minute later tries again. `timestamp` is what the library
    passes to periodic tasks: the Unix time in seconds at which the run is due.
    """
    if is_full():
        return
    is_anything_done = False
    try:
        after_ids = dict.fromkeys(corpora(), 0)
        while _index_in_turn(after_ids):
            is_anything_done = True
    except EmbeddingError as error:
        logger.warning("Some texts have no vector for now: %s", error)
    if is_anything_done:
        # The job process embeds rarely, and a local model takes some 80 MB.
        clear_embedders()
        cached_space.invalidate()
        give_back_what_is_free()


def _index_in_turn(after_ids: dict[Corpus, int]) -> bool:
    """Index the next batch of each corpus after its id in `after_ids`, which is updated. Return False at the end."""
    is_anything_done = False
    for corpus, after_id in after_ids.items():
        if batch := index_pending_batch(after_id, corpus=corpus):
            after_ids[corpus] = batch.last_id
            is_anything_done = True
    return is_anything_done


@app.periodic(cron="* * * * *", periodic_id="compare_pending")
@app.task(name=COMPARE_PENDING, lock=COMPARE_PENDING, queueing_lock=COMPARE_PENDING)
def compare_memories(timestamp: int = 0) -> None:
    """Compare memories that have not been compared with those nearest to them. The next run continues."""
    if is_full():
        return
    try:
        is_anything_done = compare_pending(COMPARING_SECONDS)
    except EmbeddingError as error:
        logger.warning("Memories cannot be compared for now: %s", error)
        return
    if is_anything_done:
        COMPARING.clear()
        give_back_what_is_free()


@app.periodic(cron="* * * * *", periodic_id="follow_model")
@app.task(name=FOLLOW_MODEL, lock=FOLLOW_MODEL, queueing_lock=FOLLOW_MODEL)
def follow_model(timestamp: int = 0) -> None:
    """Move all memories to the model that the owner chose, or to the changed prefix of the model in use.

    While the embedder fails or the disk is full, the run one minute later continues.
    """
    try:
        left = follow()
    except (EmbeddingError, StorageFull) as error:
        logger.warning("Memories cannot be moved to another model for now: %s", error)
        return
    if left is not None:
        clear_embedders()
        cached_space.invalidate()
        give_back_what_is_free()


@app.task(name=GET_MODEL, lock=GET_MODEL, queueing_lock=GET_MODEL)
def get_model(name: str, mirror: str = "") -> None:
    """Download a curated model from the hub or a mirror, and have all memories moved to it."""
    download_and_choose(name, mirror)
    give_back_what_is_free()


@app.periodic(cron="* * * * *", periodic_id="keep_vector_indexes")
@app.task(name=KEEP_INDEXES, lock=KEEP_INDEXES, queueing_lock=KEEP_INDEXES)
def keep_indexes(timestamp: int = 0) -> None:
    """Build vector indexes that are missing or outgrown, unless the disk is full.

    Also queued a moment after many memories were stored at once.
    """
    if not is_full():
        keep_vector_indexes()


@app.task(name=SEARCH, lock=SEARCH)
def search_findings(owner_id: int) -> None:
    """Search the memories of an owner for what could be tidied up. One search at a time: each takes much memory."""
    try:
        search(owner_id)
    except EmbeddingError as error:
        logger.warning("There is no search for findings for now: %s", error)
    give_back_what_is_free()


@app.periodic(cron="23 3 * * *", periodic_id="search_again")
@app.task(name="memories.search_again", queueing_lock="memories.search_again")
def search_again(timestamp: int) -> None:
    """Queue a search for each owner who has searched before."""
    for owner_id in owners_with_searches():
        search_soon(owner_id)


@app.periodic(cron="41 3 * * *", periodic_id="delete_old_changes")
@app.task(name="memories.delete_old_changes", queueing_lock="memories.delete_old_changes")
def delete_changes(timestamp: int) -> None:
    """Delete what is older than HISTORY_DAYS from the history, unless the clock was set recently."""
    if clock_watch.is_steady():
        delete_old_changes()


@app.periodic(cron="*/10 * * * *", periodic_id="forget_old_recalls")
@app.task(name="memories.forget_old_recalls", queueing_lock="memories.forget_old_recalls")
def forget_recalls(timestamp: int) -> None:
    """Remove old entries of the recall log; none for its age if the clock was set recently."""
    delete_old_recalls(for_their_age=clock_watch.is_steady())


# `lock`: two runs would read the same files. A process that died leaves its imports to the next run.
@app.periodic(cron="* * * * *", periodic_id="run_imports")
@app.task(name=RUN_IMPORTS, lock=RUN_IMPORTS, queueing_lock=RUN_IMPORTS)
def run_open_imports(timestamp: int = 0) -> None:
    """Check and carry out the open imports, also those that a killed process has begun."""
    if run_imports():
        give_back_what_is_free()


@app.periodic(cron="* * * * *", periodic_id="run_undos")
@app.task(name=RUN_UNDOS, lock=RUN_UNDOS, queueing_lock=RUN_UNDOS)
def run_open_undos(timestamp: int = 0) -> None:
    """Carry out the undos in the background, also those that a killed process has begun."""
    if run_undos(ADMIN_CLIENT):
        give_back_what_is_free()


@app.periodic(cron="45 3 * * *", periodic_id="tidy_imports")
@app.task(name="memories.tidy_imports", queueing_lock="memories.tidy_imports")
def tidy_up_after_imports(timestamp: int) -> None:
    """Remove what imports leave behind."""
    tidy_imports(for_their_age=clock_watch.is_steady())
