"""The suspension of calls that wait for an event, and the PostgreSQL channel that resumes them.

A waiting call holds no thread and no connection. It runs again from its beginning when any process publishes its topic,
or when its time is up. Therefore its state is kept in the database and read again in each run.
"""

from __future__ import annotations

import hashlib

from django.db import connection

from mcpapi.rpc.jsonrpc import INVALID_REQUEST, RequestId, RpcError

CALL_CHANNEL = "ownsona_calls"
"""The PostgreSQL channel (LISTEN/NOTIFY) that resumes waiting calls. The payload is a topic."""


class CallSuspended(Exception):
    """A method stops before it has changed anything, to run again later. It must not be caught on the way."""


class WaitForTopic(CallSuspended):
    """The call runs again when `topic` is published or at `until`, in terms of time.monotonic().

    The run at `until` must not raise it again. Allowed only if `caller.can_wait`. The topic, at most 1,000 characters,
    should be unguessable, so that no other client can publish it.
    """

    def __init__(self, topic: str, until: float) -> None:
        super().__init__("The call waits")
        self.topic = topic
        self.until = until


class CallCancelled(RpcError):
    """The client has cancelled the call. Raised at a progress report; there is no response to it."""

    def __init__(self) -> None:
        super().__init__(INVALID_REQUEST, "The client has cancelled the call", reason="cancelled")


def publish(topic: str) -> None:
    """Resume the calls that wait for `topic` when this transaction is committed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, %s)", [CALL_CHANNEL, topic])


def cancel_topic(conversation_key: str, request_id: RequestId) -> str:
    """Return the topic that cancels the request with this id, sent in this session or on this connection."""
    # 5.0 is the same number as 5, but not the same id as "5".
    same = int(request_id) if isinstance(request_id, float) else request_id
    named = hashlib.sha256(f"{conversation_key} {same!r}".encode())
    return f"cancel {named.hexdigest()}"
