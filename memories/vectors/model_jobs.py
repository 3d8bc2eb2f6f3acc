"""Requests to the job process to download a model and to move memories to it, and their work.

The tasks are in `memories.tasks`. Pages defer them by name.
"""

from __future__ import annotations

import logging

from procrastinate.contrib.django import app
from procrastinate.exceptions import AlreadyEnqueued

from memories.embeddings.curated import CURATED
from memories.embeddings.hub.client import DEFAULT_HUB, Hub
from memories.embeddings.hub.installing import install_from_hub, is_installed
from memories.embeddings.hub.progress import DownloadState, ProgressWriter, write_state
from memories.embeddings.store import choose_model
from memories.errors import EmbeddingError

logger = logging.getLogger(__name__)

GET_MODEL = "memories.get_model"
FOLLOW_MODEL = "memories.follow_model"


def download_soon(name: str, mirror: str = "") -> bool:
    """Have a curated model downloaded and used. Return False if a download is already queued or under way."""
    try:
        app.configure_task(GET_MODEL, lock=GET_MODEL, queueing_lock=GET_MODEL).defer(name=name, mirror=mirror)
    except AlreadyEnqueued:
        return False
    write_state(DownloadState(name=name, state="queued"))
    return True


def follow_soon() -> None:
    """Have memories moved to the chosen model now instead of at the next minute."""
    try:
        app.configure_task(FOLLOW_MODEL, lock=FOLLOW_MODEL, queueing_lock=FOLLOW_MODEL).defer()
    except AlreadyEnqueued:
        logger.debug("The move is already queued.")


def download_and_choose(name: str, mirror: str) -> None:
    """Download a curated model unless it is installed, choose it, and have memories moved to it.

    A failure is written to the state of the download and to the log.
    """
    progress = ProgressWriter(name)
    try:
        if not is_installed(CURATED[name]):
            hub = Hub(mirror or DEFAULT_HUB)
            try:
                install_from_hub(CURATED[name], hub, progress)
            finally:
                hub.close()
        choose_model(name)
    except (EmbeddingError, OSError) as error:
        logger.warning("The model %s was not downloaded: %s", name, error)
        write_state(DownloadState(name=name, state="failed", message=str(error)))
        return
    write_state(DownloadState(name=name, state="done"))
    follow_soon()
