"""Thread that checks the free disk space every few seconds, keeps the reserve file and logs changes."""

from __future__ import annotations

import logging
import threading
import time

from common.disk_reserve import keep_reserve
from common.disk_space import LOG_SECONDS, Level, clear_report, describe_place, level, level_of_space

logger = logging.getLogger(__name__)

WATCH_SECONDS = 2.0


class DiskWatch:
    """A monitor of the free space. It logs each change of level, and every LOG_SECONDS that the disk is full."""

    def __init__(self) -> None:
        self._space = self._said = Level.ENOUGH
        self._said_at = float("-inf")

    def look(self) -> None:
        """Check the free space once. Raises OSError when the reserve cannot be deleted."""
        keep_reserve()
        before, self._space = self._space, level_of_space()
        if before is Level.FULL and self._space is not Level.FULL:
            # Writes that failed because of the full disk can succeed again.
            clear_report()
        seen, now = level(), time.monotonic()
        if seen is self._said and not (seen is Level.FULL and now - self._said_at >= LOG_SECONDS):
            return
        self._said, self._said_at = seen, now
        match seen:
            case Level.FULL:
                logger.error("The disk is full: %s. Nothing can be stored until you free some space.", describe_place())
            case Level.LOW:
                logger.warning("The disk is nearly full: %s.", describe_place())
            case Level.ENOUGH:
                logger.warning("The disk has enough free space again: %s.", describe_place())

    def run(self) -> None:
        """Check every WATCH_SECONDS until the process ends."""
        while True:
            try:
                self.look()
            except OSError as error:
                logger.warning("The free space cannot be monitored: %s", error)
            time.sleep(WATCH_SECONDS)


def watch_disk() -> None:
    """Start to watch the disk, in a daemon thread."""
    threading.Thread(target=DiskWatch().run, name="disk watch", daemon=True).start()
