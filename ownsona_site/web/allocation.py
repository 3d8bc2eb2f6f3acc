"""How the C library allocates memory, and gives it back. Without glibc nothing here has an effect."""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress

LARGE_BLOCK_BYTES = 512_000
M_MMAP_THRESHOLD = -3
"""In `malloc.h` of glibc."""


def give_back_large_blocks() -> None:
    """Have each block above LARGE_BLOCK_BYTES taken from the system by itself, and given back when it is freed.

    By default glibc raises this threshold to 32 MB as large blocks are freed. From then on bodies are kept in the heap:
    they are copied as they grow, and most of what they took stays there.
    """
    _call("mallopt", M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES)


def give_back_what_is_free() -> None:
    """Give back what was needed for something large that is over."""
    # What an error's traceback holds in a cycle would stay until some later collection.
    gc.collect()
    _call("malloc_trim", 0)


def _call(function: str, *arguments: int) -> None:
    with suppress(AttributeError, OSError, TypeError):
        getattr(ctypes.CDLL(None), function)(*arguments)
