"""The agents of an owner: those on pages, in files and shipped, merged by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import orjson

from agents.definitions import AGENT_NAME, MAX_NAME_CHARS, AgentDefinition, read_definition
from agents.files import refresh_files
from agents.models import FILES, Agent
from agents.shipped import shipped_agents
from common.texts import translatable
from memories.errors import MemoriesError, NotFound

Source = Agent.Source

MAX_CACHED = 256
"""The most definitions that a process keeps parsed."""

_PRECEDENCE = (*FILES, Source.PAGE)


@dataclass(frozen=True, slots=True)
class ResolvedAgent:
    """An agent that an owner has. `source` is the place of the definition that is used."""

    name: str
    definition: AgentDefinition
    source: Agent.Source
    is_enabled: bool = True

    @property
    def form(self) -> str:
        """The form of the definition, as the API names it: lua or toml.

        Shipped agents are TOML files, and the pages show, import and export agents in this form.
        """
        return "lua" if self.source == Source.LUA else "toml"

    @property
    def is_file(self) -> bool:
        """Whether the definition is in a file of the data folder."""
        return self.source in FILES

    @property
    def title(self) -> str:
        """The title, or the name if there is none."""
        return self.definition.title or self.name


def list_agents(owner_id: int, *, include_disabled: bool = False) -> list[ResolvedAgent]:
    """Return the owner's agents by name. One query, unless files have changed."""
    refresh_files()
    return resolve(Agent.objects.filter(owner_id=owner_id), include_disabled=include_disabled)


def get_agent(owner_id: int, name: str, *, include_disabled: bool = False) -> ResolvedAgent:
    """Return the agent of this name. Raises NotFound. One query, unless files have changed."""
    refresh_files()
    rows = Agent.objects.filter(owner_id=owner_id, name=name) if _is_name(name) else ()
    found = [agent for agent in resolve(rows, include_disabled=include_disabled) if agent.name == name]
    if not found:
        raise NotFound(
            translatable("There is no agent %(name)s. GET /agents/list shows the agents.", name=repr(name[:100]))
        )
    return found[0]


def has_agent(owner_id: int, name: str) -> bool:
    """Return whether the owner has an enabled agent of this name. One query, unless files have changed."""
    try:
        get_agent(owner_id, name)
    except NotFound:
        return False
    return True


def resolve(rows: Iterable[Agent], *, include_disabled: bool = False) -> list[ResolvedAgent]:
    """Return the agents that `rows` and the shipped agents make up. A file replaces a page, a page a shipped agent."""
    by_place = {(row.name, row.source): row for row in rows}
    names = sorted({name for name, _ in by_place} | shipped_agents().keys())
    found = (_effective(name, by_place) for name in names)
    return [agent for agent in found if agent is not None and (agent.is_enabled or include_disabled)]


def _effective(name: str, by_place: dict[tuple[str, str], Agent]) -> ResolvedAgent | None:
    for source in _PRECEDENCE:
        row = by_place.get((name, source))
        definition = None if row is None else _definition(row)
        if row is not None and definition is not None:
            return ResolvedAgent(name, definition, source, row.is_enabled)
    if (shipped := shipped_agents().get(name)) is None:
        return None
    switch = by_place.get((name, Source.SHIPPED))
    return ResolvedAgent(name, shipped, Source.SHIPPED, switch is None or switch.is_enabled)


def _definition(row: Agent) -> AgentDefinition | None:
    """Return the stored definition. None if there is none, or if the rules have become stricter since."""
    if row.definition is None:
        return None
    try:
        return _read(orjson.dumps(row.definition))
    except MemoriesError:
        return None


@lru_cache(maxsize=MAX_CACHED)
def _read(encoded: bytes) -> AgentDefinition:
    """Return the definition in a row. Lists are requested often, and searching for secrets takes its time."""
    return read_definition(orjson.loads(encoded))


def _is_name(name: str) -> bool:
    return len(name) <= MAX_NAME_CHARS and AGENT_NAME.fullmatch(name) is not None
