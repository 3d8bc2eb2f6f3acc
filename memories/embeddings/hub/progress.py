"""The state of the last download by the job process, in a file that the pages read."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import Literal

from pydantic import BaseModel

from memories.embeddings.store import models_folder

STALE_SECONDS = 60.0
"""Time without an update after which a download counts as ended: its process was killed."""

WRITE_SECONDS = 1.0
_FILE = "download.json"


class DownloadState(BaseModel):
    """The state of a download: bytes that are stored, of all bytes, and for a failure its message.

    `at` is the Unix time of the last update in seconds.
    """

    name: str
    state: Literal["queued", "running", "failed", "done"]
    stored: int = 0
    total: int = 0
    message: str = ""
    at: float = 0.0

    @property
    def is_running(self) -> bool:
        """Whether the download waits for the job process or is under way."""
        return self.state == "queued" or (self.state == "running" and time.time() - self.at < STALE_SECONDS)

    @property
    def percent(self) -> int:
        """The part that is stored, 0 to 100."""
        return 100 * self.stored // self.total if self.total else 0


def write_state(state: DownloadState) -> None:
    """Replace the state. A file that cannot be written is ignored: only the page lacks it."""
    state.at = time.time()
    with suppress(OSError):
        folder = models_folder()
        folder.mkdir(parents=True, exist_ok=True)
        new = folder / f".{_FILE}-{os.getpid()}"
        new.write_text(state.model_dump_json(), encoding="utf-8")
        new.replace(folder / _FILE)


def read_state() -> DownloadState | None:
    """Return the state of the last download, or None if there was none or it cannot be read."""
    try:
        return DownloadState.model_validate_json((models_folder() / _FILE).read_bytes())
    except (OSError, ValueError):
        return None


class ProgressWriter:
    """A callback for the progress of a download, which writes the state at most once in `WRITE_SECONDS`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._written_at = float("-inf")

    def __call__(self, stored: int, total: int) -> None:
        now = time.monotonic()
        if now - self._written_at >= WRITE_SECONDS or stored == total:
            self._written_at = now
            write_state(DownloadState(name=self._name, state="running", stored=stored, total=total))
