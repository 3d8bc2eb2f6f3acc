"""A file that holds disk space back, so that there is some when everything else is used up.

Whatever fills the disk may be another program. The file is deleted then, and the space is there for PostgreSQL, which
needs some even for reading: it notes what it does before it does it. It is made again when there is room.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from django.conf import settings

from common.storage import MEGABYTE, free_bytes_in

RELEASED_BELOW_BYTES = 4 * MEGABYTE
"""Late, so that whatever fills the disk has failed by then, as a rule, and does not fill the reserve, too."""

_PART_BYTES = 1_048_576


def reserve_in(data_directory: Path) -> Path:
    """Where the file is."""
    return data_directory / "reserve"


def keep_reserve() -> None:
    """Make the file when there is room for it, and release it when the disk is nearly full. Raises OSError.

    Costs microseconds when there is nothing to do. Only beside the embedded database: any other one has its own disk.
    """
    directory = Path(settings.DATA_DIR)
    size = settings.DISK_RESERVE_MB * MEGABYTE
    if settings.DATABASE_URL or release_when_needed(directory):
        return
    free, path = free_bytes_in(directory), reserve_in(directory)
    # Twice, so that the file does not come and go.
    if size and free is not None and free >= settings.DISK_MINIMUM_MB * MEGABYTE + 2 * size and not path.exists():
        _make(path, size)


def release_when_needed(data_directory: Path) -> bool:
    """Delete the file when the disk is nearly full, or none is wanted; whether that is so. Raises OSError."""
    size, free = settings.DISK_RESERVE_MB * MEGABYTE, free_bytes_in(data_directory)
    is_needed = free is not None and free < RELEASED_BELOW_BYTES
    if is_needed or not size:
        reserve_in(data_directory).unlink(missing_ok=True)
    return is_needed


def _make(path: Path, size: int) -> None:
    aside = path.with_name("reserve.being-made")
    try:
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            _allocate(file.fileno(), size)
        aside.rename(path)
    except OSError:
        with suppress(OSError):
            aside.unlink(missing_ok=True)


def _allocate(descriptor: int, size: int) -> None:
    """Give the file `size` bytes of the disk."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)
        return
    # macOS has no such call.
    part = b"\1" * _PART_BYTES
    for start in range(0, size, _PART_BYTES):
        os.write(descriptor, part[: size - start])
