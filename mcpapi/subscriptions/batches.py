"""Batches of PostgreSQL notifications, sorted by the listeners that they concern. No input or output."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

import psycopg

from agents.events import CHANNEL as AGENT_CHANNEL
from agents.events import AgentChange, DefinitionChange
from customtools.events import CHANNEL as TOOL_CHANNEL
from documents.events import CHANNEL as DOCUMENT_CHANNEL
from documents.events import DocumentChange
from mcpapi.prompts.own import PROMPT_CHANNEL
from mcpapi.rpc.suspension import CALL_CHANNEL
from mcpapi.state.sessions import SESSION_CHANNEL
from mcpapi.subscriptions.filters import ResourceChange
from memories.events.changes import CHANNEL as MEMORY_CHANNEL
from memories.events.changes import Change
from oauthserver.resource_server.principal import PERMISSION_CHANNEL
from workflows.events import CHANNEL as WORKFLOW_CHANNEL
from workflows.events import WorkflowChange

COALESCED_CHANNELS = frozenset(
    {MEMORY_CHANNEL, DOCUMENT_CHANNEL, PROMPT_CHANNEL, TOOL_CHANNEL, AGENT_CHANNEL, WORKFLOW_CHANNEL}
)
"""The channels with many notifications, none of which is urgent."""

CHANNELS = (*sorted(COALESCED_CHANNELS), SESSION_CHANNEL, CALL_CHANNEL, PERMISSION_CHANNEL)


@dataclass(frozen=True, slots=True)
class NotificationBatch:
    """Changed memories, documents, agents and workflows, and changed lists of prompts and custom tools, by owner id;
    topics of calls; names of connections.

    `sessions` maps a session key to the id of the stream that took the session over, or to an empty string.
    """

    resources: defaultdict[int, list[ResourceChange]] = field(default_factory=lambda: defaultdict(list))
    definitions: defaultdict[int, list[DefinitionChange]] = field(default_factory=lambda: defaultdict(list))
    prompts: set[int] = field(default_factory=set)
    tools: set[int] = field(default_factory=set)
    sessions: dict[str, str] = field(default_factory=dict)
    calls: set[str] = field(default_factory=set)
    permissions: set[str] = field(default_factory=set)

    @classmethod
    def from_notifies(cls, notices: Iterable[psycopg.Notify]) -> Self:
        """Read the payloads of `notices`, which come from any of CHANNELS."""
        batch = cls()
        for notice in notices:
            batch._add(notice.channel, notice.payload)
        return batch

    @classmethod
    def from_changes(cls, changes: Iterable[Change]) -> Self:
        """Return a batch that contains only changes of memories."""
        batch = cls()
        for change in changes:
            batch.resources[change.owner_id].append(change)
        return batch

    def _add(self, channel: str, payload: str) -> None:
        if channel in {MEMORY_CHANNEL, DOCUMENT_CHANNEL}:
            change = Change.read(payload) if channel == MEMORY_CHANNEL else DocumentChange.read(payload)
            self.resources[change.owner_id].append(change)
        elif channel in {AGENT_CHANNEL, WORKFLOW_CHANNEL}:
            defined = AgentChange.read(payload) if channel == AGENT_CHANNEL else WorkflowChange.read(payload)
            self.definitions[defined.owner_id].append(defined)
            # Agents and workflows are prompts, too.
            self.prompts.add(defined.owner_id)
        elif channel == PROMPT_CHANNEL:
            self.prompts.add(int(payload))
        elif channel == TOOL_CHANNEL:
            self.tools.add(int(payload))
        elif channel == CALL_CHANNEL:
            self.calls.add(payload)
        elif channel == PERMISSION_CHANNEL:
            self.permissions.add(payload)
        else:
            key, _, taken_over_by = payload.partition(" ")
            self.sessions[key] = taken_over_by or self.sessions.get(key, "")
