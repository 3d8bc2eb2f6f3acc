"""Files below a folder, opened without following a link.

Each part of the path is opened on its own, relative to the folder before it, with O_NOFOLLOW. So a folder or file that
is replaced by a link after it was checked is refused by the kernel.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a FIFO waits for its other end.
FILE_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
READ_BYTES = 1 << 20


class NotRegular(OSError):
    """A path that leads to no regular file: a device, a FIFO, a socket or a folder."""


@contextmanager
def folder_below(
    root: int, parts: Sequence[bytes], refuse: Callable[[os.stat_result], bool] = lambda folder: False
) -> Iterator[int]:
    """Open the folder at `parts` below the open folder `root` and yield its descriptor.

    Raises OSError, and PermissionError if `refuse` returns True for the status of a folder on the way.
    """
    folder = os.dup(root)
    try:
        for part in parts:
            inner = os.open(part, FOLDER_FLAGS, dir_fd=folder)
            os.close(folder)
            folder = inner
            if refuse(os.fstat(folder)):
                raise PermissionError
        yield folder
    finally:
        os.close(folder)


def read_below(folder: int, name: bytes, max_bytes: int) -> bytes | None:
    """Return the content of a regular file in the open `folder`. None above `max_bytes`. Raises OSError."""
    descriptor = os.open(name, FILE_FLAGS, dir_fd=folder)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NotRegular
        if status.st_size > max_bytes:
            return None
        content = bytearray()
        while block := os.read(descriptor, READ_BYTES):
            content += block
            # The file may grow while it is read.
            if len(content) > max_bytes:
                return None
        return bytes(content)
    finally:
        os.close(descriptor)
