"""The lifecycle of the embedded server: the first process to use it starts it, the last one stops it."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from psycopg.conninfo import make_conninfo
from psycopg.pq import PGconn, Ping

from common.disk_reserve import release_when_needed
from ownsona_site.configuration.data_directory import create_data_directory
from ownsona_site.embedded_postgres import processes
from ownsona_site.embedded_postgres.account import Account, server_account
from ownsona_site.embedded_postgres.binaries import program_folder
from ownsona_site.embedded_postgres.cluster import SUPERUSER, check_access, check_version, create_cluster
from ownsona_site.embedded_postgres.errors import EmbeddedServerError
from ownsona_site.embedded_postgres.lease import Lease
from ownsona_site.embedded_postgres.server_log import START_LOG, last_error_message
from ownsona_site.embedded_postgres.socket_folder import make_socket_folder, socket_folder

START_LIMIT_SECONDS = 1800.0
"""The time limit of a start. Recovery after a crash may take minutes; only a server that hangs takes longer."""
STOP_LIMIT_SECONDS = 120.0
PING_LIMIT_SECONDS = 5
FIRST_NOTICE_SECONDS = 3.0
NOTICE_SECONDS = 15.0


class Server:
    """The embedded PostgreSQL of one data folder, shared by all processes that use it. Thread-safe."""

    def __init__(self, data_directory: Path) -> None:
        self.data_directory = data_directory
        self.cluster = data_directory / "postgres"
        self.logs = data_directory / "logs"
        self.socket = socket_folder(data_directory)
        self._lease = Lease(data_directory)
        self._turn = threading.Lock()
        place = {"host": str(self.socket), "user": SUPERUSER, "dbname": "postgres"}
        self._conninfo = make_conninfo(**place, connect_timeout=PING_LIMIT_SECONDS).encode()

    def use(self) -> None:
        """Keep the server running until `release` or the end of this process. Raises EmbeddedServerError."""
        with self._turn:
            if self._lease.is_held and self._ping() is Ping.OK:
                return
            try:
                create_data_directory(self.data_directory)
                with self._lease.exclusive_access():
                    self._lease.take()
                    if self._ping() is not Ping.OK:
                        self._start()
            except OSError as error:
                place = error.filename or self.data_directory
                reason = f"{place}: {error.strerror or error}"
                raise EmbeddedServerError(f"PostgreSQL cannot be started: {reason}. Check OWNSONA_DATA_DIR.") from error

    def register(self) -> None:
        """Keep the server running as `use` does, if it runs. Raises EmbeddedServerError."""
        with self._turn, self._lease.exclusive_access():
            self._lease.take()

    def release(self) -> None:
        """Stop using the server. Shut it down if no other process uses it."""
        with self._turn:
            if self._lease.is_held:
                with self._lease.exclusive_access():
                    if self._lease.drop():
                        self._stop()

    @contextmanager
    def unused(self) -> Iterator[None]:
        """Keep the server stopped for the duration of the block; no process can start it.

        Raises ServerInUse or EmbeddedServerError.
        """
        with self._lease.preparation_lock():
            # The server may still run if all its users were killed with `kill -9`.
            self._stop()
            processes.clean_up_after_crash(self.cluster)
            yield

    def discard(self) -> None:
        """End the server at once. Its files are not needed, and on a full disk an orderly shutdown would never end."""
        with self._turn:
            self._lease.abandon()
            processes.end_at_once(self.cluster)
            if self.socket.parent != self.data_directory:
                shutil.rmtree(self.socket, ignore_errors=True)

    def abandon(self) -> None:
        """Drop the inherited lease in a forked child; the parent keeps it. The child takes its own when it connects."""
        self._turn = threading.Lock()
        self._lease.abandon()

    def _ping(self) -> Ping:
        # psycopg's compiled implementation returns a plain int.
        return Ping(PGconn.ping(self._conninfo))

    def _start(self) -> None:
        account = server_account()
        if account.is_other and (closed := account.first_closed_folder(self.cluster)):
            raise EmbeddedServerError(
                f"As root, PostgreSQL runs as the user {account.name}, who has no access to {closed}: "
                f"run `chmod o+x {closed}`, or set OWNSONA_DATA_DIR to a folder outside it."
            )
        programs = program_folder(self.data_directory, account)
        create_cluster(self.cluster, programs, account)
        check_access(self.cluster, account)
        check_version(self.cluster)
        self._bring_up(programs, account)

    def _bring_up(self, programs: Path, account: Account) -> None:
        started_at = time.monotonic()
        next_notice = FIRST_NOTICE_SECONDS
        launched: subprocess.Popen[bytes] | None = None
        while (answer := self._ping()) is not Ping.OK:
            runs = launched is not None and launched.poll() is None
            if answer is Ping.NO_RESPONSE and not runs and processes.postmaster(self.cluster) is None:
                if launched is not None:
                    raise EmbeddedServerError(
                        f"PostgreSQL did not start: {last_error_message(self.logs)} Its log is in {self.logs}."
                    )
                processes.clean_up_after_crash(self.cluster)
                launched = self._launch(programs, account)
            waited = time.monotonic() - started_at
            if waited > START_LIMIT_SECONDS:
                raise EmbeddedServerError(
                    f"PostgreSQL does not respond after {waited:.0f} seconds. Its log is in {self.logs}."
                )
            if waited > next_notice:
                print(
                    f"Waiting for PostgreSQL ({waited:.0f} s). After a crash, it first recovers its files.",
                    file=sys.stderr,
                )
                next_notice += NOTICE_SECONDS
            time.sleep(processes.POLL_SECONDS)

    def _launch(self, programs: Path, account: Account) -> subprocess.Popen[bytes]:
        # The server would not start on a full disk.
        release_when_needed(self.data_directory)
        make_socket_folder(self.socket, account, is_ours=self.socket.parent == self.data_directory)
        self.logs.mkdir(mode=0o700, exist_ok=True)
        account.take_ownership(self.logs)
        for log in self.logs.glob("*.log"):  # In a copied data folder, the server could not write its logs.
            account.take_ownership(log, follow_symlinks=False)
        # The paths are given here and not in postgresql.conf, so that the data folder can be moved.
        places = {
            "listen_addresses": "",
            "unix_socket_directories": f'"{self.socket}"',
            "unix_socket_permissions": "0700",
            "log_directory": str(self.logs),
        }
        arguments = [part for name, value in places.items() for part in ("-c", f"{name}={value}")]
        with open(self.logs / START_LOG, "wb") as output:
            return account.start([programs / "postgres", "-D", self.cluster, *arguments], output)

    def _stop(self) -> None:
        process = processes.postmaster(self.cluster) or processes.launched(self.cluster)
        if process is None:
            return
        process.send_signal(signal.SIGINT)  # A "fast" shutdown: connections are closed, all data is flushed.
        processes.wait_until_ended(process, STOP_LIMIT_SECONDS)
        if not processes.wait_until_gone(self.cluster, STOP_LIMIT_SECONDS):
            print(f"PostgreSQL (process {process.pid}) is still stopping.", file=sys.stderr)
        elif self.socket.parent != self.data_directory:
            self.socket.rmdir()


@functools.cache
def get_server(data_directory: Path) -> Server:
    """Return this process's server object for a data folder. It is released at exit and safe to fork."""
    server = Server(data_directory)
    atexit.register(server.release)
    os.register_at_fork(after_in_child=server.abandon)
    _run_exit_handlers_on_signal()
    return server


def _run_exit_handlers_on_signal() -> None:
    """Run the exit handlers on signals that would end this process at once. Keep existing signal handlers."""
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, lambda received, _frame: sys.exit(128 + received))
