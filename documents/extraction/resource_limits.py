"""Limits that the operating system enforces on the process that reads a file, and on the programs that it starts."""

from __future__ import annotations

import os
import resource
import sys
from contextlib import suppress
from typing import Final

from documents.extraction.limits import Limits

NICENESS: Final = 10
MAX_OPEN_FILES: Final = 128
_NETWORK_EVENTS: Final = ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto")


def limit_this_process(limits: Limits) -> None:
    """Lower the limits of this process. They cannot be raised again.

    Linux enforces all of them. macOS has RLIMIT_AS, but refuses or ignores it, so the parent watches the memory, too.
    """
    os.nice(NICENESS)
    memory = limits.memory_mb << 20
    for kind, soft, hard in (
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_DATA, memory, memory),
        # The signal of the lower limit tells the parent why the process ended.
        (resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1),
        # Nothing is written: results go through a pipe.
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_NOFILE, MAX_OPEN_FILES, MAX_OPEN_FILES),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        # ValueError, OSError: the platform does not know the limit, or a lower one is set already.
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (soft, hard))
    sys.addaudithook(_refuse_network)


def _refuse_network(event: str, _arguments: tuple[object, ...]) -> None:
    """Refuse connections from Python. No library that is used opens any; this notices if one begins to."""
    if event in _NETWORK_EVENTS:
        raise PermissionError("Extraction never uses the network.")
