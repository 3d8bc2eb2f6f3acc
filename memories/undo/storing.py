"""Storing many reversals with a few statements: ten thousand memories in seconds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
from django.db import transaction
from psycopg.types.json import Jsonb

from memories.access import Actor
from memories.aspects.reading import aspect_of
from memories.database import among, fetch_rows
from memories.drafts import stated_times
from memories.models import JournalEntry, Memory, MemoryVector
from memories.relations.statements import statement_key
from memories.undo.reversal import Effect, Reversal
from memories.validation.text import normalized_hash
from memories.vectors.index_queue import index_soon

SET_BACK = """
UPDATE memories_memory AS memory
SET text = given.text, text_hash = decode(given.hash, 'hex'), statement_key = given.statement_key,
    aspect = given.aspect,
    tags = ARRAY(SELECT jsonb_array_elements_text(given.tags)), importance = given.importance,
    source_provider = given.source_provider, capture_mode = given.capture_mode, session_id = given.session_id,
    last_confirmed_at = given.last_confirmed_at, expires_at = given.expires_at, valid_from = given.valid_from,
    valid_until = given.valid_until,
    named_days = CASE WHEN given.is_reworded THEN given.named_days ELSE memory.named_days END,
    deleted_at = given.deleted_at, forget_reason = given.forget_reason,
    replaced_by_id = (SELECT id FROM memories_memory WHERE id = given.replaced_by_id AND owner_id = %(owner)s),
    quarantined_from = given.quarantined_from, briefing_place = given.briefing_place,
    agent = given.agent,
    updated_at = statement_timestamp()
FROM jsonb_to_recordset(%(items)s::jsonb) AS given(
    id bigint, text text, hash text, statement_key bigint, aspect text, tags jsonb, importance float8,
    source_provider text, capture_mode text, session_id text, last_confirmed_at timestamptz, expires_at timestamptz,
    valid_from timestamptz, valid_until timestamptz, named_days datemultirange, deleted_at timestamptz,
    forget_reason text, replaced_by_id bigint, quarantined_from text, briefing_place text, agent text,
    is_reworded boolean)
WHERE memory.id = given.id AND memory.owner_id = %(owner)s
RETURNING 1
"""

_SAID_AT = """
SELECT given.id, said.at
FROM jsonb_to_recordset(%(items)s::jsonb) AS given(id bigint, text text)
CROSS JOIN LATERAL (
    SELECT at FROM memories_journalentry AS entry
    WHERE owner_id = %(owner)s AND memory_id = given.id AND after ->> 'text' = given.text
          AND operation NOT IN ('undo', 'redo', 'restore')
    ORDER BY entry.id DESC LIMIT 1
) AS said
"""

_RECORD = """
INSERT INTO memories_journalentry (owner_id, memory_id, operation, before, after, client, change_set, session_id)
SELECT %(owner)s, given.id, %(operation)s, given.before, given.after, %(client)s, %(change_set)s, %(session)s
FROM jsonb_to_recordset(%(items)s::jsonb) AS given(id bigint, before jsonb, after jsonb)
RETURNING 1
"""

_BATCH = 5_000


@dataclass(frozen=True, slots=True)
class _NewState:
    """A memory, its reversal, and its journalled fields before and after."""

    memory: Memory
    reversal: Reversal[int]
    before: dict[str, Any]
    after: dict[str, Any]


def store(
    actor: Actor,
    memories: Iterable[Memory],
    reversals: Sequence[Reversal[int]],
    states: Mapping[int, dict[str, Any]],
    operation: JournalEntry.Operation,
) -> None:
    """Set the locked `memories` back by `reversals`, with a journal entry each. Call it in a transaction.

    `states` are their snapshots, by id. Texts that come back are embedded soon. Raises IntegrityError if another
    process has stored one of them.
    """
    by_id = {memory.pk: memory for memory in memories}
    # What goes away goes first: it may have the text that comes back.
    ordered = sorted(reversals, key=lambda reversal: (reversal.effect != Effect.REMOVED, reversal.item_id))
    new = [_new_state(by_id[reversal.item_id], reversal, states[reversal.item_id]) for reversal in ordered]
    said_at = _times_of_texts(actor, new)
    for effect in (Effect.REMOVED, Effect.RESTORED):
        items = [_item(state, said_at.get(state.memory.pk)) for state in new if state.reversal.effect == effect]
        _in_batches(SET_BACK, actor, items, operation)
    _in_batches(_RECORD, actor, [_record(state) for state in new], operation)
    reworded = [state.memory.pk for state in new if "text" in state.reversal.values]
    if reworded:
        MemoryVector.objects.filter(memory_id__in=among(reworded)).delete()
        transaction.on_commit(index_soon)


def _times_of_texts(actor: Actor, states: Iterable[_NewState]) -> dict[int, datetime]:
    """Return when the texts that come back were said, by memory, as far as the journal knows."""
    items = [
        {"id": state.memory.pk, "text": state.after["text"]} for state in states if "text" in state.reversal.values
    ]
    return dict(fetch_rows(_SAID_AT, {"owner": actor.owner_id, "items": Jsonb(items)})) if items else {}


def _new_state(memory: Memory, reversal: Reversal[int], before: dict[str, Any]) -> _NewState:
    return _NewState(memory, reversal, before, {**before, **reversal.values})


def _in_batches(sql: str, actor: Actor, items: Sequence[dict[str, Any]], operation: JournalEntry.Operation) -> None:
    """Execute a statement with at most _BATCH of the items at a time."""
    for start in range(0, len(items), _BATCH):
        given = {
            "items": Jsonb(items[start : start + _BATCH], dumps=orjson.dumps),
            "owner": actor.owner_id,
            "operation": operation.value,
            "client": actor.client,
            "change_set": actor.change_set,
            "session": actor.session_id,
        }
        fetch_rows(sql, given)


def _record(state: _NewState) -> dict[str, Any]:
    """Return the journal entry of a memory: the fields that are set, before and after."""
    return {
        "id": state.memory.pk,
        "before": {name: state.before[name] for name in state.reversal.values},
        "after": {name: state.after[name] for name in state.reversal.values},
    }


def _item(state: _NewState, said_at: datetime | None) -> dict[str, Any]:
    """Return the row of a memory. `said_at` is when its new text was said: which days it names depends on it."""
    text: str = state.after["text"]
    derived = {
        "hash": normalized_hash(text).hex(),
        "statement_key": statement_key(text),
        "aspect": aspect_of(text),
    }
    item = {**state.after, **derived, "id": state.memory.pk, "is_reworded": False}
    if "text" in state.reversal.values:
        item |= {"is_reworded": True, "named_days": stated_times(text, said_at or state.memory.created_at)[2]}
    return item
