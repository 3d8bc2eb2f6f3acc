"""Attempts to escape from the sandbox. Each returns "escaped" if it works; none does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from common.process_limits import NOBODY
from customtools.errors import ToolError, ToolTimeout
from customtools.sandbox.process import SandboxProcess
from tests.customtools.sandbox.support import run_body, run_script

ROOT = Path(__file__).parents[3]

# Searches everything that a script can reach for a function or a module of the given names.
REACHABLE = """
local wanted, seen = %s, {}
local function search(value, depth)
  if depth > 6 or seen[value] then return nil end
  local kind = type(value)
  if kind == "userdata" then return true end
  if kind ~= "table" then return nil end
  seen[value] = true
  for key, held in next, value do
    if wanted[key] and held then return true end
    if search(held, depth + 1) then return true end
  end
  local metatable = getmetatable(value)
  if type(metatable) == "table" then return search(metatable, depth + 1) end
end
if search(_G, 0) or search(context, 0) or search({getmetatable("")}, 0) then return "escaped" end
"""


def reaches(*names: str) -> str:
    wanted = ", ".join(f'["{name}"] = true' for name in names)
    return REACHABLE % f"{{{wanted}}}"


ATTEMPTS: dict[str, str] = {
    # Functions that load code
    "load of source": 'return load("return 1")() and "escaped"',
    "load of a function": 'return load(function() return nil end) and "escaped"',
    "load in a global of another name": 'return _G["lo" .. "ad"]("return 1")() and "escaped"',
    "load through _ENV": 'return _ENV.load("return 1")() and "escaped"',
    "loadstring of Lua 5.1": 'return loadstring("return 1")() and "escaped"',
    "loadfile": 'return loadfile("/etc/passwd") and "escaped"',
    "dofile": 'dofile("/etc/hostname") return "escaped"',
    "require of io": 'return require("io").open and "escaped"',
    "require of a library in C": 'require("socket") return "escaped"',
    "load is reachable anywhere": reaches("load", "loadfile", "dofile", "require", "loadstring", "loadlib"),
    # Bytecode
    "string.dump": 'return string.dump(function() end) and "escaped"',
    "string.dump as a method": 'return ("").dump(function() end) and "escaped"',
    "string.dump in the metatable": 'return getmetatable("").__index.dump and "escaped"',
    "dump is reachable anywhere": reaches("dump"),
    # The operating system
    "os.execute": 'os.execute("id") return "escaped"',
    "os.exit": 'os.exit(0) return "escaped"',
    "os.getenv": 'return os.getenv("PATH") and "escaped"',
    "os.remove": 'os.remove("/tmp/x") return "escaped"',
    "os.rename": 'os.rename("/tmp/x", "/tmp/y") return "escaped"',
    "os.tmpname": 'return os.tmpname() and "escaped"',
    "os.setlocale": 'return os.setlocale("C") and "escaped"',
    "os.date with a bad conversion": 'return pcall(os.date, "%Ez") and nil',
    # Files
    "io.open": 'return io.open("/etc/passwd") and "escaped"',
    "io.popen": 'return io.popen("id") and "escaped"',
    "io.lines": 'for line in io.lines("/etc/passwd") do return "escaped" end',
    "io.stdout": 'return io.stdout and "escaped"',
    "another process is reachable anywhere": reaches("fork", "vfork", "popen", "spawn", "exec", "system", "posix"),
    "io is reachable anywhere": reaches("io", "popen", "lines", "stdout"),
    # Modules
    "package.loadlib": 'return package.loadlib("libc.so.6", "system") and "escaped"',
    "package.loaded": 'return package.loaded.io and "escaped"',
    "package.searchers": 'return package.searchers and "escaped"',
    "package.path": 'package.path = "/tmp/?.lua" return require("x") and "escaped"',
    "package is reachable anywhere": reaches("package", "loaded", "preload", "searchers", "cpath"),
    # debug
    "debug.getregistry": 'return debug.getregistry() and "escaped"',
    "debug.getupvalue": 'return debug.getupvalue(context.recall, 1) and "escaped"',
    "debug.setmetatable": 'debug.setmetatable(1, {}) return "escaped"',
    "debug.sethook": 'debug.sethook() return "escaped"',
    "debug.getinfo": 'return debug.getinfo(1) and "escaped"',
    "debug.getlocal": 'return debug.getlocal(1, 1) and "escaped"',
    "debug.upvaluejoin": 'debug.upvaluejoin(print, 1, pcall, 1) return "escaped"',
    "debug is reachable anywhere": reaches("debug", "getregistry", "getupvalue", "sethook", "getinfo"),
    # Metatables
    "the metatable of strings": 'return getmetatable("") and "escaped"',
    "a new __index for strings": 'getmetatable("").__index = function() return "x" end return "escaped"',
    "setmetatable on a string": 'setmetatable("", {}) return "escaped"',
    "setmetatable on a function": 'setmetatable(print, {}) return "escaped"',
    "a finalizer": 'setmetatable({}, {__gc = function() end}) return "escaped"',
    "a finalizer that is added later": """
        local metatable = {}
        setmetatable({}, metatable)
        metatable.__gc = function() while true do end end
        return "done"
    """,
    "a finalizer through rawset": """
        local metatable = setmetatable({}, {__index = function() return function() while true do end end end})
        setmetatable({}, metatable)
        return "done"
    """,
    "__gc = false, then a function": """
        local metatable = {__gc = false}
        setmetatable({}, metatable)
        metatable.__gc = function() end
        return "escaped"
    """,
    "a result whose __index never ends": """
        return setmetatable({1}, {__index = function() while true do end end, __len = function() while true do end end,
          __pairs = function() while true do end end})
    """,
    "a __name and a __tostring in an error": """
        error(setmetatable({}, {__tostring = function() return "escaped" end, __name = "escaped"}))
    """,
    "setmetatable on the context": """
        setmetatable(context, {__index = function(_, name) return function() return "escaped" end end})
        return context.os and context.os() == "escaped" and "harmless"
    """,
    "a context function with another name": 'return context.execute and "escaped"',
    # ffi and Python
    "require of ffi": 'local ffi = require("ffi") ffi.cdef("int system(const char *);") return "escaped"',
    "ffi as a global": 'return ffi.C.system("id") and "escaped"',
    "jit": 'return jit.on and "escaped"',
    "python.builtins": 'return python.builtins.open("/etc/passwd") and "escaped"',
    "python.eval": "return python.eval(\"__import__('os').system('id')\") and \"escaped\"",
    "python.as_attrgetter": 'return python.as_attrgetter(context.recall).__globals__ and "escaped"',
    "python.iter": 'for _ in python.iter({1}) do return "escaped" end',
    "python is reachable anywhere": reaches("python", "builtins", "eval", "as_attrgetter", "as_function"),
    "attributes of the caught error of a context call": """
        local _, problem = pcall(context.get, 1)
        if type(problem) ~= "string" then return "escaped" end
        return pcall(function() return problem.__class__ end) and problem.__class__ and "escaped"
    """,
    "a Python exception through bytes that are not text": """
        local _, problem = pcall(context.recall, "\\255\\254")
        return type(problem) ~= "string" and "escaped"
    """,
    "a Python exception through a function as argument": """
        local _, problem = pcall(context.recall, print)
        return type(problem) ~= "string" and "escaped"
    """,
    "a Python exception through a table that contains itself": """
        local t = {} t.t = t
        local _, problem = pcall(context.recall, t)
        return type(problem) ~= "string" and "escaped"
    """,
    "a Python exception through a coroutine as argument": """
        local _, problem = pcall(context.recall, coroutine.create(print))
        return type(problem) ~= "string" and "escaped"
    """,
    "a Python exception through log": """
        local _, problem = pcall(context.log, setmetatable({}, {__tostring = function() return 1 end}))
        return problem ~= nil and type(problem) ~= "string" and "escaped"
    """,
    "a Python exception through JSON": """
        local _, problem = pcall(context.json.decode, ("["):rep(100000))
        return type(problem) ~= "string" and "escaped"
    """,
    "a Python exception for lack of memory": """
        local held, problem = {}, nil
        for index = 1, 200 do held[index] = ("x"):rep(100000) .. index end
        for _ = 1, 30 do
          local fine, caught = pcall(context.recall, ("y"):rep(900000))
          if not fine and type(caught) ~= "string" then return "escaped" end
          held[#held + 1] = caught
        end
    """,
    "userdata is reachable anywhere": reaches("nothing"),
    # Coroutines
    "getting the main thread": """
        local thread = coroutine.running()
        return getmetatable(thread) and "escaped"
    """,
    "yielding out of the tool": 'coroutine.yield({kind = "result", value = "escaped"})',
    "yielding across a context call": """
        local thread = coroutine.wrap(function() return context.recall("x", {limit = coroutine.yield("in")}) end)
        thread()
        return thread(3).name == "recall" and "harmless"
    """,
    "wrapping the context in a coroutine that is closed": """
        local thread = coroutine.create(function() context.recall("x") coroutine.yield() end)
        coroutine.resume(thread)
        coroutine.close(thread)
        return "harmless"
    """,
    "a to-be-closed variable in an error": """
        local ok = pcall(function()
          local held <close> = setmetatable({}, {__close = function() context.recall("x") end})
          error("x")
        end)
        return ok and "escaped"
    """,
    # The garbage collector
    "collectgarbage stops": 'collectgarbage("stop") return "escaped"',
    "collectgarbage counts": 'return collectgarbage("count") and "escaped"',
    "collectgarbage is reachable anywhere": reaches("collectgarbage"),
    # The environment
    "a changed _ENV": 'local _ENV = {} return load and "escaped"',
    "an own global function changes the prelude": """
        error = function() end
        pcall = function() return true, "escaped" end
        type = function() return "table" end
        local result = context.get(1)
        return result and result.escaped and "escaped"
    """,
    "string functions changed under the prelude": """
        string.rep = nil table.concat = function() return "escaped" end tostring = function() return "escaped" end
        print("x")
        return "harmless"
    """,
    "warn": 'warn("@on") warn("escaped") return "escaped"',
    "newproxy of Lua 5.1": 'return newproxy(true) and "escaped"',
    "getfenv of Lua 5.1": 'return getfenv(0) and "escaped"',
    "setfenv of Lua 5.1": 'setfenv(1, {}) return "escaped"',
    "module of Lua 5.1": 'module("x") return "escaped"',
}


def outcome_of(body: str) -> object:
    """Return the result of a tool, or the error with which it ended."""
    try:
        return run_body(body)
    except ToolError as error:
        return error


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_no_attempt_escapes(attempt: str) -> None:
    outcome = outcome_of(ATTEMPTS[attempt])
    if isinstance(outcome, ToolError):
        # A crash would show that the script has reached something that it should not.
        assert outcome.reason != "crash"
    assert "escaped" not in str(outcome)


def test_there_are_at_least_sixty_attempts() -> None:
    assert len(ATTEMPTS) >= 60


@pytest.mark.parametrize("header", ["\x1bLua", "\x1bLJ\x02", "\x1b"])
def test_bytecode_is_no_script(header: str) -> None:
    with pytest.raises(ToolError):
        run_script(header + "\x54\x00\x19\x93\r\n\x1a\n" + "\x00" * 100)


def test_a_script_finds_nothing_of_the_previous_one() -> None:
    run_body("LEFT = 1 string.left = 2 context.left = 3 getmetatable = nil return 1")
    assert run_body("return {LEFT == nil, string.left == nil, context.left == nil, getmetatable ~= nil}") == [True] * 4


def test_the_process_has_no_environment_files_or_children() -> None:
    process = SandboxProcess()
    try:
        command = {
            "action": "execute",
            "source": "tool = {} function tool.execute() return 1 end",
            "parameters": {},
            "now": "",
        }
        assert process.run(command, 60, lambda name, given: (True, None), lambda line: None) == 1
        status = Path(f"/proc/{process.pid}")
        if not status.exists():
            pytest.skip("This system has no /proc.")
        names = {each.partition(b"=")[0] for each in (status / "environ").read_bytes().split(b"\0") if each}
        assert names <= {b"PATH", b"LANG", b"LC_CTYPE"}
        limits = (status / "limits").read_text()
        for name in ("Max open files", "Max file size", "Max core file size", "Max processes"):
            line = next(line for line in limits.splitlines() if line.startswith(name))
            assert line.removeprefix(name).split()[:2] == ["0", "0"], line
        assert os.readlink(status / "cwd") == "/"
    finally:
        process.kill()


TAKEN_OVER = """
import os, sys
sys.path.insert(0, sys.argv[1])
import _posixsubprocess, threading
from customtools.sandbox import child
child._limit_this_process()

def outcome(attempt):
    try:
        return "possible" if attempt() != 0 else os._exit(0)
    except Exception as error:
        return type(error).__name__

print(os.getuid(), outcome(os.fork), outcome(lambda: os.posix_spawn("/bin/true", ["true"], {})),
      outcome(threading.Thread(target=print).start))
"""


def test_whoever_takes_the_process_over_can_start_no_other() -> None:
    """Lua has no function for it. This is the second wall: it must hold when OwnSona is run by root, too."""
    started = subprocess.run([sys.executable, "-c", TAKEN_OVER, str(ROOT)], capture_output=True, text=True, check=True)
    uid, *outcomes = started.stdout.split()
    assert outcomes == ["BlockingIOError", "BlockingIOError", "RuntimeError"], started.stdout
    assert int(uid) == (os.getuid() or NOBODY)


@pytest.mark.parametrize(
    "source",
    [
        "tool = {}",
        "return 5",
        "tool = { execute = 1 }",
        "error('x')",
        "return setmetatable({}, {__index = {execute = print}})",
    ],
)
def test_a_script_without_a_tool_says_so(source: str) -> None:
    with pytest.raises(ToolError):
        run_script(source)


def test_a_timeout_in_the_declaration_is_a_timeout() -> None:
    with pytest.raises(ToolTimeout):
        run_script("while true do end")
