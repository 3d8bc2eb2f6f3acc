"""How many connections a process may hold, and the descriptors that it needs for them."""

from __future__ import annotations

import resource
from contextlib import suppress
from dataclasses import dataclass

FEWEST_CONNECTIONS = 16
BODY_SHARE = 16
"""Of the connections, one in so many may be in the middle of a request's body: each of these holds memory."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most connections of one process: in all, of one client address, and in the middle of a request's body."""

    connections: int
    per_address: int
    bodies: int

    @classmethod
    def of(cls, connections: int, per_address: int, threads: int) -> Limits:
        """What the settings ask for, brought down in proportion where this process may open fewer files."""
        possible = max(FEWEST_CONNECTIONS, soft_limit() - reserved_descriptors(threads))
        held = min(connections, possible)
        return cls(held, max(1, min(per_address, connections) * held // connections), max(1, held // BODY_SHARE))


def reserved_descriptors(threads: int) -> int:
    """The descriptors that a process with so many request threads keeps for everything but clients.

    Two database connections for each thread (its own, and that of a call that goes on), its files and libraries, and
    the connections that are accepted before others are closed for them.
    """
    return 128 + 4 * threads


def soft_limit() -> int:
    """How many files this process may open now."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 2**31 if soft == resource.RLIM_INFINITY else soft


def raise_soft_limit(connections: int, threads: int) -> None:
    """Let this process, and those that it starts, open the files that so many connections need, if the system does.

    The hard limit is the administrator's. Nothing is ever lowered.
    """
    wanted = connections + reserved_descriptors(threads)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    reachable = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    # macOS refuses what is above a limit of the kernel that getrlimit does not tell.
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (reachable, hard))
