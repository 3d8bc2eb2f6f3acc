"""Looks at the free space every few seconds, in a thread: keeps the reserve, and tells the owner in the log."""

from __future__ import annotations

import logging
import threading
import time

from common.disk_reserve import keep_reserve
from common.storage import LOG_SECONDS, Level, describe_place, forget_report, level, level_of_space

logger = logging.getLogger(__name__)

WATCH_SECONDS = 2.0


class DiskWatch:
    """What was seen and said last. Says each change, and once a minute that the disk is full."""

    def __init__(self) -> None:
        self._space = self._said = Level.ENOUGH
        self._said_at = float("-inf")

    def look(self) -> None:
        """Look once. Raises OSError when the reserve cannot be deleted."""
        keep_reserve()
        before, self._space = self._space, level_of_space()
        if before is Level.FULL and self._space is not Level.FULL:
            # What failed before has room now.
            forget_report()
        seen, now = level(), time.monotonic()
        if seen is self._said and not (seen is Level.FULL and now - self._said_at >= LOG_SECONDS):
            return
        self._said, self._said_at = seen, now
        match seen:
            case Level.FULL:
                logger.error("The disk is full: %s. Nothing is stored until you free some space.", describe_place())
            case Level.LOW:
                logger.warning("The disk is nearly full: %s.", describe_place())
            case Level.ENOUGH:
                logger.warning("The disk has room again: %s.", describe_place())

    def run(self) -> None:
        """Look until the process ends."""
        while True:
            try:
                self.look()
            except OSError as error:
                logger.warning("The free space cannot be watched: %s", error)
            time.sleep(WATCH_SECONDS)


def watch_disk() -> None:
    """Look from now on, in a thread of its own."""
    threading.Thread(target=DiskWatch().run, name="disk watch", daemon=True).start()
