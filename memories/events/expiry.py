"""Memories whose time runs out. Nobody writes at that moment, so whoever wants to know looks now and then."""

from __future__ import annotations

from datetime import datetime

from django.db import connection

from memories.events.changes import Change, digests

# What was written after its time had run out was told by the one who wrote it (see changes.py).
EXPIRED = """
    SELECT owner_id, id, tags FROM memories_memory
     WHERE expires_at > %(since)s AND expires_at <= %(until)s AND updated_at < expires_at
       AND deleted_at IS NULL AND quarantined_from IS NULL
"""


def database_time() -> datetime:
    """Now, by the clock that decides whether a memory has expired."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (now,) = cursor.fetchone()
    moment: datetime = now
    return moment


def expired_between(since: datetime, until: datetime) -> list[Change]:
    """A change for each memory, whosever it is, that went out of force after `since`, at `until` at the latest."""
    with connection.cursor() as cursor:
        cursor.execute(EXPIRED, {"since": since, "until": until})
        return [Change(owner_id, memory_id, digests(tags), None) for owner_id, memory_id, tags in cursor.fetchall()]
