"""The agents that come with OwnSona, as TOML files in this folder."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from agents.definitions import AgentDefinition
from agents.toml_files import SUFFIX, parse_file


@cache
def shipped_agents() -> Mapping[str, AgentDefinition]:
    """Return the shipped agents by name, sorted."""
    files = sorted(Path(__file__).parent.glob(f"*{SUFFIX}"))
    return {file.stem: parse_file(file.name, file.read_bytes()).definition for file in files}
