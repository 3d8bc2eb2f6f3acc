"""What a line of the log leaves out."""

from __future__ import annotations

from logging import LogRecord


def without_traceback(record: LogRecord) -> bool:
    """For what strangers cause: a line of it says enough, and a traceback each time buries the rest. Lets all pass."""
    record.exc_info = None
    return True
