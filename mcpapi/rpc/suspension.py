"""Calls that wait for something to happen, and how they hear of it: `LISTEN ownsona_calls`.

A waiting call holds no thread and no connection. It runs again from its beginning when its topic is published, by
whichever process, or when its time is over: so whatever it waits for is kept in the database, and read anew each time.
"""

from __future__ import annotations

import hashlib

from django.db import connection

from mcpapi.rpc.jsonrpc import INVALID_REQUEST, RequestId, RpcError

CALL_CHANNEL = "ownsona_calls"
"""Where PostgreSQL tells waiting calls what happened. The payload is a topic."""


class CallSuspended(Exception):
    """A method stops before it has changed anything, to be run again later. Nothing may swallow it."""


class WaitForTopic(CallSuspended):
    """The call goes on when `topic` is published, or at `until` (by time.monotonic), when the method does not raise it
    again.

    Only where `caller.can_wait`. The topic, at most 1,000 characters, should be such that no stranger can publish it.
    """

    def __init__(self, topic: str, until: float) -> None:
        super().__init__("The call waits")
        self.topic = topic
        self.until = until


class CallCancelled(RpcError):
    """The client does not want the answer any more. Raised where a call tells how far it is, and never answered."""

    def __init__(self) -> None:
        super().__init__(INVALID_REQUEST, "The client has cancelled the call", reason="cancelled")


def publish(topic: str) -> None:
    """Run the calls that wait for `topic` again, when this transaction is committed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, %s)", [CALL_CHANNEL, topic])


def cancel_topic(conversation_key: str, request_id: RequestId) -> str:
    """What is published to cancel the request with this id, sent in this session or on this connection."""
    # 5.0 is the same number as 5, but not the same id as "5".
    same = int(request_id) if isinstance(request_id, float) else request_id
    named = hashlib.sha256(f"{conversation_key} {same!r}".encode())
    return f"cancel {named.hexdigest()}"
