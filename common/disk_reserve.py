"""A file that reserves disk space for the moment when the disk is full.

When the disk is full, perhaps because of another program, the file is deleted. That leaves space for PostgreSQL, which
needs some even for reading, because it writes its log first. The file is created again when there is room.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from django.conf import settings

from common.disk_space import MEGABYTE, free_bytes_in

RELEASED_BELOW_BYTES = 4 * MEGABYTE
"""Low, so that the program that fills the disk has usually failed by then and does not use up the reserve, too."""

_PART_BYTES = 1_048_576


def reserve_in(data_directory: Path) -> Path:
    """Return the path of the reserve file."""
    return data_directory / "reserve"


def keep_reserve() -> None:
    """Create the file if there is room for it, and delete it if the disk is nearly full. Raises OSError.

    Costs microseconds when there is nothing to do. Applies only to the embedded PostgreSQL: other databases have a disk
    of their own.
    """
    directory = Path(settings.DATA_DIR)
    size = settings.DISK_RESERVE_MB * MEGABYTE
    if settings.DATABASE_URL or release_when_needed(directory):
        return
    free, path = free_bytes_in(directory), reserve_in(directory)
    # Twice the size, so that the file is not created and deleted again and again.
    if size and free is not None and free >= settings.DISK_MINIMUM_MB * MEGABYTE + 2 * size and not path.exists():
        _make(path, size)


def release_when_needed(data_directory: Path) -> bool:
    """Delete the file if the disk is nearly full or no reserve is configured. Raises OSError.

    Returns whether the disk is nearly full.
    """
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
    """Allocate `size` bytes of disk space for the file."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)
        return
    # macOS has no posix_fallocate.
    part = b"\1" * _PART_BYTES
    for start in range(0, size, _PART_BYTES):
        os.write(descriptor, part[: size - start])
