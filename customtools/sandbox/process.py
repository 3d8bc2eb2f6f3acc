"""One separate process of scripts, as the server sees it. What it sends is checked: a script may have taken it over."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from common.isolated_process import kill_group, start_isolated
from common.texts import translatable
from customtools.errors import ToolError, ToolTimeout
from customtools.limits import MAX_CONTEXT_CALLS, MAX_LOG_CHARS, MAX_LOG_LINES, OUT_OF_TIME
from customtools.sandbox.frames import HEADER, InvalidFrame, decode_frame, encode_frame, frame_length

CHILD_MODULE: Final = "customtools.sandbox.child"
MAX_RUNS: Final = 1_000
"""Scripts that a process runs before it is replaced."""

MAX_LINE: Final = 1_000_000
_READ_BYTES: Final = 1 << 16
_END_SECONDS: Final = 1.0
_CRASHED: Final = translatable("The script ended its process. It was probably out of memory.")
_INVALID: Final = translatable("The process of the script sent an invalid message.")

AnswerCall = Callable[[str, Any], tuple[bool, Any]]
"""A function that carries out a context call, and returns whether it succeeded, and its value or problem."""

ReceiveLog = Callable[[str], None]


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Call(_Message):
    kind: Literal["call"]
    name: str = Field(max_length=40)
    arguments: dict[str, Any]


class _Log(_Message):
    kind: Literal["log"]
    text: str


class _Result(_Message):
    kind: Literal["result"]
    value: Any


class _Failure(_Message):
    kind: Literal["failure"]
    reason: Literal["error", "timeout", "memory"]
    message: str = Field(max_length=500)
    line: int = Field(ge=0, le=MAX_LINE)


_MESSAGE: TypeAdapter[_Call | _Log | _Result | _Failure] = TypeAdapter(_Call | _Log | _Result | _Failure)


class SandboxProcess:
    """A running process, which runs one script at a time. Not thread-safe."""

    def __init__(self) -> None:
        self._child = start_isolated(CHILD_MODULE, folder="/", stdin=subprocess.PIPE)
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._input = self._child.stdin.fileno()
        self._output = self._child.stdout.fileno()
        os.set_blocking(self._input, False)
        self._received = bytearray()
        self._runs = 0
        self.is_usable = True

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._child.pid

    @property
    def can_run_again(self) -> bool:
        """Whether the process may run another script. One that was interrupted may not."""
        return self.is_usable and self._runs < MAX_RUNS and self._child.poll() is None

    def run(self, command: Mapping[str, Any], seconds: float, answer: AnswerCall, receive_log: ReceiveLog) -> Any:
        """Run one script and return its result as JSON.

        `seconds` is the most elapsed time. Raises ToolError, ToolTimeout, and the errors of `answer`; after any other
        end than a result or a failure of the script itself, the process is not usable any more.
        """
        deadline = time.monotonic() + seconds
        self._runs += 1
        # Set again below, once the process has ended the script by itself.
        self.is_usable = False
        self._send(command, deadline, seconds)
        budget = _Budget()
        while True:
            match self._receive(deadline, seconds):
                case _Call() as call:
                    budget.spend_call()
                    is_fine, value = answer(call.name, call.arguments)
                    self._send({"ok": is_fine, "value": value}, deadline, seconds)
                case _Log() as log:
                    budget.spend_log(log.text)
                    receive_log(log.text)
                case _Result() as result:
                    self.is_usable = True
                    return result.value
                case _Failure() as failure:
                    self.is_usable = True
                    raise _error_of(failure)

    def kill(self) -> None:
        """End the process."""
        self.is_usable = False
        kill_group(self._child)

    def _send(self, message: Mapping[str, Any], deadline: float, seconds: float) -> None:
        try:
            data = memoryview(encode_frame(message))
        except InvalidFrame:
            raise ToolError(translatable("The arguments or the response of a context call are too large.")) from None
        with selectors.DefaultSelector() as selector:
            selector.register(self._input, selectors.EVENT_WRITE)
            while data:
                if not selector.select(_left(deadline, seconds)):
                    continue
                try:
                    data = data[os.write(self._input, data) :]
                except BrokenPipeError:
                    raise self._ended() from None

    def _receive(self, deadline: float, seconds: float) -> _Call | _Log | _Result | _Failure:
        with selectors.DefaultSelector() as selector:
            selector.register(self._output, selectors.EVENT_READ)
            while (frame := self._next_frame()) is None:
                if selector.select(_left(deadline, seconds)):
                    data = os.read(self._output, _READ_BYTES)
                    if not data:
                        raise self._ended()
                    self._received += data
        try:
            return _MESSAGE.validate_python(decode_frame(frame))
        except (InvalidFrame, ValidationError):
            raise ToolError(_INVALID, reason="crash") from None

    def _next_frame(self) -> bytes | None:
        """Take one complete message out of the received bytes. Return None if there is none yet."""
        if len(self._received) < HEADER.size:
            return None
        try:
            end = HEADER.size + frame_length(bytes(self._received[: HEADER.size]))
        except InvalidFrame:
            raise ToolError(_INVALID, reason="crash") from None
        if len(self._received) < end:
            return None
        content = bytes(self._received[HEADER.size : end])
        del self._received[:end]
        return content

    def _ended(self) -> ToolError | ToolTimeout:
        """Return why the process has closed its output."""
        try:
            status = self._child.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            status = 0
        if status in {-signal.SIGPROF, -signal.SIGXCPU}:
            return ToolTimeout(OUT_OF_TIME)
        if status == -signal.SIGALRM:
            return ToolTimeout(translatable("The script took too long."))
        return ToolError(_CRASHED, reason="crash")


class _Budget:
    """The rest of what a script can ask and log. Its own process counts, too, but may have been taken over."""

    def __init__(self) -> None:
        self._calls = MAX_CONTEXT_CALLS
        self._lines = MAX_LOG_LINES
        self._chars = MAX_LOG_CHARS

    def spend_call(self) -> None:
        self._calls -= 1
        if self._calls < 0:
            raise ToolError(_INVALID, reason="crash")

    def spend_log(self, text: str) -> None:
        self._lines -= 1
        self._chars -= len(text)
        if self._lines < 0 or self._chars < 0:
            raise ToolError(_INVALID, reason="crash")


def _left(deadline: float, seconds: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise ToolTimeout(translatable("The tool took longer than %(seconds)s seconds.", seconds=f"{seconds:g}"))
    return left


def _error_of(failure: _Failure) -> ToolError | ToolTimeout:
    if failure.reason == "timeout":
        return ToolTimeout(failure.message, failure.line)
    return ToolError(failure.message, failure.line, failure.reason)
