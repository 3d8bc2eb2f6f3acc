"""Tests of `manage.py serve` as a user runs it: start the process, send requests, stop it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import httpx
import psutil
import psycopg
import pytest

from ownsona_site.embedded_postgres.processes import server_processes
from ownsona_site.embedded_postgres.socket_folder import socket_folder
from ownsona_site.startup import job_worker
from ownsona_site.startup.serving import LISTENING_ON
from tests.support.first_database import copy_first_database
from tests.support.live_server import live_server
from tests.support.processes import ROOT, Child, child, command_of, eventually, listens, temporary_data_directory

READY = "Stop with Ctrl-C."


@pytest.fixture(scope="module")
def data_directory() -> Iterator[Path]:
    """A data folder for all tests of this file. A later start uses the files of the earlier ones."""
    with temporary_data_directory() as path:
        copy_first_database(path)
        yield path


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(data_directory: Path, port: int, **settings: str) -> dict[str, str]:
    own = {"OWNSONA_DATA_DIR": str(data_directory), "PORT": str(port), "WEB_CONCURRENCY": "1"}
    return {**own, "DJANGO_SETTINGS_MODULE": "ownsona_site.settings", "EMBEDDING_PROVIDER": "fake", **settings}


def serving(data_directory: Path, port: int, **settings: str) -> AbstractContextManager[Child]:
    return child("manage.py", "serve", environment=environment(data_directory, port, **settings))


def health(port: int) -> httpx.Response:
    return httpx.get(f"http://127.0.0.1:{port}/health", timeout=30)


def gunicorn_processes(server: Child) -> list[psutil.Process]:
    """Return the processes of gunicorn: first the parent, then the web processes and the job process."""
    children = psutil.Process(server.process.pid).children(recursive=True)
    return [each for each in children if "gunicorn" in command_of(each)]


def job_process(server: Child) -> psutil.Process:
    """Return the process of gunicorn that does not listen, as soon as it exists."""
    found: list[psutil.Process] = []

    def exists() -> bool:
        found[:] = [each for each in gunicorn_processes(server)[1:] if not listens(each)]
        return len(found) == 1

    assert eventually(exists)
    return found[0]


def is_done(data_directory: Path, port: int) -> bool:
    """Queue a job, and return whether it is carried out in time."""
    defer = ["procrastinate", "defer", "procrastinate.builtin_tasks.remove_old_jobs", '{"max_hours": 1}']
    subprocess.run(
        [sys.executable, "manage.py", *defer],
        env={**os.environ, **environment(data_directory, port)},
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    with psycopg.connect(
        host=str(socket_folder(data_directory)), user="ownsona", dbname="ownsona", autocommit=True
    ) as connection:
        query = "SELECT status FROM procrastinate_jobs WHERE task_name LIKE '%remove_old_jobs' ORDER BY id DESC LIMIT 1"
        return eventually(lambda: connection.execute(query).fetchone() == ("succeeded",))


def nothing_runs(data_directory: Path) -> bool:
    return not server_processes(data_directory / "postgres")


def test_it_serves_shows_the_login_once_and_stops_cleanly(port: int) -> None:
    with temporary_data_directory() as data_directory:
        with serving(data_directory, port) as first:
            first.wait_for(READY)
            assert f"http://127.0.0.1:{port}/mcp" in first.output
            assert re.search(r"name +owner\n +password +(\w{5}-){3}\w{5}\n", first.output)
            hint = re.search(r"^ +(\S+) manage.py changepassword owner$", first.output, re.MULTILINE)
            assert hint is not None
            assert os.access(ROOT / hint[1], os.X_OK)
            assert "Launching" not in first.output
            assert health(port).json()["status"] == "ok"
            first.process.send_signal(signal.SIGTERM)
            assert first.end() == 0
        assert nothing_runs(data_directory)
        with serving(data_directory, port) as second:
            second.wait_for(READY)
            assert "password" not in second.output
            second.process.send_signal(signal.SIGINT)
            assert second.end() == 0
            assert "Traceback" not in second.output
        assert nothing_runs(data_directory)


def test_a_start_says_that_it_sets_a_changed_password_back() -> None:
    warning = "Warning. OWNSONA_LOGIN_PASSWORD: the owner's password differed"
    with temporary_data_directory() as data_directory:
        for password, is_warned in (("the first long password", False), ("another long password", True)):
            with live_server(data_directory, OWNSONA_LOGIN_PASSWORD=password) as server:
                said = "".join(server.output)
                assert (warning in said) is is_warned
                assert password not in said


def test_a_client_that_keeps_its_connection_does_not_hold_up_the_stop(data_directory: Path, port: int) -> None:
    with serving(data_directory, port) as server, httpx.Client() as client:
        server.wait_for(READY)
        assert client.get(f"http://127.0.0.1:{port}/health").headers.get("connection") != "close"
        server.process.terminate()
        assert server.end() == 0
    # The message of gunicorn when the time for a graceful stop is over.
    assert "Forcing close" not in server.output


def test_a_url_of_eight_thousand_characters_is_answered() -> None:
    with live_server() as server:
        assert httpx.get(f"http://127.0.0.1:{server.port}/login/?next=/{'s' * 8000}").status_code == 200


def test_two_servers_on_one_data_folder_share_the_database(data_directory: Path, port: int) -> None:
    with serving(data_directory, port) as one:
        one.wait_for(READY)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            other_port = int(probe.getsockname()[1])
        with serving(data_directory, other_port) as two:
            two.wait_for(READY)
            one.process.terminate()
            assert one.end() == 0
            assert health(other_port).status_code == 200
            two.process.terminate()
            assert two.end() == 0
    assert nothing_runs(data_directory)


def test_a_killed_server_frees_its_port_and_the_next_start_heals(data_directory: Path, port: int) -> None:
    with serving(data_directory, port) as killed:
        killed.wait_for(READY)
        killed.process.kill()
        killed.process.wait()
    assert eventually(lambda: nothing_runs(data_directory))
    with serving(data_directory, port) as server:
        server.wait_for(READY)
        assert health(port).status_code == 200


def test_a_taken_port_is_found_before_anything_is_started(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = int(other.getsockname()[1])
        with serving(tmp_path / "data", taken) as server:
            assert server.end() == 1
    assert f"Port {taken} is used" in server.output
    assert f"PORT={taken + 1}" in server.output
    assert "Traceback" not in server.output
    assert not (tmp_path / "data" / "postgres").exists()


def test_wrong_settings_are_all_named_before_anything_is_started(tmp_path: Path) -> None:
    with serving(tmp_path / "data", 0, WEB_THREADS="lots", OWNSONA_PUBLIC_URL="nonsense") as server:
        assert server.end() == 1
    lines = server.output.splitlines()
    assert len(lines) == 3
    for name, line in zip(("PORT", "WEB_THREADS", "OWNSONA_PUBLIC_URL"), lines, strict=True):
        assert line.startswith(f"OwnSona cannot start. {name}: ")
    assert not (tmp_path / "data" / "postgres").exists()


def test_a_database_that_cannot_be_reached_is_one_line(tmp_path: Path, port: int) -> None:
    with serving(tmp_path / "data", port, DATABASE_URL="postgresql://me@127.0.0.1:1/mine") as server:
        assert server.end() == 1
    (line,) = server.output.splitlines()
    assert line.startswith("OwnSona cannot start. DATABASE_URL: the database is not usable: ")


def test_a_warning_is_one_line_and_stops_nothing(data_directory: Path, port: int) -> None:
    with serving(data_directory, port, OWNSONA_PUBLIC_URL="http://memory.example") as server:
        server.wait_for(READY)
        assert server.output.startswith("Warning. OWNSONA_PUBLIC_URL: http://memory.example sends passwords")
        server.process.terminate()
        assert server.end() == 0


def test_a_second_start_on_the_same_port_says_that_it_runs_already(data_directory: Path, port: int) -> None:
    with serving(data_directory, port) as one:
        one.wait_for(READY)
        with serving(data_directory, port) as two:
            assert two.end() == 1
        assert two.output == (
            f"OwnSona cannot start. OwnSona is already running at http://127.0.0.1:{port}. Stop it first.\n"
        )
        one.process.terminate()
        assert one.end() == 0


@pytest.mark.parametrize("secret_key", ["", "x" * 64], ids=["generated key", "configured key"])
def test_a_data_folder_that_cannot_be_used_is_one_line(tmp_path: Path, port: int, secret_key: str) -> None:
    (tmp_path / "file").touch()
    with serving(tmp_path / "file" / "data", port, SECRET_KEY=secret_key) as server:
        assert server.end() == 1
    assert "OWNSONA_DATA_DIR" in server.output
    assert str(tmp_path / "file") in server.output
    assert "Traceback" not in server.output


def test_an_empty_secret_key_file_stops_the_start_with_one_line(tmp_path: Path, port: int) -> None:
    (tmp_path / "secret_key").touch()
    with serving(tmp_path, port, SECRET_KEY="") as server:
        assert server.end() == 1
    (line,) = server.output.splitlines()
    assert line.startswith(f"OwnSona cannot start. SECRET_KEY: The file {tmp_path / 'secret_key'} is empty. Restore it")
    assert not (tmp_path / "postgres").exists()


def test_jobs_are_done_also_after_the_job_process_was_killed(data_directory: Path, port: int) -> None:
    with serving(data_directory, port) as server:
        server.wait_for(READY)
        killed = job_process(server)
        killed.kill()
        assert is_done(data_directory, port)
        assert job_process(server) != killed
        server.process.terminate()
        assert server.end() == 0
    assert "The job process ended unexpectedly. It restarts in 1 s." in server.output


def test_a_killed_web_server_is_started_again_with_its_jobs_and_leaves_no_old_process(
    data_directory: Path, port: int
) -> None:
    with serving(data_directory, port, WEB_CONCURRENCY="2") as server:
        server.wait_for(READY)
        # One web process answers as soon as it is ready, whether or not the others have been forked yet.
        assert eventually(lambda: len(gunicorn_processes(server)) == 4)
        before = gunicorn_processes(server)
        before[0].kill()
        # A new gunicorn with two web processes and a job process. None of the old ones holds the socket any more.
        assert eventually(lambda: len(now := gunicorn_processes(server)) == 4 and not set(before) & set(now))
        assert eventually(lambda: not any(each.is_running() for each in before))
        assert health(port).json()["status"] == "ok"
        assert is_done(data_directory, port)
        after = gunicorn_processes(server)
        server.process.terminate()
        assert server.end() == 0
    assert not any(each.is_running() for each in after)
    assert "The web server ended unexpectedly (exit code -9). It restarts in 1 s." in server.output


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts the memory that processes share")
def test_the_job_process_shares_the_memory_of_what_was_loaded_before(data_directory: Path, port: int) -> None:
    with serving(data_directory, port) as server:
        server.wait_for(READY)
        jobs = job_process(server)
        assert is_done(data_directory, port)
        memory = jobs.memory_full_info()
        assert memory.uss < memory.rss / 3
        assert jobs.name() == job_worker.NAME
        server.process.terminate()
        assert server.end() == 0


@pytest.mark.skipif(not hasattr(psutil.Process, "memory_maps"), reason="this system does not list loaded libraries")
def test_the_supervisor_loads_no_apps(data_directory: Path, port: int) -> None:
    def libraries(process: psutil.Process) -> str:
        return " ".join(loaded.path for loaded in process.memory_maps())

    with serving(data_directory, port) as server:
        server.wait_for(READY)
        supervisor, (web, *_) = psutil.Process(server.process.pid), gunicorn_processes(server)
        assert "psycopg" in libraries(supervisor)
        assert "numpy" not in libraries(supervisor)
        assert "numpy" in libraries(web)
        server.process.terminate()
        assert server.end() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_signal_during_the_start_ends_everything(
    data_directory: Path, port: int, number: signal.Signals
) -> None:
    for seconds in (1.0, 2.0):
        with serving(data_directory, port) as server:
            time.sleep(seconds)
            server.process.send_signal(number)
            assert server.end() in {0, 128 + number, -number}, server.output
        assert eventually(lambda: not server_processes(data_directory / "postgres"))


def test_a_stop_signal_while_the_supervisor_starts_ends_everything(data_directory: Path, port: int) -> None:
    with serving(data_directory, port) as server:
        process = psutil.Process(server.process.pid)
        assert eventually(lambda: LISTENING_ON in command_of(process))
        process.terminate()
        assert server.end() == 0, server.output
    assert nothing_runs(data_directory)


def test_the_database_can_be_asked_with_psql(data_directory: Path, port: int) -> None:
    result = subprocess.run(
        [sys.executable, "manage.py", "dbshell", "--", "--tuples-only", "--command", "SELECT 6 * 7"],
        env={**os.environ, **environment(data_directory, port)},
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    assert result.stdout.strip() == "42"
