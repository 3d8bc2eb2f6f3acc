"""Server requests and their replies, in the database because any process may receive a reply."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import orjson
from django.conf import settings
from django.db import connection
from django.utils import timezone

from mcpapi.models import ServerRequest, Session
from mcpapi.rpc.client_input import InputRequest
from mcpapi.rpc.jsonrpc import INVALID_REQUEST, Reply, RpcError, encode_params
from mcpapi.rpc.suspension import CALL_CHANNEL, publish

ID_BYTES = 16
ID = re.compile(r"[A-Za-z0-9_-]{22}")
MAX_REPLY_BYTES = 1_000_000
"""The largest reply that is stored: more than a form, a list of roots or a text of a model needs."""

# Only the first reply counts, and only from the session that was asked. It resumes the call in any process.
KEEP = """
    WITH answered AS (
        UPDATE mcpapi_question SET reply = %(reply)s, is_error = %(is_error)s
         WHERE id = %(id)s AND session_id = %(session)s AND reply IS NULL RETURNING topic)
    SELECT pg_notify(%(channel)s, topic) FROM answered
"""


@dataclass(frozen=True, slots=True)
class RequestState:
    """The state of a server request. `reply` is the client's reply, any JSON value, once `is_answered`."""

    is_answered: bool
    is_error: bool
    reply: Any


def new_topic() -> str:
    """Return an unguessable topic for the replies to one call."""
    return f"replies {secrets.token_urlsafe(ID_BYTES)}"


def store_requests(session: Session, topic: str, requests: Mapping[str, InputRequest]) -> list[bytes]:
    """Store `requests`, by name, as sent to the session. Return the messages to send."""
    rows = [
        ServerRequest(id=secrets.token_urlsafe(ID_BYTES), session=session, topic=topic, name=name) for name in requests
    ]
    ServerRequest.objects.bulk_create(rows)
    return [orjson.dumps({"jsonrpc": "2.0", "id": row.pk, **requests[row.name].as_json()}) for row in rows]


def find_requests(topic: str) -> Mapping[str, RequestState]:
    """Return the stored server requests of the call, by name."""
    rows = ServerRequest.objects.filter(topic=topic).values_list("name", "reply", "is_error")
    return {
        name: RequestState(reply is not None, is_error, None if reply is None else orjson.loads(bytes(reply)))
        for name, reply, is_error in rows
    }


def wake_calls(name: str) -> None:
    """Resume the calls with a server request of this name: they may not need the reply any more."""
    for topic in ServerRequest.objects.filter(name=name).values_list("topic", flat=True):
        publish(topic)


def delete_requests(topic: str) -> None:
    """Delete the server requests of the call, and their replies."""
    ServerRequest.objects.filter(topic=topic).delete()


def keep_reply(session: Session, reply: Reply) -> None:
    """Store a client's reply to an open server request of the session, and resume its call. Ignores any other reply.

    Raises RpcError (HTTP 413) if the reply is too large: the call resumes as after an error.
    """
    if not isinstance(reply.id, str) or not ID.fullmatch(reply.id):
        return
    encoded = encode_params("error" if reply.is_error else "result", reply.content)
    is_too_large = len(encoded) > MAX_REPLY_BYTES
    with connection.cursor() as cursor:
        cursor.execute(
            KEEP,
            {
                "id": reply.id,
                "session": bytes(session.pk),
                "reply": b"{}" if is_too_large else encoded,
                "is_error": reply.is_error or is_too_large,
                "channel": CALL_CHANNEL,
            },
        )
    if is_too_large:
        raise RpcError(
            INVALID_REQUEST,
            "Response too large",
            reason="request_too_large",
            status=413,
            details=f"A response may have at most {MAX_REPLY_BYTES} bytes.",
        )


def delete_old_requests() -> None:
    """Delete the server requests of calls that ended with their process, without deleting them."""
    limit = timedelta(seconds=2 * settings.MCP_QUESTION_SECONDS)
    ServerRequest.objects.filter(asked_at__lt=timezone.now() - limit).delete()
