"""Requests to the job process to work on imports. The task is in `memories.tasks`."""

from __future__ import annotations

from memories.vectors.index_queue import queue_once

RUN_IMPORTS = "memories.run_imports"


def import_soon() -> None:
    """Have the open imports checked and carried out now instead of at the next minute."""
    queue_once(RUN_IMPORTS)
