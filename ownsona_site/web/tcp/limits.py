"""Connection limits of a process, and the file descriptors that they need."""

from __future__ import annotations

import resource
from contextlib import suppress
from dataclasses import dataclass

BACKLOG = 2048
"""Number of connections that the kernel accepts before a process does."""

FEWEST_CONNECTIONS = 16
BODY_SHARE = 16
"""One in so many connections may be sending a request body at a time, since each body takes memory."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Maximum numbers of connections of one process: in all, per client address, and sending a request body."""

    connections: int
    per_address: int
    bodies: int

    @classmethod
    def of(cls, connections: int, per_address: int, threads: int) -> Limits:
        """Return the limits of the settings, reduced in proportion if this process may not open enough files."""
        possible = max(FEWEST_CONNECTIONS, soft_limit() - reserved_descriptors(threads))
        held = min(connections, possible)
        return cls(held, max(1, min(per_address, connections) * held // connections), max(1, held // BODY_SHARE))


def reserved_descriptors(threads: int) -> int:
    """Return how many descriptors a process with `threads` request threads needs besides those of its clients.

    They are for two database connections per thread (its own, and that of a call that continues in the background),
    for files and libraries, and for connections that are accepted before others are closed to make room.
    """
    return 128 + 4 * threads


def soft_limit() -> int:
    """Return how many files this process may open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 2**31 if soft == resource.RLIM_INFINITY else soft


def raise_soft_limit(connections: int, threads: int) -> None:
    """Raise the file limit of this process and its children to what `connections` need, as far as the system allows.

    The hard limit, which the administrator sets, is never exceeded, and the limit is never lowered.
    """
    wanted = connections + reserved_descriptors(threads)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    reachable = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    # macOS refuses values above a kernel limit that getrlimit does not report.
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (reachable, hard))
