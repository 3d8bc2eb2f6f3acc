"""The workflows of an owner."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import orjson

from agents.definitions import AGENT_NAME, MAX_NAME_CHARS
from common.texts import translatable
from memories.errors import NotFound
from workflows.definitions import WorkflowDefinition, read_definition
from workflows.models import Workflow

MAX_CACHED = 256
"""The most definitions that a process keeps parsed."""


@dataclass(frozen=True)
class StoredWorkflow:
    """A workflow that an owner has. Its definition is read when it is needed."""

    row: Workflow

    @property
    def name(self) -> str:
        """The name, which is also the id in URIs and calls."""
        return self.row.name

    @property
    def title(self) -> str:
        """The title, or the name if there is none."""
        return self.row.definition.get("title") or self.row.name

    @property
    def description(self) -> str:
        """The purpose."""
        description: str = self.row.definition["description"]
        return description

    @cached_property
    def definition(self) -> WorkflowDefinition:
        """The definition. Raises InvalidInput if the rules have become stricter since it was stored."""
        return _read(orjson.dumps(self.row.definition))


@lru_cache(maxsize=MAX_CACHED)
def _read(encoded: bytes) -> WorkflowDefinition:
    """Return the definition in a row. Lists are requested often, and the validation takes its time."""
    return read_definition(orjson.loads(encoded))


def list_workflows(owner_id: int) -> list[StoredWorkflow]:
    """Return the owner's workflows by name. One query."""
    return [StoredWorkflow(row) for row in Workflow.objects.filter(owner_id=owner_id).order_by("name")]


def get_workflow(owner_id: int, name: str) -> StoredWorkflow:
    """Return the workflow of this name. Raises NotFound. One query."""
    is_name = len(name) <= MAX_NAME_CHARS and AGENT_NAME.fullmatch(name)
    row = Workflow.objects.filter(owner_id=owner_id, name=name).first() if is_name else None
    if row is None:
        raise NotFound(
            translatable(
                "There is no workflow %(name)s. The resource ownsona://workflows/ lists them.", name=repr(name[:100])
            )
        )
    return StoredWorkflow(row)


def has_workflow(owner_id: int, name: str) -> bool:
    """Return whether the owner has a workflow of this name. One query."""
    try:
        get_workflow(owner_id, name)
    except NotFound:
        return False
    return True
