"""The living processes of a server, found without trusting `postmaster.pid`.

That file survives a crash, and after a reboot, or in a container, its process id soon belongs to another program.
The processes of PostgreSQL have the cluster as their working directory, which, unlike a process id, is never reused.
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
    """Return the living processes of the cluster: the postmaster and its children."""
    folder = str(cluster.resolve())
    found = []
    for process in psutil.process_iter(["name"]):
        try:
            if process.name() == "postgres" and process.cwd() == folder:
                found.append(process)
        except psutil.Error:
            continue  # It has ended, or belongs to another user and so not to this cluster.
    return found


def postmaster(cluster: Path) -> psutil.Process | None:
    """Return the living process that the lock file of the cluster names; None if there is none."""
    pid = _recorded_pid(cluster)
    return next((process for process in server_processes(cluster) if process.pid == pid), None)


def launched(cluster: Path) -> psutil.Process | None:
    """Return the child of this process that is about to become the postmaster of the cluster; None if there is none.

    It has not written its lock file yet, nor changed to the folder of the cluster.
    """
    for child in psutil.Process().children():
        with suppress(psutil.Error):
            if child.cmdline()[1:3] == ["-D", str(cluster)]:
                return child
    return None


def holders(path: Path, other_than: int) -> list[str]:
    """Return the processes of this user (under root, of all users) that have the file open, as `pid (command)`.

    The process `other_than` is left out.
    """
    found = []
    for process in psutil.process_iter():
        try:
            has_it = any(file.path == str(path.resolve()) for file in process.open_files())
            if has_it and process.pid != other_than:
                found.append(f"{process.pid} ({_shown_command(process)})")
        except psutil.Error:
            continue  # It has ended, or belongs to another user.
    return found


def _shown_command(process: psutil.Process) -> str:
    """Return a short form of the command without paths, such as `manage.py serve`."""
    words = [Path(word).name if word.startswith("/") else word for word in process.cmdline()]
    shown = words[1:] if words[0].startswith("python") else words
    return " ".join(shown[:2])


def clean_up_after_crash(cluster: Path) -> None:
    """End the orphaned children of a dead postmaster, and remove a lock file that would prevent a new start.

    Call it only if no postmaster lives. Raises EmbeddedServerError if a child does not end.
    """
    orphans = server_processes(cluster)
    for process in orphans:
        try:
            process.send_signal(signal.SIGQUIT)
        except psutil.NoSuchProcess:
            continue
    if not wait_until_gone(cluster, ORPHANS_LIMIT_SECONDS):
        pids = ", ".join(str(process.pid) for process in server_processes(cluster))
        raise EmbeddedServerError(f"Processes of an earlier PostgreSQL still use {cluster} and do not stop: {pids}.")
    lock_file = cluster / "postmaster.pid"
    pid = _recorded_pid(cluster)
    # If the process is dead, PostgreSQL handles the file itself, and also looks for shared memory that is still in use.
    if lock_file.exists() and (pid is None or psutil.pid_exists(pid)):
        lock_file.unlink()


def end_at_once(cluster: Path) -> None:
    """End a server whose files are no longer needed, without flushing its data. Raises EmbeddedServerError."""
    for number in (signal.SIGQUIT, signal.SIGKILL):
        for process in server_processes(cluster):
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)
        if wait_until_gone(cluster, AT_ONCE_LIMIT_SECONDS):
            return
    raise EmbeddedServerError(f"PostgreSQL in {cluster} does not stop.")


def wait_until_ended(process: psutil.Process, limit_seconds: float) -> bool:
    """Wait until a process ends. Return whether that happened within the limit.

    psutil alone would wait on until its parent notices its end. The parent may be a program that knows nothing of it:
    `manage.py serve` replaces itself after it has started the server.
    """
    deadline = time.monotonic() + limit_seconds
    while _is_running(process):
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    with suppress(psutil.TimeoutExpired):
        process.wait(0)  # If this process is the parent, the system forgets the ended one now.
    return True


def _is_running(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_until_gone(cluster: Path, limit_seconds: float) -> bool:
    """Wait until no process of the cluster lives. Return whether that happened within the limit."""
    deadline = time.monotonic() + limit_seconds
    while server_processes(cluster):
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def _recorded_pid(cluster: Path) -> int | None:
    """Return the process id in `postmaster.pid`; None if the file is missing or only partly written."""
    try:
        first_line = (cluster / "postmaster.pid").read_text(encoding="ascii", errors="replace").partition("\n")[0]
        return int(first_line)
    except (FileNotFoundError, ValueError):
        return None
