"""Storage of new memories with their vectors and journal entries, in one atomic statement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from django.db import transaction
from psycopg.types.json import Jsonb

from common.advisory_locks import AdvisoryLock, lock_until_commit
from memories.access import Actor
from memories.aspects.reading import aspect_of
from memories.database import fetch_rows
from memories.drafts import Draft
from memories.models import JournalEntry
from memories.relations.statements import statement_key
from memories.vectors.index_queue import MANY_MEMORIES, build_index_soon, index_soon
from memories.vectors.spaces import TextVectors, vector_columns, vector_rows
from memories.writing.hidden_values import encrypted

INSERT = """
WITH item AS (
    SELECT given.*, decode(hash, 'hex') AS text_hash,
           ARRAY(SELECT jsonb_array_elements_text(given.tags)) AS tag_list
    FROM jsonb_to_recordset(%(items)s::jsonb) AS given(
        ordinal int, text text, hash text, statement_key bigint, aspect text, tags jsonb, importance float8,
        source_provider text, capture_mode text, session_id text, created_at timestamptz, last_confirmed_at timestamptz,
        expires_at timestamptz, valid_from timestamptz, valid_until timestamptz, named_days datemultirange,
        quarantined_from text, briefing_place text, agent text)
), made AS (
    INSERT INTO memories_memory (owner_id, text, text_hash, statement_key, aspect, tags, importance, source_provider,
                                 capture_mode, session_id, created_at, last_confirmed_at, expires_at, valid_from,
                                 valid_until, named_days, quarantined_from, briefing_place, agent, stored_by)
    SELECT %(owner)s, text, text_hash, statement_key, aspect, tag_list, importance, source_provider, capture_mode,
           session_id,
           coalesce(created_at, statement_timestamp()),
           coalesce(last_confirmed_at, created_at, statement_timestamp()), expires_at, valid_from, valid_until,
           named_days, quarantined_from, briefing_place, agent, %(client)s
    FROM item ORDER BY ordinal
    ON CONFLICT DO NOTHING
    RETURNING id, text_hash, text, tags, importance, source_provider, capture_mode, session_id, last_confirmed_at,
              expires_at, valid_from, valid_until, quarantined_from, briefing_place, agent
), placed AS (
    SELECT item.ordinal, made.* FROM made JOIN item USING (text_hash)
), indexed AS (
    INSERT INTO memories_memoryvector (owner_id, space_id, memory_id, "window", embedding, start_char, end_char)
    SELECT %(owner)s, given.space_id, placed.id, given."window", given.vector, given.start_char, given.end_char
    FROM unnest(%(ordinals)s::int[], %(spaces)s::bigint[], %(windows)s::smallint[], %(vectors)b::halfvec[],
                %(starts)s::int[], %(ends)s::int[])
         AS given(ordinal, space_id, "window", vector, start_char, end_char)
    JOIN placed USING (ordinal)
    -- A space that has been deleted meanwhile takes no vector: the memory is pending.
    JOIN (SELECT id FROM memories_embeddingspace WHERE id = ANY (%(spaces)s::bigint[]) FOR KEY SHARE)
         AS existing ON existing.id = given.space_id
), hidden AS (
    INSERT INTO memories_hiddenvalue (owner_id, memory_id, number, kind, encrypted_value)
    SELECT %(owner)s, placed.id, given.number, given.kind, given.encrypted_value
    FROM jsonb_to_recordset(%(hidden)s::jsonb) AS given(ordinal int, number bigint, kind text, encrypted_value text)
    JOIN placed USING (ordinal)
), answered AS (
    UPDATE memories_memory AS memory
    SET deleted_at = statement_timestamp(), updated_at = statement_timestamp(), replaced_by_id = said.by_id
    FROM placed CROSS JOIN LATERAL (
        -- A decision that is just being made would wait for the new row, and this statement for the decision.
        SELECT id, placed.id AS by_id
        FROM memories_memory
        WHERE owner_id = %(owner)s AND text_hash = placed.text_hash AND quarantined_from IS NOT NULL
          AND deleted_at IS NULL AND placed.quarantined_from IS NULL
        FOR NO KEY UPDATE SKIP LOCKED
    ) AS said
    WHERE memory.id = said.id
    RETURNING memory.id, memory.deleted_at, memory.replaced_by_id
), change AS (
    SELECT ordinal, id, %(remember)s AS operation, '{}'::jsonb AS before,
           jsonb_strip_nulls(to_jsonb(placed) - '{id,ordinal,text_hash}'::text[]) AS after, session_id
    FROM placed
    UNION ALL
    SELECT 0, id, %(forget)s, '{"deleted_at": null, "replaced_by_id": null}', to_jsonb(answered) - 'id', NULL
    FROM answered
), logged AS (
    INSERT INTO memories_journalentry
        (owner_id, memory_id, operation, before, after, client, change_set, session_id, proposed_by)
    SELECT %(owner)s, id, operation, before, after, %(client)s, %(change_set)s, coalesce(session_id, %(session)s),
           %(proposed_by)s
    FROM change ORDER BY ordinal
)
SELECT ordinal, id FROM placed
"""


_TIMES = ("created_at", "last_confirmed_at", "expires_at", "valid_from", "valid_until")


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A checked draft and the vectors of its text, None while they are pending."""

    draft: Draft
    vectors: TextVectors | None


def insert_memories(actor: Actor, new: Sequence[NewMemory]) -> list[int | None]:
    """Store the memories of `new`, whose texts must all differ, and return their ids by position.

    The id is None if a memory that is neither deleted nor quarantined has the text already, perhaps stored by another
    process a moment ago; for a memory to be quarantined, if its client has the text in quarantine. When a memory is
    stored outside of quarantine, quarantined ones with its text become tombstones with the new memory as successor.
    """
    if len(new) == 1:
        return _insert(actor, new)
    with transaction.atomic():
        # Two calls with the same texts in a different order would deadlock.
        lock_until_commit(AdvisoryLock.BATCH_INSERTION, actor.owner_id)
        return _insert(actor, new)


def _insert(actor: Actor, new: Sequence[NewMemory]) -> list[int | None]:
    rows = vector_rows([memory.vectors for memory in new])
    placed = fetch_rows(
        INSERT,
        {
            "items": Jsonb([_as_item(ordinal, memory.draft) for ordinal, memory in enumerate(new)], dumps=orjson.dumps),
            "ordinals": [row.ordinal for row in rows],
            **vector_columns(rows),
            "hidden": Jsonb(_hidden_values(actor, new)),
            "owner": actor.owner_id,
            "remember": JournalEntry.Operation.REMEMBER.value,
            "forget": JournalEntry.Operation.FORGET.value,
            "client": actor.client,
            "change_set": actor.change_set,
            "session": actor.session_id,
            "proposed_by": actor.proposed_by,
        },
    )
    if any(memory.vectors is None for memory in new):
        transaction.on_commit(index_soon)
    if len(new) >= MANY_MEMORIES:
        transaction.on_commit(build_index_soon)
    ids: dict[int, int] = dict(placed)
    return [ids.get(ordinal) for ordinal in range(len(new))]


def _hidden_values(actor: Actor, new: Sequence[NewMemory]) -> list[dict[str, Any]]:
    return [
        {
            "ordinal": ordinal,
            "number": kept.number,
            "kind": kept.kind.name,
            "encrypted_value": encrypted(actor.owner_id, kept),
        }
        for ordinal, memory in enumerate(new)
        for kept in memory.draft.kept
    ]


def _as_item(ordinal: int, draft: Draft) -> dict[str, Any]:
    times = {name: getattr(draft, name) for name in _TIMES}
    return {
        "ordinal": ordinal,
        "text": draft.text,
        "hash": draft.text_hash.hex(),
        "statement_key": statement_key(draft.text),
        "aspect": aspect_of(draft.text),
        "tags": list(draft.tags),
        "importance": draft.importance,
        "source_provider": draft.source_provider,
        "capture_mode": str(draft.capture_mode),
        "session_id": draft.session_id,
        "named_days": draft.named_days,
        "quarantined_from": draft.quarantined_from,
        "briefing_place": draft.briefing_place,
        "agent": draft.agent,
        **{name: moment and moment.isoformat() for name, moment in times.items()},
    }
