"""Log filters."""

from __future__ import annotations

from logging import LogRecord

from common.disk_space import is_about_full_disk, note_full_disk


def without_traceback(record: LogRecord) -> bool:
    """Remove the traceback from errors that anyone on the network can cause, so that they do not bury other lines.

    Every record passes.
    """
    record.exc_info = None
    return True


def full_disk_once(record: LogRecord) -> bool:
    """Drop errors that a full disk causes. One line a minute reports them all instead."""
    if record.exc_info and is_about_full_disk(record.exc_info[1]):
        note_full_disk()
        return False
    return True


def only_own_errors(record: LogRecord) -> bool:
    """Drop responses with status 500 to calls of custom tools that failed: the server works, and owners have a log."""
    request = getattr(record, "request", None)
    return not getattr(request, "META", {}).get("ownsona.custom_tool_failed", False)
