"""Which server processes really live, whatever `postmaster.pid` says.

That file survives a crash, and after a reboot, or in a container, its process id soon belongs to something else.
PostgreSQL's processes work in their data folder, and that cannot be recycled.
"""

from __future__ import annotations

import signal
import time
from contextlib import suppress
from pathlib import Path

import psutil

from ownsona_site.embedded_postgres.errors import EmbeddedServerError

ORPHANS_LIMIT_SECONDS = 30.0
AT_ONCE_LIMIT_SECONDS = 10.0
POLL_SECONDS = 0.02


def server_processes(cluster: Path) -> list[psutil.Process]:
    """The postmaster of the cluster and its children, as far as they live."""
    folder = str(cluster.resolve())
    found = []
    for process in psutil.process_iter(["name"]):
        try:
            if process.name() == "postgres" and process.cwd() == folder:
                found.append(process)
        except psutil.Error:
            continue  # It ended meanwhile, or belongs to someone else and so not to this cluster.
    return found


def postmaster(cluster: Path) -> psutil.Process | None:
    """The living process that the cluster's lock file names."""
    pid = _recorded_pid(cluster)
    return next((process for process in server_processes(cluster) if process.pid == pid), None)


def holders(path: Path, other_than: int) -> list[str]:
    """The processes of this user that have the file open, as `number (command)`; under root those of all users."""
    found = []
    for process in psutil.process_iter():
        try:
            has_it = any(file.path == str(path.resolve()) for file in process.open_files())
            if has_it and process.pid != other_than:
                found.append(f"{process.pid} ({_shown_command(process)})")
        except psutil.Error:
            continue  # It ended meanwhile, or belongs to someone else.
    return found


def _shown_command(process: psutil.Process) -> str:
    """A command without its path: `manage.py serve`."""
    words = [Path(word).name if word.startswith("/") else word for word in process.cmdline()]
    shown = words[1:] if words[0].startswith("python") else words
    return " ".join(shown[:2])


def clean_up_after_crash(cluster: Path) -> None:
    """End what a dead postmaster left behind: its children, and a lock file that would keep a new one from starting.

    Call it only when no postmaster lives. Raises EmbeddedServerError when a child does not end.
    """
    orphans = server_processes(cluster)
    for process in orphans:
        try:
            process.send_signal(signal.SIGQUIT)
        except psutil.NoSuchProcess:
            continue
    if not wait_until_gone(cluster, ORPHANS_LIMIT_SECONDS):
        pids = ", ".join(str(process.pid) for process in server_processes(cluster))
        raise EmbeddedServerError(f"Processes of an earlier PostgreSQL still use {cluster} and do not end: {pids}.")
    lock_file = cluster / "postmaster.pid"
    pid = _recorded_pid(cluster)
    # The file of a dead process is left to PostgreSQL, which also looks for shared memory still in use.
    if lock_file.exists() and (pid is None or psutil.pid_exists(pid)):
        lock_file.unlink()


def end_at_once(cluster: Path) -> None:
    """End a server whose files nobody needs any more, without writing what it holds. Raises EmbeddedServerError."""
    for number in (signal.SIGQUIT, signal.SIGKILL):
        for process in server_processes(cluster):
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)
        if wait_until_gone(cluster, AT_ONCE_LIMIT_SECONDS):
            return
    raise EmbeddedServerError(f"PostgreSQL in {cluster} does not end.")


def wait_until_gone(cluster: Path, limit_seconds: float) -> bool:
    """Wait until no process of the cluster lives; whether that happened within the limit."""
    deadline = time.monotonic() + limit_seconds
    while server_processes(cluster):
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def _recorded_pid(cluster: Path) -> int | None:
    """The process id in `postmaster.pid`; None when there is no such file or it is half written."""
    try:
        first_line = (cluster / "postmaster.pid").read_text(encoding="ascii", errors="replace").partition("\n")[0]
        return int(first_line)
    except (FileNotFoundError, ValueError):
        return None
