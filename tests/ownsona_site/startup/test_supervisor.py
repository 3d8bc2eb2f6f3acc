"""Tests of the supervisor: what happens when its program ends, when it must stop, and when it is killed itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from ownsona_site.startup.supervisor import stop_signals
from tests.support.processes import ROOT, Child, child, command_of, eventually

# Restores the default signals. The process of the tests may ignore some, under nohup for example.
SUPERVISE = """
import signal, sys
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
from ownsona_site.startup.supervisor import Program, ProgramEnded, supervise
program = Program("program", [sys.executable, "-c", sys.argv[1]])
is_ready = sys.argv[2:] != ["never ready"]
try:
    supervise(program, is_ready=lambda: is_ready, when_ready=lambda: print("ready", flush=True))
except ProgramEnded as error:
    sys.exit(str(error))
print("stopped")
"""
STAY = "import signal; signal.pause()"
STUBBORN = """
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("stubborn", flush=True)
while True: signal.pause()
"""

WAIT_FOR_INPUT = """
import os, signal, sys, threading
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
from ownsona_site.startup import supervisor
supervisor.CLEANUP_SECONDS = 0.2
supervisor.exit_on_stop_signal()
supervisor.repeat_stop_signal()
exec(sys.argv[1])
os.read(os.pipe()[0], 1)
"""
# The signal does not interrupt the system call that the main thread waits in, as if it had arrived just before.
IN_ANOTHER_THREAD = """
threading.Timer(0.2, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGHUP)).start()
"""
IN_A_DESTRUCTOR = """
class Ended:
    def __del__(self):
        signal.raise_signal(signal.SIGTERM)
Ended()
"""


def running_programs(parent: Child) -> list[psutil.Process]:
    children = psutil.Process(parent.process.pid).children(recursive=True)
    return [process for process in children if command_of(process)[:1] == [sys.executable]]


def with_a_child(code: str) -> str:
    """Return a program that runs `code` in a child process."""
    return f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}])"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_everything_and_is_no_failure(number: signal.Signals) -> None:
    with child("-c", SUPERVISE, with_a_child(STAY)) as supervisor:
        supervisor.wait_for("ready")
        assert eventually(lambda: len(running_programs(supervisor)) == 2)
        programs = running_programs(supervisor)
        supervisor.process.send_signal(number)
        assert supervisor.end() == 0
        assert "stopped" in supervisor.output
        assert eventually(lambda: not any(_lives(each) for each in programs))


def test_under_nohup_a_closed_terminal_is_no_reason_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "getsignal", lambda _number: signal.SIG_DFL)
    assert signal.SIGHUP in stop_signals()
    monkeypatch.setattr(signal, "getsignal", lambda _number: signal.SIG_IGN)
    assert stop_signals() == [signal.SIGINT, signal.SIGTERM]


def test_before_it_is_ready_the_end_of_the_program_ends_the_supervisor() -> None:
    with child("-c", SUPERVISE, "raise SystemExit(3)", "never ready") as supervisor:
        assert supervisor.end() == 1
        assert "The program ended unexpectedly (exit code 3)." in supervisor.output


def test_a_program_that_ends_is_started_again(tmp_path: Path) -> None:
    note = tmp_path / "starts"
    # The program ends only after the supervisor has seen that it is ready.
    once = f"import os, time; time.sleep(1); open({str(note)!r}, 'a').write('x'); os._exit(1)"
    with child("-c", SUPERVISE, once) as supervisor:
        assert eventually(lambda: note.exists() and len(note.read_text(encoding="ascii")) >= 2)
        supervisor.process.terminate()
        assert supervisor.end() == 0
    assert "ended unexpectedly (exit code 1). It restarts in 1 s." in supervisor.output


@pytest.mark.parametrize("orphan", [STAY, STUBBORN], ids=["obedient", "stubborn"])
def test_what_a_killed_program_has_started_does_not_outlive_it(orphan: str) -> None:
    quick = SUPERVISE.replace(
        "program =", "import ownsona_site.startup.supervisor as s; s.ORPHANS_LIMIT_SECONDS = 0.5\nprogram ="
    )
    with child("-c", quick, with_a_child(orphan)) as supervisor:
        supervisor.wait_for("ready")
        assert eventually(lambda: len(running_programs(supervisor)) == 2)
        killed = next(each for each in running_programs(supervisor) if each.children())
        (left,) = killed.children()
        killed.kill()
        assert eventually(lambda: not _lives(left))
        assert eventually(lambda: len(running_programs(supervisor)) == 2)
        supervisor.process.terminate()
        assert supervisor.end() == 0


def test_the_program_does_not_outlive_a_supervisor_that_is_killed() -> None:
    with child("-c", SUPERVISE, with_a_child(STAY)) as supervisor:
        supervisor.wait_for("ready")
        assert eventually(lambda: len(running_programs(supervisor)) == 2)
        programs = running_programs(supervisor)
        supervisor.process.kill()
        supervisor.process.wait()
        assert eventually(lambda: not any(_lives(each) for each in programs))


def test_a_program_that_ignores_the_request_is_ended_all_the_same(tmp_path: Path) -> None:
    impatient = SUPERVISE.replace(
        "program =", "import ownsona_site.startup.supervisor as s; s.STOP_LIMIT_SECONDS = 0.5\nprogram ="
    )
    with child("-c", impatient, STUBBORN) as supervisor:
        supervisor.wait_for("stubborn")
        programs = running_programs(supervisor)
        supervisor.process.terminate()
        assert supervisor.end() == 0
        assert eventually(lambda: not any(_lives(each) for each in programs))


def test_the_terminals_ctrl_c_reaches_the_supervisor_alone() -> None:
    with child("-c", SUPERVISE, STAY) as supervisor:
        supervisor.wait_for("ready")
        (program,) = running_programs(supervisor)
        assert os.getpgid(program.pid) != os.getpgid(supervisor.process.pid)
        supervisor.process.terminate()
        assert supervisor.end() == 0


def _lives(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize("how_it_arrives", [IN_ANOTHER_THREAD, IN_A_DESTRUCTOR])
def test_a_stop_signal_ends_a_main_thread_that_waits_and_has_not_noticed_it(how_it_arrives: str) -> None:
    program = [sys.executable, "-c", WAIT_FOR_INPUT, how_it_arrives]
    assert subprocess.run(program, cwd=ROOT, timeout=60, check=False).returncode == 0
