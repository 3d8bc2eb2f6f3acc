"""A real disk that is small enough to be filled."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest


@contextmanager
def small_disk(megabytes: int) -> Iterator[Path]:
    """Yield a folder on a filesystem of its own. Skip the test if none can be mounted."""
    folder = Path(tempfile.mkdtemp(prefix="ownsona-disk-"))
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0755", "tmpfs", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True, check=False)
    except OSError as error:
        pytest.skip(f"no filesystem can be mounted here: {error}")
    if done.returncode:
        folder.rmdir()
        pytest.skip(f"no filesystem can be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False)
        folder.rmdir()


def fill(folder: Path, leave_megabytes: int = 0) -> Path:
    """Take all free space except `leave_megabytes`. Return the file that occupies it."""
    path = folder / "somebody-elses-file"
    size = _free_bytes(folder) - leave_megabytes * 1_000_000
    with path.open("wb") as file:
        # Other processes may have taken some of the space meanwhile. Space that they release is not taken.
        while size > 0:
            with suppress(OSError):
                os.posix_fallocate(file.fileno(), 0, size)
                break
            size -= 1_000_000
    return path


def free_megabytes(folder: Path) -> int:
    return _free_bytes(folder) // 1_000_000


def _free_bytes(folder: Path) -> int:
    state = os.statvfs(folder)
    return state.f_bavail * state.f_frsize
