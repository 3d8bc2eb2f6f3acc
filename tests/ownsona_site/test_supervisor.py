"""Programs that run together: what happens when one ends, when all must stop, and when nobody is left to stop them."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import psutil
import pytest

from ownsona_site.supervisor import stop_signals
from tests.ownsona_site.processes import Child, child, eventually

# Not what the tests' own process was told to ignore, by nohup for one.
SUPERVISE = """
import signal, sys
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
from ownsona_site.supervisor import Program, ProgramEnded, supervise
must_stay = Program("one that stays", [sys.executable, "-c", sys.argv[1]], restarts=False)
may_end = Program("one that restarts", [sys.executable, "-c", sys.argv[2]], restarts=True)
try:
    supervise([must_stay, may_end], is_ready=lambda: True, when_ready=lambda: print("ready", flush=True))
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


def running_programs(parent: Child) -> list[psutil.Process]:
    children = psutil.Process(parent.process.pid).children(recursive=True)
    return [process for process in children if process.cmdline()[:1] == [sys.executable]]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_all_programs_and_is_no_failure(number: signal.Signals) -> None:
    with child("-c", SUPERVISE, STAY, STAY) as supervisor:
        supervisor.wait_for("ready")
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


def test_the_end_of_a_program_that_must_stay_ends_the_others() -> None:
    with child("-c", SUPERVISE, "raise SystemExit(3)", STAY) as supervisor:
        assert supervisor.end() == 1
        assert "The one that stays ended unexpectedly (exit code 3)." in supervisor.output


def test_a_program_that_may_end_is_started_again(tmp_path: Path) -> None:
    note = tmp_path / "starts"
    once = f"open({str(note)!r}, 'a').write('x'); import os; os._exit(1)"
    with child("-c", SUPERVISE, STAY, once) as supervisor:
        assert eventually(lambda: note.exists() and len(note.read_text(encoding="ascii")) >= 2)
        supervisor.process.terminate()
        assert supervisor.end() == 0


def test_programs_do_not_outlive_a_supervisor_that_is_killed() -> None:
    with child("-c", SUPERVISE, STAY, STAY) as supervisor:
        supervisor.wait_for("ready")
        programs = running_programs(supervisor)
        assert len(programs) == 2
        supervisor.process.kill()
        supervisor.process.wait()
        assert eventually(lambda: not any(_lives(each) for each in programs))


def test_a_program_that_ignores_the_request_is_ended_all_the_same(tmp_path: Path) -> None:
    impatient = SUPERVISE.replace(
        "must_stay =", "import ownsona_site.supervisor as s; s.STOP_LIMIT_SECONDS = 0.5\nmust_stay ="
    )
    with child("-c", impatient, STUBBORN, STAY) as supervisor:
        supervisor.wait_for("stubborn")
        programs = running_programs(supervisor)
        supervisor.process.terminate()
        assert supervisor.end() == 0
        assert eventually(lambda: not any(_lives(each) for each in programs))


def test_the_terminals_ctrl_c_reaches_the_supervisor_alone() -> None:
    with child("-c", SUPERVISE, STAY, STAY) as supervisor:
        supervisor.wait_for("ready")
        groups = {os.getpgid(each.pid) for each in running_programs(supervisor)}
        assert os.getpgid(supervisor.process.pid) not in groups
        assert len(groups) == 1


def _lives(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
