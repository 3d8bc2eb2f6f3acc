"""Creation, lookup and end of sessions (MCP 2025-11-25, transports, "Session Management")."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Func, JSONField, TextField, Value
from django.utils import timezone

from common.disk_space import unless_disk_is_full
from mcpapi.models import Session
from mcpapi.rpc.jsonrpc import NO_SESSION, RpcError, invalid_params
from oauthserver.resource_server.companion import Companion, CompanionTable
from oauthserver.resource_server.principal import Principal

SESSION_ID_BYTES = 32
SESSION_CHANNEL = "ownsona_sessions"
"""The channel on which PostgreSQL reports sessions that change or end.

The payload is the session's key, followed by a space and the id of the stream that took the session over, if any.
"""

MAX_SUBSCRIPTIONS = 1000
TOUCH_INTERVAL = timedelta(minutes=5)
"""The greatest delay of `last_seen_at`. It limits the writes for a session in use."""

_READ_FIELDS = [field.attname for field in Session._meta.concrete_fields if not isinstance(field, JSONField)]
_TABLE = CompanionTable("mcpapi_session", tuple(_READ_FIELDS))
_FIND = f"SELECT {', '.join(_READ_FIELDS)} FROM mcpapi_session WHERE id_hash = %s"  # noqa: S608 - constants


def start_session(
    principal: Principal, protocol_version: str, client_info: dict[str, Any], client_capabilities: dict[str, Any]
) -> str:
    """Store the result of `initialize` in a new session. Return its unpredictable id."""
    session_id, _ = new_session(
        principal,
        protocol_version=protocol_version,
        client_info=client_info,
        client_capabilities=client_capabilities,
    )
    return session_id


def new_session(principal: Principal, **agreed: Any) -> tuple[str, Session]:
    """Create a session of the owner and app with the fields `agreed`. Return its unpredictable id and the session."""
    session_id = secrets.token_urlsafe(SESSION_ID_BYTES)
    session = Session.objects.create(
        id_hash=_hash(session_id), owner_id=principal.owner_id, client_id=principal.client_id, **agreed
    )
    return session_id, session


def renew_session(
    session: Session, protocol_version: str, client_info: dict[str, Any], client_capabilities: dict[str, Any]
) -> None:
    """Store the result of `initialize` in a session that its transport has begun."""
    Session.objects.filter(pk=session.pk).update(
        protocol_version=protocol_version, client_info=client_info, client_capabilities=client_capabilities
    )


def session_row(session_id: str) -> Companion:
    """Return what reads the row of the session with this id together with the status of a token."""
    return Companion(_TABLE, _hash(session_id))


def find_session(
    principal: Principal, session_id: str, row: Companion | None = None, *, over_sse: bool = False
) -> Session:
    """Return the session with this id of this owner, app and transport. Raises RpcError (HTTP 404).

    One query, unless `row` has been read already, and one to store at times that the session is in use.
    """
    values = _read(_hash(session_id)) if row is None else row.values
    session = None if values is None else Session.from_db(connection.alias, _READ_FIELDS, values)
    now = timezone.now()
    if (
        session is None
        or (session.owner_id, session.client_id) != (principal.owner_id, principal.client_id)
        or session.over_sse is not over_sse
        or session.last_seen_at < now - _idle_limit()
    ):
        raise session_not_found()
    # A time in the future was stored before the clock was set back.
    if abs(now - session.last_seen_at) > min(TOUCH_INTERVAL, _idle_limit() / 2):
        with unless_disk_is_full():
            Session.objects.filter(pk=session.pk).update(last_seen_at=now)
    return session


def _read(id_hash: bytes) -> Sequence[Any] | None:
    """Return the fields of a session that most calls need. The others are loaded when they are read.

    Building the query with the ORM would take several times as long.
    """
    with connection.cursor() as cursor:
        cursor.execute(_FIND, [id_hash])
        row: Sequence[Any] | None = cursor.fetchone()
    return row


def session_not_found() -> RpcError:
    """Return the error for a session that does not exist (HTTP 404)."""
    return RpcError(
        NO_SESSION,
        "Session not found",
        reason="session_not_found",
        status=404,
        details="The session has ended, expired or never existed: start a new one with initialize.",
    )


def end_session(principal: Principal, session_id: str) -> None:
    """End the session. Raises RpcError (HTTP 404) if this owner and app have none with this id."""
    remove_session(find_session(principal, session_id))


def remove_session(session: Session) -> None:
    """Delete the session, and notify its streams and the calls that wait in it."""
    Session.objects.filter(pk=session.pk).delete()
    _publish(session_key_of(session))


def store_log_level(session: Session, level: str) -> None:
    """Set the minimum level of the session's log messages."""
    Session.objects.filter(pk=session.pk).update(log_level=level)


def subscribe(session: Session, uri: str) -> None:
    """Subscribe the session to changes of the resource. Raises RpcError -32602 if it has too many subscriptions."""
    with transaction.atomic():
        held = Session.objects.select_for_update().get(pk=session.pk)
        if uri in held.subscriptions:
            return
        if len(held.subscriptions) >= MAX_SUBSCRIPTIONS:
            raise invalid_params(
                f"a session can have at most {MAX_SUBSCRIPTIONS} subscriptions: unsubscribe from others first"
            )
        held.subscriptions.append(uri)
        held.save(update_fields=["subscriptions"])
        _publish(session_key_of(held))


def unsubscribe(session: Session, uri: str) -> None:
    """End the session's subscription to the resource."""
    Session.objects.filter(pk=session.pk).update(
        subscriptions=Func(F("subscriptions"), Value(uri, TextField()), function="array_remove")
    )
    _publish(session_key_of(session))


def session_key_of(session: Session) -> str:
    """Return the name of the session on SESSION_CHANNEL. It is not a session id and grants no access."""
    return bytes(session.pk).hex()


def publish_takeover(session: Session, stream_id: str) -> None:
    """Notify the session's other streams, in any process, that this one replaces them."""
    _publish(f"{session_key_of(session)} {stream_id}")


def _publish(payload: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, %s)", [SESSION_CHANNEL, payload])


def delete_idle_sessions() -> int:
    """Delete the sessions that were idle for too long. Return their number."""
    deleted, _ = Session.objects.filter(last_seen_at__lt=timezone.now() - _idle_limit()).delete()
    return deleted


def _idle_limit() -> timedelta:
    return timedelta(seconds=settings.MCP_SESSION_IDLE_SECONDS)


def _hash(session_id: str) -> bytes:
    return hashlib.sha256(session_id.encode("utf-8", "surrogateescape")).digest()
