"""Tests of `manage.py mcp_stdio` as a client uses it: start the program, exchange messages, end it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ownsona_site.embedded_postgres.processes import server_processes
from tests.support.first_database import copy_first_database
from tests.support.line_client import LIMIT_SECONDS, MODERN_META, LineClient
from tests.support.live_server import live_server, server_environment
from tests.support.processes import ROOT, eventually, temporary_data_directory


class Program(LineClient):
    """The client of a running program, with access to its error output."""

    def __init__(self, process: subprocess.Popen[bytes], errors: Path) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        super().__init__(process.stdin.fileno(), process.stdout.fileno())
        self.process = process
        self._errors = errors

    @property
    def errors(self) -> str:
        return self._errors.read_text(encoding="utf-8")

    def hang_up(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def end(self) -> int:
        """Read the remaining output, which must consist of messages, and wait for the exit. Return the exit code."""
        while self.next() is not None:
            pass
        return self.process.wait(LIMIT_SECONDS)


@pytest.fixture(autouse=True)
def hang_ups_are_heard() -> Iterator[None]:
    """The default handling of SIGHUP. Under nohup, the tests and the programs that they start would ignore it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@contextmanager
def started(data_directory: Path, *options: str, **settings: str) -> Iterator[Program]:
    """Start the program in a folder other than the project's. Kill it at the end."""
    errors = data_directory / "errors.txt"
    with errors.open("wb") as stderr:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), "mcp_stdio", *options],
            cwd="/",
            env=server_environment(data_directory, 8000, **{"PYTHONPATH": str(ROOT), **settings}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
        )
    with process:
        try:
            yield Program(process, errors)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def data_directory() -> Iterator[Path]:
    """A data folder for all tests of this file. A later start uses the files of the earlier ones."""
    with temporary_data_directory() as path:
        copy_first_database(path)
        yield path


def nothing_runs(data_directory: Path) -> bool:
    return not server_processes(data_directory / "postgres")


def test_it_works_alone_from_the_first_start_and_leaves_the_login_to_the_server() -> None:
    with temporary_data_directory() as data_directory:
        with started(data_directory) as program:
            program.initialize()
            assert program.call("remember", text="My dog is called Mochi")["ok"]
            program.hang_up()
            assert program.end() == 0
            assert program.errors == ""
        assert nothing_runs(data_directory)
        with live_server(data_directory) as server:
            assert server.login[0] == "owner"


def test_it_shares_memories_with_a_server_that_runs(data_directory: Path) -> None:
    with live_server(data_directory) as server, started(data_directory) as program:
        program.initialize()
        assert program.call("remember", text="I play the cello")["ok"]
        assert "I play the cello" in server.manage("export_memories")
        program.hang_up()
        assert program.end() == 0
        assert server.process.poll() is None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_and_the_database_that_it_started(data_directory: Path, number: signal.Signals) -> None:
    with started(data_directory) as program:
        program.initialize()
        program.send("subscriptions/listen", {"notifications": {}, "_meta": MODERN_META}, request_id=1)
        assert program.message()["method"] == "notifications/subscriptions/acknowledged"
        program.process.send_signal(number)
        assert program.end() == 0
        assert "Traceback" not in program.errors
    assert nothing_runs(data_directory)


def test_a_signal_ends_it_also_when_the_client_reads_nothing_of_a_long_answer(data_directory: Path) -> None:
    with started(data_directory) as program:
        program.initialize()
        for number in range(20):
            program.send("tools/list", request_id=number)
        assert program.process.stdout is not None
        # The responses have begun, and they are too long to fit into a pipe.
        assert program.message()["result"]["tools"]
        program.process.terminate()
        assert program.process.wait(LIMIT_SECONDS) == 0
        assert "Traceback" not in program.errors


def test_a_client_that_reads_no_more_ends_it_quietly(data_directory: Path) -> None:
    with started(data_directory) as program:
        program.initialize()
        assert program.process.stdout is not None
        program.process.stdout.close()
        program.send("ping", request_id=1)
        assert program.process.wait(LIMIT_SECONDS) == 0
        assert "Traceback" not in program.errors


def test_after_a_kill_the_next_one_heals(data_directory: Path) -> None:
    with started(data_directory) as killed:
        killed.initialize()
        killed.process.kill()
        killed.process.wait()
    with started(data_directory) as program:
        program.initialize()
        assert program.call("count_memories")["ok"]
        program.hang_up()
        assert program.end() == 0
    assert eventually(lambda: nothing_runs(data_directory))


def test_what_a_library_prints_goes_to_the_log(data_directory: Path) -> None:
    with started(data_directory, DJANGO_SETTINGS_MODULE="tests.support.mcp.printing_tool_settings") as program:
        program.initialize()
        assert program.answer_to("tools/call", name="chatter")["result"]["content"] == []
        program.hang_up()
        assert program.end() == 0
        for source in ("Python", "C", "a child"):
            assert f"{source} prints\n" in program.errors


def test_with_read_only_nothing_is_changed(data_directory: Path) -> None:
    with started(data_directory, "--read-only", "--tags", "Coding", "--profile", "core") as program:
        program.initialize()
        refused = program.answer_to("tools/call", name="remember", arguments={"text": "New", "tags": ["software"]})
        assert refused["error"]["data"]["required_scope"] == "memory:write"
        assert program.call("list_memories")["memories"] == []
        tools = {tool["name"] for tool in program.answer_to("tools/list")["result"]["tools"]}
        assert "recall" in tools
        assert "export_memories" not in tools
        program.hang_up()
        assert program.end() == 0


@pytest.mark.parametrize(
    ("options", "settings", "complaint"),
    [
        (["--user", "nobody"], {}, "There is no user 'nobody'."),
        (["--tags", "x" * 200], {}, "tags: "),
        ([], {"WEB_THREADS": "lots"}, "WEB_THREADS: "),
        ([], {"DATABASE_URL": "postgresql://me@127.0.0.1:1/mine"}, "The database is not usable: "),
    ],
)
def test_what_keeps_it_from_starting_is_one_line_in_the_log(
    data_directory: Path, options: list[str], settings: dict[str, str], complaint: str
) -> None:
    with started(data_directory, *options, **settings) as program:
        assert program.end() == 1
        (line,) = program.errors.splitlines()
        assert line.startswith("CommandError: ")
        assert complaint in line
