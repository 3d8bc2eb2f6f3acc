"""The life of the embedded server: who needs it starts it, the last one to leave stops it."""

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
"""Recovery after a crash may take minutes. Only a server that hangs takes longer than this."""
STOP_LIMIT_SECONDS = 120.0
PING_LIMIT_SECONDS = 5
FIRST_NOTICE_SECONDS = 3.0
NOTICE_SECONDS = 15.0


class Server:
    """The PostgreSQL of one data folder, shared by all processes that use it. Thread-safe."""

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
        """Have the server running until `release`, or the end of this process. Raises EmbeddedServerError."""
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

    def release(self) -> None:
        """Use the server no longer; it stops when nobody else does."""
        with self._turn:
            if self._lease.is_held:
                with self._lease.exclusive_access():
                    if self._lease.drop():
                        self._stop()

    @contextmanager
    def unused(self) -> Iterator[None]:
        """The time in which the server does not run and nobody can start it.

        Raises ServerInUse or EmbeddedServerError.
        """
        with self._lease.preparation_lock():
            # After `kill -9` of all its users it may still run.
            self._stop()
            processes.clean_up_after_crash(self.cluster)
            yield

    def discard(self) -> None:
        """End the server at once, for its files are not needed. On a full disk an orderly stop takes for ever."""
        with self._turn:
            self._lease.abandon()
            processes.end_at_once(self.cluster)
            if self.socket.parent != self.data_directory:
                shutil.rmtree(self.socket, ignore_errors=True)

    def abandon(self) -> None:
        """In a forked child: what the parent holds is the parent's. The child takes its own share when it connects."""
        self._turn = threading.Lock()
        self._lease.abandon()

    def _ping(self) -> Ping:
        # psycopg's compiled implementation returns a bare number.
        return Ping(PGconn.ping(self._conninfo))

    def _start(self) -> None:
        account = server_account()
        if account.is_other and (closed := account.first_closed_folder(self.cluster)):
            raise EmbeddedServerError(
                f"Under root PostgreSQL runs as the user {account.name}, who may not pass through {closed}: "
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
                    f"PostgreSQL does not answer after {waited:.0f} seconds. Its log is in {self.logs}."
                )
            if waited > next_notice:
                print(
                    f"Waiting for PostgreSQL ({waited:.0f} s). After a crash it first repairs its files.",
                    file=sys.stderr,
                )
                next_notice += NOTICE_SECONDS
            time.sleep(processes.POLL_SECONDS)

    def _launch(self, programs: Path, account: Account) -> subprocess.Popen[bytes]:
        # On a full disk it would not come up.
        release_when_needed(self.data_directory)
        make_socket_folder(self.socket, account, is_ours=self.socket.parent == self.data_directory)
        self.logs.mkdir(mode=0o700, exist_ok=True)
        account.take_ownership(self.logs)
        for log in self.logs.glob("*.log"):  # Those of a copied folder would be closed to the server.
            account.take_ownership(log, follow_symlinks=False)
        # Places are given here and not in postgresql.conf: the data folder can be moved.
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
        process = processes.postmaster(self.cluster)
        if process is None:
            return
        process.send_signal(signal.SIGINT)  # A "fast" shutdown: connections end, everything is written.
        if not processes.wait_until_gone(self.cluster, STOP_LIMIT_SECONDS):
            print(f"PostgreSQL (process {process.pid}) is still stopping.", file=sys.stderr)
        elif self.socket.parent != self.data_directory:
            self.socket.rmdir()


@functools.cache
def get_server(data_directory: Path) -> Server:
    """The server of a data folder as this process shares it: released at its exit, and safe to fork."""
    server = Server(data_directory)
    atexit.register(server.release)
    os.register_at_fork(after_in_child=server.abandon)
    _run_exit_handlers_on_signal()
    return server


def _run_exit_handlers_on_signal() -> None:
    """Have a signal that would end this process on the spot run its exit functions first; handlers that exist stay."""
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, lambda received, _frame: sys.exit(128 + received))
