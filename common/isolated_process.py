"""Start and end of separate processes that handle untrusted input with this Python.

Such a process has no database connection and no secrets in its environment. It limits itself with
`common.process_limits`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

_PROJECT: Final = Path(__file__).resolve().parents[1]
# -I: neither variables of the environment nor the user's own packages change what is imported.
_START: Final = "import sys; sys.path.insert(0, sys.argv.pop(1)); import {0}; {0}.main()"


def start_isolated(
    module: str,
    arguments: Sequence[str] = (),
    *,
    folder: str,
    environment: Mapping[str, str] | None = None,
    stdin: int = subprocess.DEVNULL,
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start `module.main()` in a process of its own group, in the working directory `folder`, and return the process.

    Its standard output is a pipe; errors are discarded. `environment` is all that it has of variables besides PATH and
    LANG.
    """
    return subprocess.Popen(  # noqa: S603 - this Python, with a module of OwnSona
        [sys.executable, "-I", "-X", "utf8", "-c", _START.format(module), str(_PROJECT), *arguments],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", **(environment or {})},
        pass_fds=tuple(pass_fds),
        start_new_session=True,
    )


def kill_group(child: subprocess.Popen[bytes]) -> None:
    """Kill the process and all that it started, and release its pipes."""
    # The process was started as the leader of a group of its own, which keeps its number until all of it has ended.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    child.wait()
