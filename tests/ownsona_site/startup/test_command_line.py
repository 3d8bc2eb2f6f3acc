"""Tests of `manage.py` in a data folder that was never started, and of its help and error messages."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from django.conf import settings
from django.db import OperationalError, ProgrammingError
from psycopg import errors

from ownsona_site.settings import VERSION
from ownsona_site.startup import command_line, supervisor
from ownsona_site.startup.database_errors import explained, not_prepared
from tests.support import first_database
from tests.support.live_server import live_server, server_environment
from tests.support.processes import ROOT, eventually, temporary_data_directory

NEED_TABLES = (
    "export_memories",
    "evaluate_recall",
    "reembed",
    "rotate_keys",
    "unlock_login",
    "create_token backup",
    "two_step_off owner",
    "changepassword owner",
)


def manage(data_directory: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=server_environment(data_directory, 8000, EMBEDDING_PROVIDER="fake", **environment),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def never_started() -> Iterator[Path]:
    with temporary_data_directory() as path:
        yield path


@pytest.fixture
def new_folder() -> Iterator[Path]:
    with temporary_data_directory() as path:
        yield path


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    file = tmp_path / "facts.txt"
    file.write_text("I like tea\nThe cat is called Mimi\n", encoding="utf-8")
    return file


@pytest.mark.parametrize("arguments", [("--version",), ("version",)])
def test_the_version_is_that_of_ownsona_and_makes_no_data_folder(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = manage(tmp_path / "data", *arguments)
    assert (done.stdout, done.returncode) == (f"OwnSona {VERSION}\n", 0)
    assert not (tmp_path / "data").exists()


def test_a_command_tells_the_same_version(tmp_path: Path) -> None:
    assert manage(tmp_path, "export_memories", "--version").stdout == f"OwnSona {VERSION}\n"


@pytest.mark.parametrize("command", NEED_TABLES)
def test_a_command_says_in_one_line_that_there_are_no_tables_yet(never_started: Path, command: str) -> None:
    done = manage(never_started, *command.split())
    assert done.returncode == 1
    assert f"The database in {never_started} is not ready: " in done.stderr
    assert "OWNSONA_DATA_DIR" in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_doctor_says_that_the_data_folder_is_another_one(never_started: Path) -> None:
    done = manage(never_started, "doctor")
    assert done.returncode == 1
    assert f"The database in {never_started} has no tables yet." in " ".join(done.stdout.split())
    assert "OWNSONA_DATA_DIR" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_an_import_prepares_a_new_data_folder_and_a_first_start_waits_for_it(
    new_folder: Path, facts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The folder must not be filled with a copy of a prepared database.
    monkeypatch.setattr(first_database, "folder", None)
    environment = server_environment(new_folder, 8000, EMBEDDING_PROVIDER="fake")
    command = [sys.executable, "manage.py", "import", str(facts)]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as run:
        try:
            assert eventually((new_folder / "postgres").exists)
            with live_server(new_folder, EMBEDDING_PROVIDER="fake") as server:
                said, _ = run.communicate(timeout=300)
                assert server.login[0] == "owner"  # The first start generates the password, as usual.
        finally:
            run.kill()
    assert (run.returncode, said.decode().splitlines()[0]) == (0, "2 inserted, 0 duplicates, 0 failed")
    again = manage(new_folder, "import", str(facts))
    assert again.stdout.splitlines()[0] == "0 inserted, 2 duplicates, 0 failed"
    assert len(manage(new_folder, "export_memories").stdout.splitlines()) == 2


def test_an_import_leaves_tables_of_another_version_alone(new_folder: Path, facts: Path) -> None:
    assert manage(new_folder, "migrate", "memories", "0001", "--verbosity=0").returncode == 0
    done = manage(new_folder, "import", str(facts))
    assert (done.returncode, done.stderr) == (
        1,
        f"CommandError: {not_prepared().replace(str(settings.DATA_DIR), str(new_folder))}\n",
    )
    assert "Traceback" not in done.stderr


# --- Errors with an explanation


def test_errors_of_a_database_that_is_not_ready_are_explained() -> None:
    for cause in (errors.UndefinedTable(), errors.UndefinedColumn(), errors.UndefinedFunction()):
        error = ProgrammingError("relation does not exist")
        error.__cause__ = cause
        assert explained(error) == explained(cause) == not_prepared()
    assert explained(OperationalError("no route to host\nmore")) == "The database is not usable: no route to host"
    assert explained(ProgrammingError("a syntax error")) is None
    assert explained(ValueError("something else")) is None


@pytest.mark.parametrize(
    ("error", "arguments"),
    [(ProgrammingError("a mistake of ours"), []), (OperationalError("gone"), ["--traceback"])],
)
def test_what_cannot_be_explained_and_what_is_asked_for_in_full_is_raised(
    monkeypatch: pytest.MonkeyPatch, error: Exception, arguments: list[str]
) -> None:
    def fail(_: object) -> None:
        raise error

    monkeypatch.setattr(command_line._Utility, "execute", fail)
    with pytest.raises(type(error)):
        command_line.run(["manage.py", "export_memories", *arguments])


def test_what_fails_because_of_a_stop_signal_is_not_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "_stopped_by", [])
    monkeypatch.setattr(supervisor, "stop_signals", lambda: [signal.SIGUSR1])

    def be_interrupted_in_a_query(_: object) -> None:
        supervisor.exit_on_stop_signal()
        with suppress(SystemExit):
            signal.raise_signal(signal.SIGUSR1)
        raise OperationalError("another command is already in progress")

    monkeypatch.setattr(command_line._Utility, "execute", be_interrupted_in_a_query)
    before = signal.getsignal(signal.SIGUSR1)
    try:
        with pytest.raises(SystemExit) as exit_:
            command_line.run(["manage.py", "serve"])
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert exit_.value.code == 0


def test_a_command_whose_output_nobody_reads_ends_without_a_traceback(never_started: Path) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    with os.fdopen(writes, "wb") as unread:
        done = subprocess.run(
            [sys.executable, "manage.py", "help"],
            cwd=ROOT,
            env=server_environment(never_started, 8000),
            stdout=unread,
            stderr=subprocess.PIPE,
            text=True,
            timeout=300,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, "")
