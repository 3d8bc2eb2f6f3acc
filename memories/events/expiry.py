"""Changes by expiry. Nothing is written when `expires_at` passes, so it has to be polled."""

from __future__ import annotations

from datetime import datetime

from django.db import connection

from memories.events.changes import Change, digests

# A memory that was written after it had expired was reported by that write (see changes.py).
EXPIRED = """
    SELECT owner_id, id, tags FROM memories_memory
     WHERE expires_at > %(since)s AND expires_at <= %(until)s AND updated_at < expires_at
       AND deleted_at IS NULL AND quarantined_from IS NULL
"""


def database_time() -> datetime:
    """Return the time of the clock that decides whether a memory has expired."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (now,) = cursor.fetchone()
    moment: datetime = now
    return moment


def expired_between(since: datetime, until: datetime) -> list[Change]:
    """Return a change for each memory of any owner that expired after `since` and not after `until`."""
    with connection.cursor() as cursor:
        cursor.execute(EXPIRED, {"since": since, "until": until})
        return [Change(owner_id, memory_id, digests(tags), None) for owner_id, memory_id, tags in cursor.fetchall()]
