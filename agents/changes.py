"""Changes of agents by their owner."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from agents.definitions import AgentDefinition, check_name
from agents.models import FILES, Agent
from agents.shipped import shipped_agents
from common.provided import Provided
from common.texts import translatable
from memories.database import refuse_growth
from memories.errors import InvalidInput, LimitExceeded, MemoriesError, NotFound

MAX_AGENTS = 100

name_conflict: Provided[[int, str], str | None] = Provided("the prompts with which the name of an agent may clash")
"""Returns what else has the name in the lists of prompts, such as “a prompt of your own”; None if nothing has it."""


class Outdated(MemoriesError):
    """A change of a definition that somebody else has changed since it was read."""

    code = "INVALID_INPUT"

    def __init__(self) -> None:
        super().__init__(
            "It was changed in another window or deleted since you opened it. Nothing was saved. Copy your text, open "
            "it again, and repeat your change."
        )


def create_agent(owner_id: int, name: str, definition: AgentDefinition, *, is_enabled: bool = True) -> Agent:
    """Store a new agent. Raises InvalidInput, LimitExceeded or StorageFull."""
    refuse_growth()
    check_name(name)
    if (other := name_conflict(owner_id, name)) is not None:
        raise InvalidInput(
            translatable("%(name)s is %(other)s. Choose another name.", name=name, other=other), argument="name"
        )
    own = Agent.objects.filter(owner_id=owner_id, source=Agent.Source.PAGE)
    if own.count() >= MAX_AGENTS:
        raise LimitExceeded(
            translatable(
                "You have %(max_agents)s agents, which is the maximum. Delete one first.", max_agents=MAX_AGENTS
            )
        )
    row, is_new = Agent.objects.get_or_create(
        owner_id=owner_id,
        source=Agent.Source.PAGE,
        name=name,
        defaults={"definition": definition.as_data(), "is_enabled": is_enabled},
    )
    if not is_new:
        raise InvalidInput(translatable("you already have an agent %(name)s.", name=name), argument="name")
    return row


def change_agent(owner_id: int, name: str, version: int, definition: AgentDefinition) -> None:
    """Replace the definition of an agent that was written on the page. Raises Outdated or StorageFull.

    `version` is that of the definition that the owner has edited.
    """
    refuse_growth()
    changed = Agent.objects.filter(owner_id=owner_id, source=Agent.Source.PAGE, name=name, version=version).update(
        definition=definition.as_data(), version=F("version") + 1, updated_at=Now()
    )
    if not changed:
        raise Outdated


def delete_agent(owner_id: int, name: str) -> None:
    """Delete an agent that was written on the page. Its memories stay. Raises NotFound."""
    deleted, _ = Agent.objects.filter(owner_id=owner_id, source=Agent.Source.PAGE, name=name).delete()
    if not deleted:
        raise NotFound(translatable("There is no agent %(name)s that was written on the page.", name=repr(name[:100])))


def switch_agent(owner_id: int, name: str, *, is_enabled: bool) -> None:
    """Enable or disable an agent of the page or a shipped one. Raises NotFound, and InvalidInput for a file's."""
    with transaction.atomic():
        rows = {row.source: row for row in Agent.objects.filter(owner_id=owner_id, name=name).select_for_update()}
        if file := next((rows[source] for source in FILES if source in rows), None):
            raise InvalidInput(
                translatable(
                    "the file %(file_name)s decides: write enabled = true or false there.", file_name=file.file_name
                ),
                argument="name",
            )
        page = rows.get(Agent.Source.PAGE)
        if page is not None:
            _switch(page, is_enabled=is_enabled)
        elif name in shipped_agents():
            row, _ = Agent.objects.get_or_create(owner_id=owner_id, source=Agent.Source.SHIPPED, name=name)
            _switch(row, is_enabled=is_enabled)
        else:
            raise NotFound(translatable("There is no agent %(name)s.", name=repr(name[:100])))


def _switch(row: Agent, *, is_enabled: bool) -> None:
    if row.is_enabled != is_enabled:
        Agent.objects.filter(pk=row.pk).update(is_enabled=is_enabled, updated_at=Now())
