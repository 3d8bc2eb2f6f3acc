"""Making, finding and ending sessions (MCP 2025-11-25, transports, "Session Management")."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from mcpapi.jsonrpc import NO_SESSION, RpcError
from mcpapi.models import Session
from oauthserver.bearer import Principal

SESSION_ID_BYTES = 32
TOUCH_INTERVAL = timedelta(minutes=5)
"""How stale `last_seen_at` may get: a session in use costs a write only so often."""


def start_session(
    principal: Principal, protocol_version: str, client_info: dict[str, Any], client_capabilities: dict[str, Any]
) -> str:
    """Keep what `initialize` agreed on; the new session's unpredictable id."""
    session_id = secrets.token_urlsafe(SESSION_ID_BYTES)
    Session.objects.create(
        id_hash=_hash(session_id),
        owner_id=principal.user_id,
        client_id=principal.client_id,
        protocol_version=protocol_version,
        client_info=client_info,
        client_capabilities=client_capabilities,
    )
    return session_id


def find_session(principal: Principal, session_id: str) -> Session:
    """The session with this id, if it is this user's and app's. Raises RpcError (HTTP 404) otherwise."""
    session = Session.objects.filter(
        id_hash=_hash(session_id), owner_id=principal.user_id, client_id=principal.client_id
    ).first()
    now = timezone.now()
    if session is None or session.last_seen_at < now - _idle_limit():
        raise RpcError(
            NO_SESSION,
            "Session not found",
            reason="session_not_found",
            status=404,
            details="The session ended, expired or never was: start a new one with initialize.",
        )
    if session.last_seen_at < now - TOUCH_INTERVAL:
        Session.objects.filter(pk=session.pk).update(last_seen_at=now)
    return session


def end_session(principal: Principal, session_id: str) -> None:
    """Forget the session. Raises RpcError (HTTP 404) where there is none of this user and app."""
    find_session(principal, session_id).delete()


def keep_log_level(session: Session, level: str) -> None:
    """The session gets messages of this severity and up."""
    Session.objects.filter(pk=session.pk).update(log_level=level)


def delete_idle_sessions() -> int:
    """Remove sessions that nobody used for too long; how many."""
    deleted, _ = Session.objects.filter(last_seen_at__lt=timezone.now() - _idle_limit()).delete()
    return deleted


def _idle_limit() -> timedelta:
    return timedelta(seconds=settings.MCP_SESSION_IDLE_SECONDS)


def _hash(session_id: str) -> bytes:
    return hashlib.sha256(session_id.encode("utf-8", "surrogateescape")).digest()
