"""Signal handling that ends a command cleanly: unfinished work is removed or undone."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import NoReturn

from ownsona_site.startup.supervisor import stop_signals


def stop_in_order() -> None:
    """Let SIGINT, SIGTERM and SIGHUP raise SystemExit with a failure code. Call it from the main thread."""
    for number in stop_signals():
        signal.signal(number, _stop)


def _stop(number: int, _frame: FrameType | None) -> NoReturn:
    # A second signal must not interrupt the cleanup.
    for each in stop_signals():
        signal.signal(each, signal.SIG_IGN)
    sys.stderr.write("Stopped before the end. All changes are undone.\n")
    sys.exit(128 + number)
