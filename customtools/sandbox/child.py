"""The separate process that runs scripts, one after the other, each in a new Lua state.

It imports neither Django nor the rest of the project. Commands arrive on standard input, as frames; results, log lines
and context calls go to standard output. It ends when the input ends.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
from typing import Any, Final

from common.process_limits import give_up_root, lower_limits, refuse_network
from customtools.limits import CPU_SECONDS, MAX_SECONDS, PROCESS_MEMORY_MB
from customtools.sandbox.frames import HEADER, decode_frame, encode_frame, frame_length
from customtools.sandbox.script import Script, ScriptFailed

PROCESS_CPU_SECONDS: Final = 600
"""Processor time of the whole process. The server replaces it earlier."""

_SPARE_SECONDS: Final = 1.0
"""Time after which a script is ended that did not end itself, for example within one long search of a pattern."""


def main() -> None:
    """Run scripts until standard input ends."""
    output = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    _warm_up()
    _limit_this_process()
    while (command := _read(0)) is not None:
        # The default action of both signals ends the process. The second one applies if the server has died.
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS + _SPARE_SECONDS)
        signal.setitimer(signal.ITIMER_REAL, MAX_SECONDS + _SPARE_SECONDS)
        answer = _answer(command, output)
        # The Lua state is gone before the server may send the next command.
        gc.collect(0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        _write(output, answer)


def _warm_up() -> None:
    """Run a script that uses everything once: later, no module can be loaded any more."""
    source = "function tool_execute() end return {execute = function(p, c) print(c.json.encode(p)) return {1.5} end}"
    Script(source, lambda name, given: (True, None), lambda line: None).execute({"a": ["ü", None]}, "")


def _limit_this_process() -> None:
    memory = PROCESS_MEMORY_MB << 20
    give_up_root()
    lower_limits(
        {
            resource.RLIMIT_AS: (memory, memory),
            resource.RLIMIT_DATA: (memory, memory),
            resource.RLIMIT_CPU: (PROCESS_CPU_SECONDS, PROCESS_CPU_SECONDS),
            resource.RLIMIT_FSIZE: (0, 0),
            resource.RLIMIT_CORE: (0, 0),
            # No other process, and neither file nor socket: those that are open stay usable.
            resource.RLIMIT_NPROC: (0, 0),
            resource.RLIMIT_NOFILE: (0, 0),
        }
    )
    refuse_network("Scripts never use the network.")


def _answer(command: dict[str, Any], output: int) -> dict[str, Any]:
    """Run the script of a command and return the final message."""

    def ask(name: str, given: Any) -> tuple[bool, Any]:
        _write(output, {"kind": "call", "name": name, "arguments": given})
        reply = _read(0)
        if reply is None:
            # The server has ended the call.
            os._exit(0)
        return bool(reply["ok"]), reply["value"]

    def send_log(line: str) -> None:
        _write(output, {"kind": "log", "text": line})

    try:
        script = Script(command["source"], ask, send_log)
        return {"kind": "result", "value": _carried_out(script, command)}
    except ScriptFailed as error:
        return {"kind": "failure", "reason": error.reason, "message": str(error), "line": error.line}
    except MemoryError:
        return {"kind": "failure", "reason": "memory", "message": "The script needs too much memory.", "line": 0}


def _carried_out(script: Script, command: dict[str, Any]) -> Any:
    match command["action"]:
        case "describe":
            return script.describe()
        case "read":
            return script.read(command["name"])
        case _:
            return script.execute(command["parameters"], command["now"])


def _read(descriptor: int) -> dict[str, Any] | None:
    header = _read_bytes(descriptor, HEADER.size)
    if header is None:
        return None
    content = _read_bytes(descriptor, frame_length(header))
    return None if content is None else decode_frame(content)


def _read_bytes(descriptor: int, count: int) -> bytes | None:
    data = bytearray()
    while len(data) < count:
        part = os.read(descriptor, count - len(data))
        if not part:
            return None
        data += part
    return bytes(data)


def _write(descriptor: int, message: dict[str, Any]) -> None:
    data = memoryview(encode_frame(message))
    while data:
        data = data[os.write(descriptor, data) :]
