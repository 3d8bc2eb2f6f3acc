"""Arguments that name an agent: the one that a client acts as, and the one whose memories are searched."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from mcpapi.calls.acting import has_agent
from mcpapi.calls.caller import Caller
from memories.errors import InvalidInput

ActingAgent = Annotated[
    str | None, Field(description="The name of the agent that you act as, if any; memories then belong to it.")
]
AgentFilter = Annotated[str | None, Field(description="Only memories that belong to the agent of this name.")]


def checked_agent(caller: Caller, name: str | None) -> str | None:
    """Return the name of one of the owner's enabled agents, or None. Raises InvalidInput. One query for a name."""
    if name is not None and not has_agent(caller, name):
        raise InvalidInput(
            "must be the name of an agent; prompts/list and GET /agents/list show them.", argument="agent"
        )
    return name
