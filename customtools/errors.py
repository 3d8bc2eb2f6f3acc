"""Errors of custom tools."""

from __future__ import annotations

from common.texts import translatable
from memories.errors import MemoriesError


class InvalidDefinition(MemoriesError):
    """A definition that cannot be used. `argument` is the field, `line` the line of the script; 0 if unknown."""

    code = "INVALID_INPUT"

    def __init__(self, problem: str, argument: str | None = None, line: int = 0) -> None:
        super().__init__(_with_line(problem, line), argument)
        self.line = line


class ToolError(MemoriesError):
    """A custom tool that failed: an error of its script, or of the server that it asked.

    `line` is the line of the script, 0 if unknown; `plain` is the message without it. `reason` is error, memory or
    crash.
    """

    code = "tool_error"

    def __init__(self, problem: str, line: int = 0, reason: str = "error") -> None:
        super().__init__(_with_line(problem, line))
        self.plain = problem
        self.line = line
        self.reason = reason


class ToolTimeout(MemoriesError):
    """A custom tool that took too long and was ended. `line` is where the script was, 0 if unknown."""

    code = "timeout"

    def __init__(self, problem: str, line: int = 0) -> None:
        super().__init__(_with_line(problem, line))
        self.plain = problem
        self.line = line


def _with_line(problem: str, line: int) -> str:
    return translatable("line %(line)s: %(problem)s", line=line, problem=problem) if line else problem
