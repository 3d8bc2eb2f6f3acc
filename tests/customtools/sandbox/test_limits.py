"""Tests of the limits of scripts: time, memory, log, context calls and results."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from customtools.errors import ToolError, ToolTimeout
from customtools.limits import MAX_CONTEXT_CALLS, MAX_LOG_LINES
from customtools.sandbox import process as process_module
from customtools.sandbox.frames import encode_frame
from customtools.sandbox.pool import SandboxPool, pool
from customtools.sandbox.process import CHILD_MODULE, SandboxProcess
from tests.customtools.sandbox import impatient_child
from tests.customtools.sandbox.support import run_body, run_script, tool_with
from tests.support.processes import command_of

TOO_SLOW = {
    "a loop": "while true do end",
    "a loop that catches errors": "while true do pcall(function() while true do end end) end",
    "a loop that catches errors with a handler": "while true do xpcall(function() while true do end end, print) end",
    "a loop in coroutines": "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
    "a loop in a wrapped coroutine": "coroutine.wrap(function() while true do end end)()",
    "a loop in a metamethod": "return setmetatable({}, {__index = function() while true do end end}).x",
    "a loop in a comparison": "table.sort({3, 2, 1}, function() while true do end end)",
    "a loop in a closing variable": "local x <close> = setmetatable({}, {__close = function() while true do end end})",
    "a loop with goto": "::again:: goto again",
    "endless tail calls": "local function f() return f() end return f()",
    "a pattern bomb": 'return ("a"):rep(30000):find(("a*"):rep(30) .. "b")',
    "a caught pattern bomb": 'while true do pcall(string.find, ("a"):rep(30000), ("a*"):rep(30) .. "b") end',
    "many patterns": 'return ("a"):rep(500000):gsub(".-b", "")',
    "a long concatenation": "local t = {} for i = 1, 1e9 do t[i % 100] = i end",
}

TOO_LARGE = {
    "a growing table": "local t = {} while true do t[#t + 1] = {} end",
    "a growing text": 'local s = "x" while true do s = s .. s end',
    "string.rep": 'return ("x"):rep(1e9)',
    "nested string.rep": 'return (("x"):rep(1e6)):rep(1e6)',
    "string.format": 'local t = {} while true do t[#t + 1] = string.format("%099d", #t):rep(1000) end',
    "table.concat": 'local t = {("x"):rep(1e4)} while true do t[#t + 1] = table.concat(t) end',
    "gsub": 'local s = ("x"):rep(1e6) while true do s = s:gsub("x", "xx") end',
    "table.pack": "local t = {} while true do t[#t + 1] = table.pack(table.unpack(t)) end",
    "closures": "local t = {} while true do local x = {} t[#t + 1] = function() return x end end",
    "coroutines": "local t = {} while true do t[#t + 1] = coroutine.create(function() end) end",
}

ENDLESS_RECURSION = {
    "a function": "local function f() return 1 + f() end return f()",
    "pcall": "local function f() return 1 + select(2, pcall(f)) end return f()",
    "a metamethod": "return setmetatable({}, {__index = function(t, k) return t[k .. 1] end}).x",
    "tostring": "local t = {} setmetatable(t, {__tostring = function(t) return tostring(t) end}) return tostring(t)",
    "gsub": 'local function f() return (("x"):gsub("x", f)) end return f()',
    "coroutines": "local function f() return coroutine.wrap(f)() end return f()",
    "an error handler": "local function f() error('x') end return xpcall(f, f)",
}


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have scripts run with less processor time."""
    pool.close()
    monkeypatch.setattr(process_module, "CHILD_MODULE", impatient_child.__name__)
    yield
    pool.close()


@pytest.mark.parametrize("script", TOO_SLOW)
def test_a_script_that_does_not_end_is_ended(script: str, impatient: None) -> None:
    with pytest.raises(ToolTimeout, match="processor time"):
        run_body(TOO_SLOW[script])
    assert run_body("return 1") == 1


def test_the_line_of_a_loop_is_named() -> None:
    with pytest.raises(ToolTimeout) as caught:
        run_script("tool = {}\nfunction tool.execute()\n  local x = 1\n  while true do x = x + 1 end\nend")
    assert caught.value.line == 4


def test_an_error_in_a_tail_call_has_no_line() -> None:
    """Lua replaces the function that ends with `return f()`, so nobody knows the line any more."""
    failing = "local function f() error('no', 2) end\n"
    for ending, line in (("return f()", 0), ("local x = f() return x", 4), ("return (f())", 4)):
        with pytest.raises(ToolError) as caught:
            run_body(f"{failing}{ending}")
        assert (caught.value.plain, caught.value.line) == ("no", line)


@pytest.mark.parametrize("script", TOO_LARGE)
def test_a_script_that_needs_too_much_memory_is_ended(script: str) -> None:
    with pytest.raises((ToolError, ToolTimeout)) as caught:
        run_body(TOO_LARGE[script])
    problem = str(caught.value)
    assert any(known in problem for known in ("MB of memory", "too large", "too many results", "processor time")), (
        problem
    )
    assert run_body("return 1") == 1


def test_a_lack_of_memory_that_is_caught_gives_no_more() -> None:
    body = 'local t = {} while true do pcall(function() while true do t[#t + 1] = ("x"):rep(1e5) .. #t end end) end'
    with pytest.raises((ToolError, ToolTimeout)):
        run_body(body)


@pytest.mark.parametrize("script", ENDLESS_RECURSION)
def test_endless_recursion_ends(script: str) -> None:
    try:
        result = run_body(ENDLESS_RECURSION[script])
    except (ToolError, ToolTimeout) as error:
        result = error
    assert not isinstance(result, ToolError) or result.reason != "crash"
    assert run_body("return 1") == 1


def test_a_script_that_prints_too_much_is_ended_and_its_first_lines_are_kept() -> None:
    logged: list[str] = []
    with pytest.raises(ToolError, match="logged more than"):
        run_script(tool_with('while true do print("line") end'), logged=logged)
    assert logged == ["line"] * MAX_LOG_LINES


def test_printing_megabytes_is_ended_even_if_errors_are_caught() -> None:
    logged: list[str] = []
    with pytest.raises(ToolError, match="logged more than"):
        run_script(tool_with('while true do pcall(print, ("x"):rep(1e6)) end'), logged=logged)
    assert logged == []


def test_the_context_can_be_used_a_limited_number_of_times() -> None:
    body = "local n = 0 for i = 1, params.tries do if pcall(context.recall, 'x') then n = n + 1 end end return n"
    assert run_body(body, tries=MAX_CONTEXT_CALLS + 5) == MAX_CONTEXT_CALLS


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ('return ("x"):rep(1e6 + 1)', "more than 1,000,000 bytes"),
        ("local t = {} for i = 1, 100001 do t[i] = 1 end return t", "more than 100,000 values"),
        ("local t = {} t.t = t return t", "nested deeper than 32 levels"),
        ("return 0/0", "not a number"),
        ("return {1/0}", "infinite"),
        ("return print", "contains a function"),
        ("return coroutine.create(print)", "contains a function"),
        ("return {[1.5] = 1}", "key"),
        ("return {[{}] = 1}", "key"),
        ('return "\\255"', "not UTF-8"),
    ],
)
def test_a_result_that_cannot_be_returned_says_why(body: str, problem: str) -> None:
    with pytest.raises(ToolError, match=problem):
        run_body(body)


def test_elapsed_time_is_limited_too(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ToolTimeout, match=r"longer than 0\.2 seconds"):
        run_script(tool_with('return ("a"):rep(30000):find(("a*"):rep(30) .. "b")'), seconds=0.2)
    assert run_body("return 1") == 1


def test_concurrent_calls_are_not_affected() -> None:
    stopped: list[Exception] = []

    def loop() -> None:
        try:
            run_body("while true do end")
        except ToolTimeout as error:
            stopped.append(error)

    threads = [threading.Thread(target=loop) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert [run_body("return params.n", n=number) for number in range(50)] == list(range(50))
    assert not stopped
    for thread in threads:
        thread.join()
    assert len(stopped) == 2


def test_a_thousand_calls_leave_no_process_and_no_memory() -> None:
    own = SandboxPool()
    server = psutil.Process()
    sandboxes = sandboxes_of(server)
    command: dict[str, Any] = {
        "action": "execute",
        "source": tool_with("local t = {} for i = 1, 1000 do t[i] = {i} end return #t"),
    }
    command |= {"parameters": {}, "now": ""}

    def call() -> Any:
        return own.run(1, command, 60, lambda name, given: (True, None), lambda line: None)

    for _ in range(100):
        assert call() == 1000
    (pid,) = own.idle_pids()
    before = psutil.Process(pid).memory_info().rss, server.memory_info().rss, server.num_fds()
    for _ in range(899):
        call()
    assert own.idle_pids() == [pid]
    after = psutil.Process(pid).memory_info().rss, server.memory_info().rss, server.num_fds()
    assert after[0] - before[0] < 2 << 20
    assert after[1] - before[1] < 2 << 20
    assert after[2] == before[2]
    # The thousandth call is the last one of this process.
    call()
    assert not own.idle_pids()
    assert sandboxes_of(server) <= sandboxes
    own.close()


def sandboxes_of(server: psutil.Process) -> set[int]:
    return {child.pid for child in server.children() if CHILD_MODULE in command_of(child)}


def test_no_process_serves_two_owners() -> None:
    own = SandboxPool()
    command = {"action": "execute", "source": tool_with("return 1"), "parameters": {}, "now": ""}
    for owner_id in (1, 2, 1, 2, 3):
        own.run(owner_id, command, 60, lambda name, given: (True, None), lambda line: None)
    assert len(own.idle_pids()) == 2
    own.close()
    assert not own.idle_pids()


def test_a_process_ends_with_the_server() -> None:
    process = SandboxProcess()
    child = process._child
    assert child.stdin is not None
    child.stdin.close()
    assert child.wait(60) == 0
    process.kill()


class FakeProcess(SandboxProcess):
    """A process that was taken over, and sends what it likes."""

    def __init__(self, *sent: bytes) -> None:
        super().__init__()
        self._received = bytearray(b"".join(sent))


COMMAND = {"action": "execute", "source": tool_with("return 1"), "parameters": {}, "now": ""}


@pytest.mark.parametrize(
    "sent",
    [
        b"\xff\xff\xff\xff",
        b"\x00\x00\x00\x02[]",
        b"\x00\x00\x00\x01{",
        encode_frame({"kind": "other"}),
        encode_frame({"kind": "failure", "reason": "other", "message": "x", "line": 1}),
        encode_frame({"kind": "failure", "reason": "error", "message": "x" * 501, "line": 1}),
        encode_frame({"kind": "result"}) + encode_frame({"kind": "log", "text": 5}),
        encode_frame({"kind": "log", "text": "x" * 30_000}),
        encode_frame({"kind": "log", "text": "x"}) * 300,
        encode_frame({"kind": "call", "name": "x" * 41, "arguments": {}}),
    ],
)
def test_a_process_that_sends_something_else_is_not_used_again(sent: bytes) -> None:
    process = FakeProcess(sent)
    try:
        with pytest.raises(ToolError) as caught:
            process.run(COMMAND, 60, lambda name, given: (True, None), lambda line: None)
        assert caught.value.reason == "crash"
        assert not process.can_run_again
    finally:
        process.kill()


def wait_until_ended(process: psutil.Process) -> None:
    while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)


def test_a_process_that_was_killed_is_replaced() -> None:
    run_body("return 1")
    for pid in pool.idle_pids():
        killed = psutil.Process(pid)
        killed.kill()
        wait_until_ended(killed)
    assert run_body("return 1") == 1


def test_a_process_is_replaced_after_many_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module, "MAX_RUNS", 1)
    own = SandboxPool()
    own.run(1, COMMAND, 60, lambda name, given: (True, None), lambda line: None)
    assert not own.idle_pids()
