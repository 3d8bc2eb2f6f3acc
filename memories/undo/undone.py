"""Changes that an undo has taken back since."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL

from memories.database import fetch_rows
from memories.models import JournalEntry

CHECKED = 100
"""Number of the first and of the last changes of a change set that are checked."""

# An undo takes back a change if it set all its fields, and to values from before the change or an earlier one. If
# several changes of one memory are undone at once, the values are those from before the first. What added a memory is
# taken back by forgetting it. Only the last undo counts: it may have undone an earlier one. Each column has a statement
# of its own, because PostgreSQL would use no index for a choice among columns, and read the whole journal.
_LAST_UNDO = """
SELECT CASE
    WHEN {entry}.operation IN ('show', 'hard_delete') THEN false
    WHEN {entry}.before = '{{}}'::jsonb THEN undo.after ->> 'deleted_at' IS NOT NULL
    ELSE EXISTS (
        SELECT FROM memories_journalentry AS earlier
        WHERE earlier.owner_id = {entry}.owner_id AND earlier.{column} = {entry}.{column} AND earlier.id <= {entry}.id
          AND earlier.before @> (
              SELECT jsonb_object_agg(field, undo.after -> field) FROM jsonb_object_keys({entry}.before) AS field
          )
    )
END
FROM memories_journalentry AS undo
WHERE undo.owner_id = {entry}.owner_id AND undo.{column} = {entry}.{column} AND undo.id > {entry}.id
  AND undo.operation IN ('undo', 'redo')
ORDER BY undo.id DESC LIMIT 1
"""


def undone_sql(entry: str) -> str:
    """Return SQL that is true for a change that has been undone. `entry` is the name of the journal's row."""
    by_memory, by_document, by_variant = (
        _LAST_UNDO.format(entry=entry, column=column) for column in ("memory_id", "document_id", "variant")
    )
    return f"""coalesce(CASE WHEN {entry}.memory_id IS NOT NULL THEN ({by_memory})
        WHEN {entry}.document_id IS NOT NULL THEN ({by_document}) ELSE ({by_variant}) END, false)"""


_SETS = f"""
SELECT wanted.change_set FROM unnest(%(sets)s::uuid[]) AS wanted(change_set)
CROSS JOIN LATERAL (
    (SELECT * FROM memories_journalentry
     WHERE owner_id = %(owner)s AND change_set = wanted.change_set ORDER BY id LIMIT {CHECKED})
    UNION
    (SELECT * FROM memories_journalentry
     WHERE owner_id = %(owner)s AND change_set = wanted.change_set ORDER BY id DESC LIMIT {CHECKED})
) AS entry
GROUP BY wanted.change_set HAVING bool_and({undone_sql("entry")})
"""  # noqa: S608 - only constants


def with_undone(entries: QuerySet[JournalEntry]) -> QuerySet[JournalEntry]:
    """Add `is_undone` to journal entries: whether the change has been undone since."""
    sql = undone_sql("memories_journalentry")
    return entries.annotate(is_undone=RawSQL(sql, (), BooleanField()))  # noqa: S611 - only constants


def undone_sets(owner_id: int, sets: Collection[UUID]) -> set[UUID]:
    """Return those change sets of which every change has been undone. Of large ones, only some changes are checked.

    One query, or none without sets.
    """
    return {row[0] for row in fetch_rows(_SETS, {"owner": owner_id, "sets": list(sets)})} if sets else set()
