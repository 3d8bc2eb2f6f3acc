"""The lifetime of the history. The rest is always the end of each memory's history, never a part with gaps."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from memories.database import fetch_rows

BATCH = 5_000

_NEXT = """
SELECT id, at < %(oldest)s::timestamptz FROM memories_journalentry WHERE id > %(after)s ORDER BY id LIMIT %(batch)s
"""
# Kept is the last change of each memory, and of a forgotten one all since it was forgotten: with them it can be
# restored, and its reason and successor are known. What was before is reconstructed backwards from the current state.
DELETE_OLD = """
WITH given AS MATERIALIZED (
    SELECT id, owner_id, memory_id, operation FROM memories_journalentry
    WHERE id = ANY (%(ids)s::bigint[]) AND memory_id IS NOT NULL
), kept AS MATERIALIZED (
    SELECT entry.memory_id, coalesce(
        max(entry.id) FILTER (WHERE memory.deleted_at IS NOT NULL AND entry.after ->> 'deleted_at' IS NOT NULL),
        max(entry.id) FILTER (WHERE entry.operation <> 'show'), max(entry.id)) AS first
    FROM (SELECT DISTINCT owner_id, memory_id FROM given) AS one
    JOIN memories_journalentry AS entry USING (owner_id, memory_id)
    LEFT JOIN memories_memory AS memory ON memory.id = one.memory_id
    GROUP BY entry.memory_id
)
DELETE FROM memories_journalentry AS old USING given JOIN kept USING (memory_id)
WHERE old.id = given.id AND (given.id < kept.first OR given.operation = 'hard_delete')
RETURNING 1
"""
# The same for documents, whose table belongs to another app: the journal itself says whether one is forgotten.
_DELETE_OLD_OF_DOCUMENTS = """
WITH given AS MATERIALIZED (
    SELECT id, owner_id, document_id, operation FROM memories_journalentry
    WHERE id = ANY (%(ids)s::bigint[]) AND document_id IS NOT NULL
), ends AS MATERIALIZED (
    SELECT entry.owner_id, entry.document_id, max(entry.id) AS last,
           max(entry.id) FILTER (WHERE entry.after ->> 'deleted_at' IS NOT NULL) AS forgotten,
           max(entry.id) FILTER (WHERE entry.after -> 'deleted_at' = 'null') AS restored
    FROM (SELECT DISTINCT owner_id, document_id FROM given) AS one
    JOIN memories_journalentry AS entry USING (owner_id, document_id)
    GROUP BY entry.owner_id, entry.document_id
)
DELETE FROM memories_journalentry AS old USING given JOIN ends USING (owner_id, document_id)
WHERE old.id = given.id AND (given.operation = 'hard_delete' OR given.id <
    CASE WHEN ends.forgotten > coalesce(ends.restored, 0) THEN ends.forgotten ELSE ends.last END)
RETURNING 1
"""
_DELETE_OLD_OF_SYNONYMS = """
DELETE FROM memories_journalentry WHERE id = ANY (%(ids)s::bigint[]) AND variant IS NOT NULL RETURNING 1
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
            statements = (DELETE_OLD, _DELETE_OLD_OF_DOCUMENTS, _DELETE_OLD_OF_SYNONYMS)
            deleted += sum(len(fetch_rows(statement, {"ids": ids})) for statement in statements)
        if len(ids) < BATCH:
            break
        after = ids[-1]
    return deleted


def _leading(rows: list[tuple[int, bool]]) -> list[int]:
    """Return the ids of the first rows, up to the first one that is not old."""
    ids = []
    for pk, is_old in rows:
        if not is_old:
            break
        ids.append(pk)
    return ids
