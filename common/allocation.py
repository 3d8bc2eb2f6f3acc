"""Tuning of glibc's memory allocator. Has no effect with other C libraries."""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress

LARGE_BLOCK_BYTES = 512_000
ARENAS = 2
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8
"""Parameter numbers of mallopt, from glibc's `malloc.h`."""


def configure_allocator() -> None:
    """Allocate every block above LARGE_BLOCK_BYTES with its own mmap, so that freeing it returns it to the system.

    By default glibc raises this threshold up to 32 MB as large blocks are freed. Request bodies would then live in the
    heap: they are copied as they grow, and most of their memory is never returned. By default glibc also makes up to
    eight heaps (arenas) per core, each of which stays at its peak size. This function limits them to ARENAS.
    """
    _call("mallopt", M_ARENA_MAX, ARENAS)
    _call("mallopt", M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES)


def give_back_what_is_free() -> None:
    """Return free memory to the system, after work that took much of it."""
    # The traceback of an error can hold objects in a reference cycle until the next collection.
    gc.collect()
    _call("malloc_trim", 0)


def _call(function: str, *arguments: int) -> None:
    with suppress(AttributeError, OSError, TypeError):
        getattr(ctypes.CDLL(None), function)(*arguments)
