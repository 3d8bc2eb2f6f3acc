"""What goes back to a client, whatever transport takes it there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from mcpapi.eras.base import Era
from mcpapi.rpc import jsonrpc
from mcpapi.rpc.jsonrpc import RequestId, RpcError
from mcpapi.rpc.waiting import Waiting
from mcpapi.subscriptions.filters import Notification, Wants


@dataclass(frozen=True, slots=True)
class Listening:
    """A stream that the client asked for: how it begins, what it tells, and the answer when the server ends it."""

    acknowledgement: Notification
    wants: Wants
    farewell: bytes


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A call that goes on while its client may hear from it; see mcpapi/execution/pending.py, which runs it on.

    `waiting` is what it waits for, None if it only has to be run on. `go_on` runs it, in a thread that may take long,
    to its answer or to where it waits again; `give_up` answers it with an error; `interrupt` has it end with one though
    it runs, where it next tells how far it is.
    `cancelled_by` is the topic by which its client cancels it; `leaving_cancels`, whether closing the stream does.
    `session_key` names the session that it belongs to, as `mcpapi.state.sessions.key_of` does.
    """

    waiting: Waiting | None
    go_on: Callable[[], Answer]
    give_up: Callable[[RpcError], Answer]
    interrupt: Callable[[RpcError], None]
    cancelled_by: str | None
    leaving_cancels: bool
    session_key: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back: JSON, empty where nobody waits for any, and how HTTP says it. `error`: the one that it is.

    With `listening`, a stream in its place. With `unfinished` there is no answer yet. `is_response` is false where it
    says what is wrong with a message that has no response: HTTP says so all the same, since it answers every POST.
    """

    content: bytes = b""
    status: int = 202
    headers: Mapping[str, str] = field(default_factory=dict)
    error: RpcError | None = None
    listening: Listening | None = None
    unfinished: Unfinished | None = None
    is_response: bool = True

    @property
    def message(self) -> bytes:
        """What is sent where nothing but messages can be; empty for nothing."""
        return self.content if self.is_response else b""


ACCEPTED = Answer()


def refusal(era: Era, error: RpcError, request_id: RequestId = None) -> Answer:
    """The answer that `error` is."""
    # Whoever keeps the answer would keep, with the frames of the traceback, all that the call has read.
    error.__traceback__ = error.__context__ = None
    code = era.codes.get(error.code, error.code)
    content = jsonrpc.error_bytes(request_id, code, error, names_no_id=era.names_no_id)
    status = error.status or era.statuses.get(code, 200)
    return Answer(content, status, error.headers, error)
