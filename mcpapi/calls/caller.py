"""The caller of a method: one admitted request and what is recorded about it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self
from uuid import UUID

from mcpapi.models import Session
from mcpapi.rpc.client_input import ClientInput, NoClientInput
from mcpapi.rpc.jsonrpc import INSUFFICIENT_SCOPE, Params, RpcError
from mcpapi.rpc.notifier import ClientNotifier
from memories.access import Actor, View
from memories.recall.pipeline import Query, RecallOutcome
from oauthserver.resource_server.bearer import record_usage
from oauthserver.resource_server.principal import Principal


@dataclass(slots=True)
class Caller:
    """One admitted request: its principal, the revision that shapes its result, and what is recorded about it.

    `inputs` sends requests to the client, `notifier` sends it notifications. `session` is the session that the request
    names. `conversation_key` identifies the session or the connection, so that other messages can refer to this call;
    it is empty when there is neither. `can_wait`: whether a method may raise WaitForTopic. `arrived_at`, by
    time.monotonic, stays as it is when the call is run again. `response_headers` are added to the HTTP response.

    The rest is for the activity log and the recall log: `memory_ids` and `document_ids` were returned or changed,
    `query` was searched for, `failure` is the error code of a tool that failed, `is_dry_run` marks a call that only
    asked what would happen, `is_hard_delete` one that deletes permanently, `recall` is the query with its result, and
    `custom_tool` the name of the custom tool that was called. `is_counted`: the owner's budgets include it.
    """

    principal: Principal
    protocol_version: str
    actor: Actor
    inputs: ClientInput
    notifier: ClientNotifier
    session: Session | None
    conversation_key: str
    can_wait: bool
    arrived_at: float = field(default_factory=time.monotonic)
    response_headers: dict[str, str] = field(default_factory=dict)
    memory_ids: list[int] = field(default_factory=list)
    document_ids: list[UUID] = field(default_factory=list)
    query: str = ""
    failure: str = ""
    is_dry_run: bool = False
    is_hard_delete: bool = False
    recall: tuple[Query, RecallOutcome] | None = None
    custom_tool: str = ""
    is_counted: bool = False

    @classmethod
    def of(
        cls,
        principal: Principal,
        protocol_version: str,
        *,
        inputs: ClientInput | None = None,
        notifier: ClientNotifier | None = None,
        session: Session | None = None,
        conversation_key: str = "",
        can_wait: bool = False,
    ) -> Self:
        """Return the caller of a request by `principal`, whose view the owner may have limited to tags."""
        view = View(principal.owner_id, principal.tags)
        session_id = session.short_id if session else ""
        actor = Actor(
            view,
            principal.client_id,
            session_id=session_id,
            is_quarantined=principal.quarantine,
            refused_inferences=principal.refused_inferences,
        )
        return cls(
            principal,
            protocol_version,
            actor,
            inputs or NoClientInput(),
            notifier or ClientNotifier(),
            session,
            conversation_key,
            can_wait,
        )

    @property
    def view(self) -> View:
        """The memories that this request may see and change."""
        return self.actor.view

    def for_new_run(self) -> Self:
        """Return a copy with nothing recorded: for the next call of a batch, or to run this call again.

        A call that is run again is counted already.
        """
        recorded: dict[str, Any] = {"memory_ids": [], "document_ids": [], "query": "", "failure": "", "recall": None}
        recorded["custom_tool"] = ""
        return replace(self, response_headers={}, is_dry_run=False, is_hard_delete=False, **recorded)

    @property
    def client_name(self) -> str:
        """The name of the app."""
        return self.principal.client_name

    def has_scope(self, scope: str) -> bool:
        """Return whether the token has `scope`."""
        return scope in self.principal.scopes

    def is_still_permitted(self) -> bool:
        """Return whether the owner still allows what they allowed when the call began. One query."""
        return self.principal.is_still_permitted()

    def require_scope(self, scope: str) -> None:
        """Raise RpcError (HTTP 403, which lets a client step up) if the token lacks `scope`."""
        if not self.has_scope(scope):
            raise RpcError(
                INSUFFICIENT_SCOPE,
                f"This needs the scope {scope}",
                reason="insufficient_scope",
                status=403,
                required_scope=scope,
                details=f"Authorize again and ask for {scope}.",
            )

    def record_usage(self, *, is_write: bool) -> None:
        """Count a call for the page of connected apps."""
        record_usage(self.principal, is_write=is_write)

    def record_memories(self, memory_ids: Iterable[int], *, query: str = "") -> None:
        """Record which memories this call returns or changes, and the query that found them."""
        self.memory_ids.extend(memory_ids)
        self.query = query

    def record_documents(self, document_ids: Iterable[UUID]) -> None:
        """Record which documents this call returns or changes, each once."""
        self.document_ids[:] = dict.fromkeys([*self.document_ids, *document_ids])


Method = Callable[[Caller, Params], Mapping[str, Any]]
"""A method of the protocol. It returns its result in the shape of the newest revision, or raises RpcError."""
