"""How the C library allocates memory, and gives it back. Without glibc nothing here has an effect."""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress

LARGE_BLOCK_BYTES = 512_000
ARENAS = 2
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8
"""In `malloc.h` of glibc."""


def give_back_large_blocks() -> None:
    """Have each block above LARGE_BLOCK_BYTES taken from the system by itself, and given back when it is freed.

    By default glibc raises this threshold to 32 MB as large blocks are freed. From then on bodies are kept in the heap:
    they are copied as they grow, and most of what they took stays there. There is a heap for up to eight threads of a
    core, too, each of which keeps what its threads needed most: here there are two.
    """
    _call("mallopt", M_ARENA_MAX, ARENAS)
    _call("mallopt", M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES)


def give_back_what_is_free() -> None:
    """Give back what was needed for something large that is over."""
    # What an error's traceback holds in a cycle would stay until some later collection.
    gc.collect()
    _call("malloc_trim", 0)


def _call(function: str, *arguments: int) -> None:
    with suppress(AttributeError, OSError, TypeError):
        getattr(ctypes.CDLL(None), function)(*arguments)
