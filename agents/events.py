"""Changes of agents, as PostgreSQL publishes them: `LISTEN ownsona_agents`.

A trigger on the table sends them when they are committed. The payload is the owner's id and the agent's name, separated
by a space.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

CHANNEL = "ownsona_agents"


@dataclass(frozen=True, slots=True)
class DefinitionChange:
    """A change of one definition of an owner: it was added, changed, enabled, disabled or deleted."""

    owner_id: int
    name: str

    @classmethod
    def read(cls, payload: str) -> Self:
        """Parse the payload of a notification."""
        owner_id, _, name = payload.partition(" ")
        return cls(int(owner_id), name)


@dataclass(frozen=True, slots=True)
class AgentChange(DefinitionChange):
    """A change of an agent."""
