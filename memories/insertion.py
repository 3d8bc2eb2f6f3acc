"""Storing new memories with their vectors and journal lines: one statement, so all of it or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from psycopg.types.json import Jsonb

from memories.actor import Actor
from memories.database import fetch_rows
from memories.drafts import Draft
from memories.embeddings.base import Matrix
from memories.models import JournalEntry
from memories.spaces import as_halfvecs, current_space_id
from memories.tasks import index_soon

BATCH_LOCK = 0x6D656D << 32
"""Added to an owner's id, the key of the advisory lock under which the owner's batches are stored."""

_INSERT = """
WITH item AS (
    SELECT given.*, decode(hash, 'hex') AS text_hash,
           ARRAY(SELECT jsonb_array_elements_text(given.tags)) AS tag_list
    FROM jsonb_to_recordset(%(items)s::jsonb) AS given(
        ordinal int, text text, hash text, tags jsonb, importance float8, source_provider text, capture_mode text,
        session_id text, created_at timestamptz, last_confirmed_at timestamptz, expires_at timestamptz)
), made AS (
    INSERT INTO memories_memory (owner_id, text, text_hash, tags, importance, source_provider, capture_mode,
                                 session_id, created_at, last_confirmed_at, expires_at)
    SELECT %(owner)s, text, text_hash, tag_list, importance, source_provider, capture_mode, session_id,
           coalesce(created_at, statement_timestamp()), coalesce(last_confirmed_at, statement_timestamp()), expires_at
    FROM item ORDER BY ordinal
    ON CONFLICT (owner_id, text_hash) WHERE deleted_at IS NULL DO NOTHING
    RETURNING id, text_hash, text, tags, importance, source_provider, capture_mode, session_id, last_confirmed_at,
              expires_at
), placed AS (
    SELECT item.ordinal, made.* FROM made JOIN item USING (text_hash)
), indexed AS (
    INSERT INTO memories_memoryvector (owner_id, space_id, memory_id, "window", embedding)
    SELECT %(owner)s, %(space)s::bigint, placed.id, given."window", given.vector
    FROM unnest(%(ordinals)s::int[], %(windows)s::smallint[], %(vectors)s::halfvec[])
         AS given(ordinal, "window", vector)
    JOIN placed USING (ordinal)
), logged AS (
    INSERT INTO memories_journalentry (owner_id, memory_id, operation, before, after, client, call_id)
    SELECT %(owner)s, id, %(operation)s, '{}',
           jsonb_strip_nulls(to_jsonb(placed) - '{id,ordinal,text_hash}'::text[]), %(client)s, %(call)s
    FROM placed ORDER BY ordinal
)
SELECT ordinal, id FROM placed
"""


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A checked draft and the vectors of its text; None while they are pending."""

    draft: Draft
    vectors: Matrix | None


def insert_memories(actor: Actor, new: Sequence[NewMemory]) -> list[int | None]:
    """Store each of `new`, whose texts all differ; the ids by position.

    None stands where an equal text is in force already, also one that another process stored a moment ago.
    """
    space_id = current_space_id() if any(memory.vectors is not None for memory in new) else None
    if len(new) == 1:
        return _insert(actor, new, space_id)
    with transaction.atomic():
        # Two calls with the same texts in another order would wait for each other's rows for ever.
        fetch_rows("SELECT pg_advisory_xact_lock(%(key)s::bigint)", {"key": BATCH_LOCK + actor.user_id})
        return _insert(actor, new, space_id)


def _insert(actor: Actor, new: Sequence[NewMemory], space_id: int | None) -> list[int | None]:
    rows = [
        (ordinal, window, vector)
        for ordinal, memory in enumerate(new)
        if memory.vectors is not None
        for window, vector in enumerate(memory.vectors)
    ]
    placed = fetch_rows(
        _INSERT,
        {
            "items": Jsonb([_as_item(ordinal, memory.draft) for ordinal, memory in enumerate(new)]),
            "ordinals": [ordinal for ordinal, _, _ in rows],
            "windows": [window for _, window, _ in rows],
            "vectors": as_halfvecs(vector for _, _, vector in rows),
            "owner": actor.user_id,
            "space": space_id,
            "operation": JournalEntry.Operation.REMEMBER.value,
            "client": actor.client,
            "call": actor.call_id,
        },
    )
    if any(memory.vectors is None for memory in new):
        transaction.on_commit(index_soon)
    ids: dict[int, int] = dict(placed)
    return [ids.get(ordinal) for ordinal in range(len(new))]


def _as_item(ordinal: int, draft: Draft) -> dict[str, Any]:
    times = {name: getattr(draft, name) for name in ("created_at", "last_confirmed_at", "expires_at")}
    return {
        "ordinal": ordinal,
        "text": draft.text,
        "hash": draft.text_hash.hex(),
        "tags": list(draft.tags),
        "importance": draft.importance,
        "source_provider": draft.source_provider,
        "capture_mode": str(draft.capture_mode),
        "session_id": draft.session_id,
        **{name: moment and moment.isoformat() for name, moment in times.items()},
    }
