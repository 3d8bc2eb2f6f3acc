"""Files of agents in any format: what they have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agents.definitions import AgentDefinition, check_name, read_definition
from memories.errors import MemoriesError

MAX_FILE_BYTES = 500_000


@dataclass(frozen=True, slots=True)
class FileAgent:
    """A valid file: the agent's name, its definition and whether it is enabled."""

    name: str
    definition: AgentDefinition
    is_enabled: bool


class InvalidFile(Exception):
    """A file that is not a valid definition. `line` counts from 1; None if the error has no place."""

    def __init__(self, problem: str, line: int | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


def decode(content: bytes) -> str:
    """Return the text of a file, with line feeds only. Raises InvalidFile."""
    if len(content) > MAX_FILE_BYTES:
        raise InvalidFile(f"The file has more than {MAX_FILE_BYTES} bytes.")
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InvalidFile("The file is not UTF-8.", content[: error.start].count(b"\n") + 1) from None


def read_agent(name: str, data: dict[str, Any], line_of: Callable[[str], int | None]) -> FileAgent:
    """Return the agent of a file. `name` is that of the file without its suffix.

    `line_of` returns the line on which a key is set. Raises InvalidFile.
    """
    declared, is_enabled = data.pop("name", name), data.pop("enabled", True)
    try:
        if check_name(name) != declared:
            raise InvalidFile("name: must be the name of the file without its suffix.", line_of("name"))
        if not isinstance(is_enabled, bool):
            raise InvalidFile("enabled: must be true or false.", line_of("enabled"))
        return FileAgent(name, read_definition(data), is_enabled)
    except MemoriesError as error:
        raise InvalidFile(str(error), line_of(error.argument) if error.argument else None) from None
