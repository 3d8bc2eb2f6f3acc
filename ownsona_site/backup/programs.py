"""Wrappers of PostgreSQL's pg_dump and pg_restore."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Generator, Iterable, Mapping
from contextlib import suppress
from typing import IO, Any

from psycopg.pq import Conninfo

from ownsona_site.backup.errors import BackupError
from ownsona_site.embedded_postgres.binaries import PACKAGE_VERSION, packaged_programs

CHUNK_BYTES = 1024 * 1024
LOCK_WAIT_MILLISECONDS = 60_000
VERSION = PACKAGE_VERSION
MAJOR_VERSION = int(PACKAGE_VERSION.partition(".")[0])
STOP_SECONDS = 10.0
# A parallel index build needs more shared memory than containers have.
LOAD_OPTIONS = "-c maintenance_work_mem=512MB -c max_parallel_maintenance_workers=0"


def dumped(database: Mapping[str, Any], snapshot: str) -> Generator[bytes]:
    """Yield a dump of `snapshot` in PostgreSQL's custom format, in chunks. Raises BackupError.

    `database` holds connection parameters for psycopg.
    """
    options = ["--format=custom", f"--snapshot={snapshot}", f"--lock-wait-timeout={LOCK_WAIT_MILLISECONDS}"]
    with tempfile.TemporaryFile() as complaints:
        process = _start("pg_dump", options, database, complaints, stdout=subprocess.PIPE)
        assert process.stdout is not None
        try:
            while chunk := process.stdout.read(CHUNK_BYTES):
                yield chunk
            _require_success("pg_dump", process, complaints)
        finally:
            _end(process)


def load(database: Mapping[str, Any], dump: Iterable[bytes]) -> None:
    """Restore a dump into the database in a single transaction. Raises BackupError."""
    # Owners, privileges and comments on extensions are specific to the server of the dump.
    options = ["--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges", "--no-comments"]
    options.append(f"--dbname={database['dbname']}")
    with tempfile.TemporaryFile() as complaints:
        given = f"{database.get('options') or ''} {LOAD_OPTIONS}".strip()
        process = _start("pg_restore", options, {**database, "options": given}, complaints, stdin=subprocess.PIPE)
        assert process.stdin is not None
        try:
            _feed(process.stdin, dump)
            _require_success("pg_restore", process, complaints)
        finally:
            _end(process)


def _feed(stdin: IO[bytes], dump: Iterable[bytes]) -> None:
    # The pipe breaks if the program has ended. Its error output has the reason.
    with suppress(BrokenPipeError):
        for chunk in dump:
            stdin.write(chunk)
        stdin.close()


def _start(
    name: str,
    options: list[str],
    database: Mapping[str, Any],
    complaints: IO[bytes],
    *,
    stdin: int = subprocess.DEVNULL,
    stdout: int = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - the programs are PostgreSQL's own
        [str(packaged_programs() / name), "--no-password", *options],
        stdin=stdin,
        stdout=stdout,
        stderr=complaints,
        env=_environment(database),
        # Ctrl-C in the terminal must reach this process only: it ends the child and prints a single message.
        start_new_session=True,
    )


def _environment(database: Mapping[str, Any]) -> dict[str, str]:
    """Return the connection parameters as variables of libpq: all users could see a password in an argument."""
    known = {option.keyword.decode(): option.envvar for option in Conninfo.get_defaults()}
    # Parameters such as `dbname` and `host` are in `database`. Other libpq variables apply as they do for Django.
    own = {
        variable.decode(): str(value)
        for name, value in database.items()
        if value is not None and (variable := known.get(name))
    }
    return {**os.environ, "LC_ALL": "C", **own}


def _require_success(name: str, process: subprocess.Popen[bytes], complaints: IO[bytes]) -> None:
    if process.wait() == 0:
        return
    complaints.seek(0)
    lines = complaints.read().decode(errors="replace").splitlines()
    said = next((line for line in lines if "error:" in line), (lines or ["it printed no message"])[-1])
    raise BackupError(f"{name} failed: {said.partition('error: ')[2] or said}")


def _end(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout):
        if stream is not None and not stream.closed:
            with suppress(BrokenPipeError):
                stream.close()
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
