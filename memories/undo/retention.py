"""How long the history is kept. What stays is always the end of each memory's history, never a part with gaps."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from memories.database import fetch_rows
from memories.models import SynonymChange

BATCH = 5_000

_NEXT = """
SELECT id, at < %(oldest)s::timestamptz FROM memories_journalentry WHERE id > %(after)s ORDER BY id LIMIT %(batch)s
"""
# Kept is the last change of each memory, and of a forgotten one all since it was forgotten: with them it can be
# restored, and its reason and successor are known. What was before is reconstructed backwards from the current state.
DELETE_OLD = """
WITH given AS MATERIALIZED (
    SELECT id, owner_id, memory_id, operation FROM memories_journalentry WHERE id = ANY (%(ids)s::bigint[])
), kept AS MATERIALIZED (
    SELECT entry.memory_id, coalesce(
        max(entry.id) FILTER (WHERE memory.deleted_at IS NOT NULL AND entry.after ->> 'deleted_at' IS NOT NULL),
        max(entry.id)) AS first
    FROM (SELECT DISTINCT owner_id, memory_id FROM given) AS one
    JOIN memories_journalentry AS entry USING (owner_id, memory_id)
    LEFT JOIN memories_memory AS memory ON memory.id = one.memory_id
    GROUP BY entry.memory_id
)
DELETE FROM memories_journalentry AS old USING given JOIN kept USING (memory_id)
WHERE old.id = given.id AND (given.id < kept.first OR given.operation = 'hard_delete')
RETURNING 1
"""


def kept_since() -> datetime | None:
    """Return the time since which every change can be undone; None if the whole history is kept."""
    return timezone.now() - timedelta(days=settings.HISTORY_DAYS) if settings.HISTORY_DAYS else None


def delete_old_changes() -> int:
    """Delete what is older than the history is kept, batch by batch, and return the number of deleted changes.

    It ends at the first change that is not old: after the clock was set back, older times may follow, whose changes
    are not the beginning of a history.
    """
    oldest = kept_since()
    if oldest is None:
        return 0
    deleted, after = 0, 0
    while True:
        rows = fetch_rows(_NEXT, {"oldest": oldest, "after": after, "batch": BATCH})
        ids = _leading(rows)
        if ids:
            deleted += len(fetch_rows(DELETE_OLD, {"ids": ids}))
        if len(ids) < BATCH:
            break
        after = ids[-1]
    SynonymChange.objects.filter(at__lt=oldest).delete()
    return deleted


def _leading(rows: list[tuple[int, bool]]) -> list[int]:
    """Return the ids of the first rows, up to the first one that is not old."""
    ids = []
    for pk, is_old in rows:
        if not is_old:
            break
        ids.append(pk)
    return ids
