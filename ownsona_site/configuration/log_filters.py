"""What a line of the log leaves out."""

from __future__ import annotations

from logging import LogRecord

from common.storage import is_about_full_disk, note_full_disk


def without_traceback(record: LogRecord) -> bool:
    """For what strangers cause: a line of it says enough, and a traceback each time buries the rest. Lets all pass."""
    record.exc_info = None
    return True


def full_disk_once(record: LogRecord) -> bool:
    """Leave out an error whose reason is a full disk, with its traceback: one line a minute says that for all."""
    if record.exc_info and is_about_full_disk(record.exc_info[1]):
        note_full_disk()
        return False
    return True
