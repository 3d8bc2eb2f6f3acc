"""Agents as resources: the personality and the configuration of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from agents.selectors import ResolvedAgent, get_agent, list_agents
from mcpapi.calls.caller import Caller
from mcpapi.resources.base import JSON, Contents, NoSuchMember, Template
from memories.errors import NotFound

PREFIX = "ownsona://agents/"
MARKDOWN = "text/markdown"


def definitions_of_agents(caller: Caller) -> list[dict[str, Any]]:
    """Return the resources of all agents as `resources/list` shows them. One query."""
    agents = list_agents(caller.principal.owner_id)
    return [definition for agent in agents for definition in (_soul_definition(agent), _config_definition(agent))]


def _soul_definition(agent: ResolvedAgent) -> dict[str, Any]:
    return {
        "uri": f"{PREFIX}{agent.name}{SOUL.suffix}",
        "name": f"{agent.name}/SOUL.md",
        "title": f"{agent.title}: personality",
        "description": agent.definition.description,
        "mimeType": MARKDOWN,
    }


def _config_definition(agent: ResolvedAgent) -> dict[str, Any]:
    return {
        "uri": f"{PREFIX}{agent.name}{CONFIG.suffix}",
        "name": f"{agent.name}/config",
        "title": f"{agent.title}: configuration",
        "description": f"Tools, arguments and settings of the agent {agent.name}.",
        "mimeType": JSON,
    }


def _read_soul(caller: Caller, name: str) -> Contents:
    return {"text": _find(caller, name).definition.soul}


def _read_config(caller: Caller, name: str) -> Contents:
    agent = _find(caller, name)
    data = agent.definition.as_data()
    shown = {key: data[key] for key in ("title", "description", "tools", "arguments", "config")}
    config = {"id": agent.name, "name": agent.name, "source": agent.form, **shown}
    return {"text": orjson.dumps(config, option=orjson.OPT_INDENT_2).decode()}


def _find(caller: Caller, name: str) -> ResolvedAgent:
    try:
        return get_agent(caller.principal.owner_id, name)
    except NotFound:
        raise NoSuchMember from None


def _complete_name(caller: Caller, beginning: str) -> Sequence[str]:
    names = (agent.name for agent in list_agents(caller.principal.owner_id))
    return [name for name in names if name.startswith(beginning.strip())]


SOUL = Template(
    prefix=PREFIX,
    variable="id",
    name="agent-soul",
    title="The personality of an agent",
    description="The SOUL.md of the agent with this id.",
    mime_type=MARKDOWN,
    read=_read_soul,
    complete=_complete_name,
    suffix="/SOUL.md",
)
CONFIG = Template(
    prefix=PREFIX,
    variable="id",
    name="agent-config",
    title="The configuration of an agent",
    description="The tools, arguments and settings of the agent with this id, as JSON.",
    mime_type=JSON,
    read=_read_config,
    complete=_complete_name,
    suffix="/config",
)


def agent_name_in(uri: str) -> str | None:
    """Return the name of the agent that the resource at `uri` belongs to; None if it belongs to none."""
    return SOUL.extract_value(uri) or CONFIG.extract_value(uri)
