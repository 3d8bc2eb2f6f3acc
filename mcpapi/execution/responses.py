"""Responses to clients, independent of the transport that carries them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from mcpapi.eras.base import Era
from mcpapi.rpc import jsonrpc
from mcpapi.rpc.jsonrpc import RequestId, RpcError
from mcpapi.rpc.suspension import WaitForTopic
from mcpapi.subscriptions.filters import Notification, SubscriptionFilter


@dataclass(frozen=True, slots=True)
class Subscription:
    """A stream that a client requested: its first message, its filter, and the response when the server ends it."""

    acknowledgement: Notification
    filter: SubscriptionFilter
    final_message: bytes


class Continuation(Protocol):
    """A call without a response yet. `mcpapi.execution.pending` resumes it.

    `waits_for` is the event that it waits for, or None if it only has to be run. `session_key` names its session, as
    `mcpapi.state.sessions.session_key_of` does. A message on `cancel_topic` cancels it. `cancel_on_disconnect`: whether
    closing the stream cancels the call.
    """

    @property
    def waits_for(self) -> WaitForTopic | None: ...

    @property
    def session_key(self) -> str | None: ...

    @property
    def cancel_topic(self) -> str | None: ...

    @property
    def cancel_on_disconnect(self) -> bool: ...

    def resume(self) -> RpcResponse:
        """Run the call from its beginning, until it has a response or waits again. May take long."""
        ...

    def fail(self, error: RpcError) -> RpcResponse:
        """Return `error` as the response."""
        ...

    def interrupt(self, error: RpcError) -> None:
        """Make the running call end with `error` at its next progress report. Thread-safe."""
        ...


@dataclass(frozen=True, slots=True)
class RpcResponse:
    """A response: JSON, empty for a message that has no response, with its HTTP status and headers.

    `error` is the error that it reports. With `subscription` a stream follows instead of `content`. With `continuation`
    there is no response yet. `is_response` is false for an error about a message that has no response: only HTTP, which
    must answer every POST, sends it.
    """

    content: bytes = b""
    status: int = 202
    headers: Mapping[str, str] = field(default_factory=dict)
    error: RpcError | None = None
    subscription: Subscription | None = None
    continuation: Continuation | None = None
    is_response: bool = True

    @property
    def message(self) -> bytes:
        """The content for a transport that sends only messages; empty if there is nothing to send."""
        return self.content if self.is_response else b""


ACCEPTED = RpcResponse()


def error_response(era: Era, error: RpcError, request_id: RequestId = None) -> RpcResponse:
    """Return the error response for `error`, in the codes and statuses of `era`."""
    # A stored response would keep alive, through the frames of the traceback, everything that the call has read.
    error.__traceback__ = error.__context__ = None
    code = era.error_codes.get(error.code, error.code)
    content = jsonrpc.error_bytes(request_id, code, error, omits_null_id=era.omits_null_id)
    status = error.status or era.http_statuses.get(code, 200)
    return RpcResponse(content, status, error.headers, error)
