"""Making, finding and ending sessions (MCP 2025-11-25, transports, "Session Management")."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Func, TextField, Value
from django.utils import timezone

from common.storage import unless_disk_is_full
from mcpapi.models import Session
from mcpapi.rpc.jsonrpc import NO_SESSION, RpcError, invalid_params
from oauthserver.resource_server.bearer import Principal

SESSION_ID_BYTES = 32
SESSION_CHANNEL = "ownsona_sessions"
"""Where PostgreSQL tells of sessions that change or end: the session's key, and after a blank the id of the stream that
took it over, if one did."""

MAX_SUBSCRIPTIONS = 1000
TOUCH_INTERVAL = timedelta(minutes=5)
"""How stale `last_seen_at` may get: a session in use costs a write only so often."""


def start_session(
    principal: Principal, protocol_version: str, client_info: dict[str, Any], client_capabilities: dict[str, Any]
) -> str:
    """Keep what `initialize` agreed on; the new session's unpredictable id."""
    session_id, _ = new_session(
        principal,
        protocol_version=protocol_version,
        client_info=client_info,
        client_capabilities=client_capabilities,
    )
    return session_id


def new_session(principal: Principal, **agreed: Any) -> tuple[str, Session]:
    """A new session of the user and the app with the fields `agreed`, and its unpredictable id."""
    session_id = secrets.token_urlsafe(SESSION_ID_BYTES)
    session = Session.objects.create(
        id_hash=_hash(session_id), owner_id=principal.owner_id, client_id=principal.client_id, **agreed
    )
    return session_id, session


def renew_session(
    session: Session, protocol_version: str, client_info: dict[str, Any], client_capabilities: dict[str, Any]
) -> None:
    """Keep what `initialize` agreed on in a session that its transport has begun."""
    Session.objects.filter(pk=session.pk).update(
        protocol_version=protocol_version, client_info=client_info, client_capabilities=client_capabilities
    )


def find_session(principal: Principal, session_id: str, *, over_sse: bool = False) -> Session:
    """The session with this id, if it is this user's and app's, on this transport. Raises RpcError (HTTP 404)."""
    session = Session.objects.filter(
        id_hash=_hash(session_id), owner_id=principal.owner_id, client_id=principal.client_id, over_sse=over_sse
    ).first()
    now = timezone.now()
    if session is None or session.last_seen_at < now - _idle_limit():
        raise session_not_found()
    # Seen in the future: before the clock was set back.
    if abs(now - session.last_seen_at) > min(TOUCH_INTERVAL, _idle_limit() / 2):
        with unless_disk_is_full():
            Session.objects.filter(pk=session.pk).update(last_seen_at=now)
    return session


def session_not_found() -> RpcError:
    """The answer to who names a session that there is not."""
    return RpcError(
        NO_SESSION,
        "Session not found",
        reason="session_not_found",
        status=404,
        details="The session ended, expired or never was: start a new one with initialize.",
    )


def end_session(principal: Principal, session_id: str) -> None:
    """Forget the session. Raises RpcError (HTTP 404) where there is none of this user and app."""
    remove_session(find_session(principal, session_id))


def remove_session(session: Session) -> None:
    """Forget the session, and tell its streams and the calls that wait in it."""
    Session.objects.filter(pk=session.pk).delete()
    _publish(session_key_of(session))


def store_log_level(session: Session, level: str) -> None:
    """The session gets messages of this severity and up."""
    Session.objects.filter(pk=session.pk).update(log_level=level)


def subscribe(session: Session, uri: str) -> None:
    """The session hears when the resource changes. Raises RpcError -32602 when it is subscribed to too many."""
    with transaction.atomic():
        held = Session.objects.select_for_update().get(pk=session.pk)
        if uri in held.subscriptions:
            return
        if len(held.subscriptions) >= MAX_SUBSCRIPTIONS:
            raise invalid_params(
                f"a session has at most {MAX_SUBSCRIPTIONS} subscriptions: unsubscribe from others first"
            )
        held.subscriptions.append(uri)
        held.save(update_fields=["subscriptions"])
        _publish(session_key_of(held))


def unsubscribe(session: Session, uri: str) -> None:
    """The session hears nothing more of the resource."""
    Session.objects.filter(pk=session.pk).update(
        subscriptions=Func(F("subscriptions"), Value(uri, TextField()), function="array_remove")
    )
    _publish(session_key_of(session))


def session_key_of(session: Session) -> str:
    """What names the session on SESSION_CHANNEL. It opens nothing."""
    return bytes(session.pk).hex()


def publish_takeover(session: Session, stream_id: str) -> None:
    """Tell the session's other streams, in whichever process, that this one takes their place."""
    _publish(f"{session_key_of(session)} {stream_id}")


def _publish(payload: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, %s)", [SESSION_CHANNEL, payload])


def delete_idle_sessions() -> int:
    """Remove sessions that nobody used for too long; how many."""
    deleted, _ = Session.objects.filter(last_seen_at__lt=timezone.now() - _idle_limit()).delete()
    return deleted


def _idle_limit() -> timedelta:
    return timedelta(seconds=settings.MCP_SESSION_IDLE_SECONDS)


def _hash(session_id: str) -> bytes:
    return hashlib.sha256(session_id.encode("utf-8", "surrogateescape")).digest()
