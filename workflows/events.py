"""Changes of workflows, as PostgreSQL publishes them: `LISTEN ownsona_workflows`.

A trigger on the table sends them when they are committed, in the form of those of agents.
"""

from __future__ import annotations

from dataclasses import dataclass

from agents.events import DefinitionChange

CHANNEL = "ownsona_workflows"


@dataclass(frozen=True, slots=True)
class WorkflowChange(DefinitionChange):
    """A change of a workflow."""
