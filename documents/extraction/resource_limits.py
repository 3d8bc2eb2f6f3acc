"""Limits that the operating system enforces on the process that reads a file, and on the programs that it starts."""

from __future__ import annotations

import os
import resource
from typing import Final

from common.process_limits import lower_limits, refuse_network
from documents.extraction.limits import Limits

NICENESS: Final = 10
MAX_OPEN_FILES: Final = 128


def limit_this_process(limits: Limits) -> None:
    """Lower the limits of this process. They cannot be raised again.

    macOS does not enforce RLIMIT_AS, so the parent watches the memory, too.
    """
    os.nice(NICENESS)
    memory = limits.memory_mb << 20
    lower_limits(
        {
            resource.RLIMIT_AS: (memory, memory),
            resource.RLIMIT_DATA: (memory, memory),
            # The signal of the lower limit tells the parent why the process ended.
            resource.RLIMIT_CPU: (limits.cpu_seconds, limits.cpu_seconds + 1),
            # Nothing is written: results go through a pipe.
            resource.RLIMIT_FSIZE: (0, 0),
            resource.RLIMIT_NOFILE: (MAX_OPEN_FILES, MAX_OPEN_FILES),
            resource.RLIMIT_CORE: (0, 0),
        }
    )
    # No library that is used opens any connection; this notices if one begins to.
    refuse_network("Extraction never uses the network.")
