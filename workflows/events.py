"""Changes of workflows, as PostgreSQL publishes them: `LISTEN ownsona_workflows`.

A trigger on the table sends them when they are committed. The payload is the owner's id and the workflow's name,
separated by a space.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

CHANNEL = "ownsona_workflows"


@dataclass(frozen=True, slots=True)
class WorkflowChange:
    """A change of one workflow: it was added, changed or deleted."""

    owner_id: int
    name: str

    @classmethod
    def read(cls, payload: str) -> Self:
        """Parse the payload of a notification."""
        owner_id, _, name = payload.partition(" ")
        return cls(int(owner_id), name)
