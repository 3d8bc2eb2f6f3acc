"""The mailbox of an HTTP+SSE session: messages from any process to its stream."""

from __future__ import annotations

from datetime import timedelta

from django.db import connection
from django.utils import timezone

from mcpapi.models import OutgoingMessage, Session
from mcpapi.rpc.suspension import CALL_CHANNEL
from mcpapi.state.sessions import remove_session, session_key_of

UNREAD_LIMIT = timedelta(minutes=1)
"""The time after which an unread message shows that the process with the stream is gone."""

KEEP = """
    WITH kept AS (
        INSERT INTO mcpapi_outgoingmessage (session_id, content)
        SELECT id_hash, %(content)s FROM mcpapi_session WHERE id_hash = %(session)s RETURNING id)
    SELECT pg_notify(%(channel)s, %(topic)s) FROM kept
"""
TAKE = """
    WITH taken AS (DELETE FROM mcpapi_outgoingmessage WHERE session_id = %s RETURNING id, content)
    SELECT content FROM taken ORDER BY id
"""


def topic_of(session: Session) -> str:
    """Return the topic that is published when there is a message for the session's stream."""
    return f"messages {session_key_of(session)}"


def put(session: Session, message: bytes) -> None:
    """Send `message` on the session's stream. Does nothing if the session has ended."""
    with connection.cursor() as cursor:
        cursor.execute(
            KEEP,
            {
                "session": bytes(session.pk),
                "content": message,
                "channel": CALL_CHANNEL,
                "topic": topic_of(session),
            },
        )


def take(session: Session) -> list[bytes]:
    """Remove and return the messages to send now, oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(TAKE, [bytes(session.pk)])
        return [bytes(content) for (content,) in cursor.fetchall()]


def is_abandoned(session: Session) -> bool:
    """Return whether the session's messages are no longer sent. Ends such a session."""
    unread = OutgoingMessage.objects.filter(session=session, kept_at__lt=timezone.now() - UNREAD_LIMIT)
    if not unread.exists():
        return False
    remove_session(session)
    return True


def remove_abandoned_sessions() -> None:
    """End the sessions whose messages are no longer sent."""
    unread = OutgoingMessage.objects.filter(kept_at__lt=timezone.now() - UNREAD_LIMIT)
    for session in Session.objects.filter(pk__in=unread.values("session")):
        remove_session(session)
