"""One script in a new Lua state, inside the separate process."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from lupa import lua54

from common.texts import translatable
from customtools.limits import (
    CPU_SECONDS,
    MAX_CONTEXT_CALLS,
    MAX_LOG_CHARS,
    MAX_LOG_LINES,
    MAX_RESULT_BYTES,
    OUT_OF_TIME,
    SCRIPT_MEMORY_MB,
)
from customtools.sandbox.values import NotJson, to_json, to_lua

HOOK_INSTRUCTIONS: Final = 10_000
"""Instructions between two looks at the processor time."""

CHUNK: Final = b"=script"
MAX_MESSAGE_CHARS: Final = 500
OUT_OF_MEMORY: Final = translatable("The script needs more than %(most)s MB of memory.", most=SCRIPT_MEMORY_MB)
TOO_MUCH_LOGGED: Final = translatable(
    "The script logged more than %(lines)s lines or %(characters)s characters.",
    lines=MAX_LOG_LINES,
    characters=f"{MAX_LOG_CHARS:,}",
)

_PRELUDE: Final = Path(__file__).with_name("prelude.lua").read_bytes()
_PLACE: Final = re.compile(r"script:(\d+): (.*)", re.DOTALL)

Ask = Callable[[str, Any], tuple[bool, Any]]
"""A function that sends a context call to the server, and returns whether it succeeded, and its value or problem."""

SendLog = Callable[[str], None]


class ScriptFailed(Exception):
    """A script that ended with an error. `reason` is error, timeout or memory; `line` is 0 if it is unknown."""

    def __init__(self, reason: str, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.reason = reason
        self.line = line


class Script:
    """A script in a Lua state of its own, which nothing of an earlier call has touched."""

    def __init__(self, source: str, ask: Ask, send_log: SendLog) -> None:
        """Compile the script. Raises ScriptFailed for a syntax error."""
        self._ask = ask
        self._send_log = send_log
        self._calls_left = MAX_CONTEXT_CALLS
        self._log_lines_left = MAX_LOG_LINES
        self._log_chars_left = MAX_LOG_CHARS
        self._runtime = lua54.LuaRuntime(
            encoding=None,
            unpack_returned_tuples=True,
            register_eval=False,
            register_builtins=False,
            attribute_filter=_refuse_attribute,
            max_memory=SCRIPT_MEMORY_MB << 20,
        )
        prelude = self._runtime.compile(_PRELUDE, name=b"=prelude", mode=b"t")
        functions = prelude(self._host, CPU_SECONDS, HOOK_INSTRUCTIONS)
        self._describe, self._read, self._execute, self._is_array, self._new_array = functions
        try:
            self._chunk = self._runtime.compile(source.encode(), name=CHUNK, mode=b"t")
        except lua54.LuaSyntaxError as error:
            raise _failed("error", _syntax_message(error)) from None
        except lua54.LuaMemoryError:
            raise ScriptFailed("memory", OUT_OF_MEMORY) from None

    def describe(self) -> Any:
        """Return what the script declares, as JSON. Raises ScriptFailed."""
        return self._run(self._describe, self._chunk)

    def read(self, name: str) -> Any:
        """Return the table that the script defines under this name, or returns, as JSON. Raises ScriptFailed."""
        return self._run(self._read, self._chunk, name.encode(), table=name)

    def execute(self, parameters: dict[str, Any], now: str) -> Any:
        """Return the result of `tool.execute(parameters, context)` as JSON. Raises ScriptFailed."""
        return self._run(self._execute, self._chunk, self._to_lua(parameters), now.encode())

    def _run(self, function: Any, *arguments: Any, table: str = "") -> Any:
        try:
            is_fine, value, stopped = function(*arguments)
        except lua54.LuaMemoryError:
            raise ScriptFailed("memory", OUT_OF_MEMORY) from None
        except lua54.LuaError:
            raise ScriptFailed("error", translatable("The script ended with an error that is not a text.")) from None
        if not is_fine:
            raise _failure_of(value, stopped)
        try:
            result = to_json(value, self._is_array)
        except NotJson as error:
            raise ScriptFailed("error", _about_result(table, str(error))) from None
        if len(json.dumps(result)) > MAX_RESULT_BYTES:
            problem = translatable("has more than %(most)s bytes", most=f"{MAX_RESULT_BYTES:,}")
            raise ScriptFailed("error", _about_result(table, problem))
        return result

    def _to_lua(self, value: Any) -> Any:
        return to_lua(self._runtime, value, self._new_array)

    def _host(self, name: Any, arguments: Any) -> tuple[bool, Any]:
        """Carry out a call of the script. Never raises: Lua code could catch the exception, which is an object."""
        try:
            return self._carry_out(bytes(name).decode(), arguments)
        except NotJson as error:
            return False, translatable("the arguments: %(problem)s", problem=error).encode()
        except MemoryError:
            return False, b"not enough memory"
        except Exception:  # noqa: BLE001 - see above
            return False, translatable("the call failed").encode()

    def _carry_out(self, name: str, arguments: Any) -> tuple[bool, Any]:
        if name == "log":
            return self._log(arguments)
        given = to_json(arguments, self._is_array)
        if name == "json_encode":
            return True, json.dumps(given.get("value"), ensure_ascii=False, separators=(",", ":")).encode()
        if name == "json_decode":
            return self._decoded(given.get("text"))
        self._calls_left -= 1
        if self._calls_left < 0:
            problem = translatable(
                "a script may use the context at most %(most)s times in one call", most=MAX_CONTEXT_CALLS
            )
            return False, problem.encode()
        if len(json.dumps(given)) > MAX_RESULT_BYTES:
            most = f"{MAX_RESULT_BYTES:,}"
            return False, translatable("the arguments have more than %(most)s bytes", most=most).encode()
        is_fine, value = self._ask(name, given)
        return is_fine, self._to_lua(value)

    def _decoded(self, text: Any) -> tuple[bool, Any]:
        try:
            value = json.loads(text) if isinstance(text, str) else None
        except (ValueError, RecursionError):
            return False, translatable("json.decode: the text is not JSON").encode()
        if not isinstance(text, str):
            return False, translatable("json.decode takes a text").encode()
        return True, self._to_lua(value)

    def _log(self, text: Any) -> tuple[bool, Any]:
        line = bytes(text).decode(errors="replace")
        self._log_lines_left -= 1
        self._log_chars_left -= len(line)
        if self._log_lines_left < 0 or self._log_chars_left < 0:
            return False, TOO_MUCH_LOGGED.encode()
        self._send_log(line)
        return True, True


def _refuse_attribute(_target: object, _name: object, _is_setting: bool) -> object:
    """Refuse every access of Lua code to an attribute of a Python object."""
    raise AttributeError("not available")


def _syntax_message(error: Exception) -> str:
    """Return the message of Lua. The library shows it as the representation of bytes."""
    held = error.args[0] if error.args else b""
    text = held.decode(errors="replace") if isinstance(held, bytes) else str(held)
    return text.removeprefix("error loading code: ")


def _failure_of(value: Any, stopped: Any) -> ScriptFailed:
    text = (
        value.decode(errors="replace") if isinstance(value, bytes) else translatable("The script ended with an error.")
    )
    if stopped == b"timeout":
        return ScriptFailed("timeout", OUT_OF_TIME, _failed("timeout", text).line)
    if stopped is None and "not enough memory" in text:
        return ScriptFailed("memory", OUT_OF_MEMORY)
    return _failed("error", text)


def _failed(reason: str, text: str) -> ScriptFailed:
    """Return the failure with Lua's message, without the place that it begins with."""
    place = _PLACE.match(text)
    line, message = (int(place[1]), place[2]) if place else (0, text)
    return ScriptFailed(reason, message[:MAX_MESSAGE_CHARS], line)


def _about_result(table: str, problem: str) -> str:
    """Return the message about a table that a script defines, or about the result of a call without one."""
    if table:
        return translatable("The table %(table)s %(problem)s.", table=table, problem=problem)
    return translatable("The result %(problem)s.", problem=problem)
