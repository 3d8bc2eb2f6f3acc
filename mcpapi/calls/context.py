"""Who is calling, and how."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Self

from mcpapi.calls.trace import Trace
from mcpapi.models import Session
from mcpapi.rpc.inputs import Inputs, NobodyToAsk
from mcpapi.rpc.jsonrpc import INSUFFICIENT_SCOPE, RpcError
from mcpapi.rpc.notifier import Speech
from memories.access.actor import Actor
from memories.access.view import View
from oauthserver.resource_server.bearer import Principal, note_call


@dataclass(frozen=True, slots=True)
class Caller:
    """One admitted request: whose it is, the revision whose shapes it is answered in, and its place in the journal.

    `inputs` is the way to ask the client something, `speech` the way to tell it something; `session` the one that the
    request names; `conversation` names that, or the connection, to what else the client says: empty where there is
    neither. `can_wait`: whether a method may raise Waiting. `arrived_at`, by time.monotonic, stays the same when it
    runs again. `trace` is what is noted for the record of activity.
    """

    principal: Principal
    protocol_version: str
    actor: Actor
    inputs: Inputs
    speech: Speech
    session: Session | None
    conversation: str
    can_wait: bool
    arrived_at: float = field(default_factory=time.monotonic)
    trace: Trace = field(default_factory=Trace)

    @classmethod
    def of(
        cls,
        principal: Principal,
        protocol_version: str,
        *,
        inputs: Inputs | None = None,
        speech: Speech | None = None,
        session: Session | None = None,
        conversation: str = "",
        can_wait: bool = False,
    ) -> Self:
        """A request of `principal`, who sees what the owner lets them see."""
        view = View(principal.user_id, principal.tags)
        actor = Actor(view, principal.client_id, is_quarantined=principal.quarantine)
        return cls(
            principal,
            protocol_version,
            actor,
            inputs or NobodyToAsk(),
            speech or Speech(),
            session,
            conversation,
            can_wait,
        )

    @property
    def view(self) -> View:
        """All that this request may see and change."""
        return self.actor.view

    def for_another_call(self) -> Self:
        """The same caller with the next call of a batch, or with the same call once more."""
        return replace(self, trace=Trace())

    def require_scope(self, scope: str) -> None:
        """Raise RpcError (HTTP 403, which lets a client step up) where the token has no `scope`."""
        if scope not in self.principal.scopes:
            raise RpcError(
                INSUFFICIENT_SCOPE,
                f"This needs the scope {scope}",
                reason="insufficient_scope",
                status=403,
                required_scope=scope,
                details=f"Authorize again and ask for {scope}.",
            )

    def note_call(self, *, is_write: bool) -> None:
        """Count a call for the page where the owner looks at connected apps."""
        note_call(self.principal, is_write=is_write)

    def touch(self, memory_ids: Iterable[int], *, query: str = "") -> None:
        """Note which memories this call shows or changes, and what they were searched by."""
        self.trace.touch(memory_ids, query)
