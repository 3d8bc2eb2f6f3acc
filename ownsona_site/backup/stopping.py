"""Signals that end a command in order: what it has begun is removed or taken back."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import NoReturn

from ownsona_site.startup.supervisor import stop_signals


def stop_in_order() -> None:
    """Have SIGINT, SIGTERM and SIGHUP end this process by SystemExit, as a failure. Call it from the main thread."""
    for number in stop_signals():
        signal.signal(number, _stop)


def _stop(number: int, _frame: FrameType | None) -> NoReturn:
    # A second signal must not stop the tidying up.
    for each in stop_signals():
        signal.signal(each, signal.SIG_IGN)
    sys.stderr.write("Stopped before the end. What was begun is taken back.\n")
    sys.exit(128 + number)
