"""The recall log: the questions of clients, the matches with the parts of their ranks, and the near misses.

Recalls are kept for a limited time. The texts of memories are never stored with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from common.disk_space import is_full
from common.row_copy import copy_rows
from common.write_behind import AppendBehind
from memories.access import View
from memories.database import fetch_rows
from memories.errors import SecretRejected
from memories.models import Memory, MemoryQuerySet, PastRecall
from memories.recall.filters import Keeper
from memories.recall.matches import Match
from memories.recall.pipeline import Mode, Query, RecallOutcome, checked_recall_limit
from memories.recall.ranking import Ranked
from memories.recall.relevance import BEGINS_THEN, NAMES_DAY
from memories.recall.signals import Candidate
from memories.tags import canonical_tags
from memories.validation.text import make_storable, refuse_secrets

FLUSH_DELAY_SECONDS = 1.0
MAX_WAITING = 1_000
"""Number of recalls that one process buffers between two writes. More are lost if the database does not keep up."""

MAX_CLIENT_CHARS = 200

NO_TAG = "—"
"""Placeholder for tags that are empty once normalized. It is empty as a tag, too, so it finds as little."""

# Written at most once a day for a memory. A memory that has been hard-deleted meanwhile is left out.
NOTE_MATCHES = """
INSERT INTO memories_recalledmemory AS known (memory_id, owner_id, first_on, last_on)
SELECT memory.id, memory.owner_id, current_date, current_date
FROM unnest(%(owners)s::bigint[], %(ids)s::bigint[]) AS given(owner_id, id)
JOIN memories_memory AS memory ON memory.id = given.id AND memory.owner_id = given.owner_id
ORDER BY memory.id
ON CONFLICT (memory_id) DO UPDATE SET last_on = excluded.last_on WHERE known.last_on < excluded.last_on
RETURNING 1
"""

FoundMemory = tuple[int, float | None, Mapping[str, float], float]
"""The id of a memory, its cosine if that is known, the parts of its rank, and its own relevance."""

# Judged recalls stay, and do not count. A recall that is being judged is locked, and skipped. The newest have the
# highest ids, even if the clock was set back.
LOCK_OLD = """
SELECT id FROM memories_pastrecall WHERE id IN (
    SELECT id FROM (
        SELECT id, at, row_number() OVER (PARTITION BY owner_id ORDER BY id DESC) AS place
        FROM memories_pastrecall AS recall
        WHERE NOT EXISTS (SELECT FROM memories_verdict WHERE recall_id = recall.id)
    ) AS unjudged
    WHERE place > %(kept)s OR at < %(oldest)s::timestamptz
)
FOR UPDATE SKIP LOCKED
"""

# A separate statement, so that it sees judgements that were made before the lock was acquired.
FORGET_LOCKED = """
DELETE FROM memories_pastrecall AS recall
WHERE id = ANY(%(ids)s) AND NOT EXISTS (SELECT FROM memories_verdict WHERE recall_id = recall.id)
"""

_KEEPERS: Mapping[str, Keeper] = {
    Memory.CaptureMode.EXPLICIT: Keeper.USER,
    Memory.CaptureMode.INFERRED: Keeper.AGENT,
}
"""By the stored name: the filter. The names are older than the filter."""

_MODES = {keeper: mode for mode, keeper in _KEEPERS.items()}


def keeps_recalls() -> bool:
    """Return whether the settings let recalls be kept for some time."""
    return bool(settings.AUDIT_DAYS and settings.AUDIT_RECALLS)


def keeps_queries() -> bool:
    """Return whether recalls are kept with their questions."""
    return keeps_recalls() and bool(settings.AUDIT_QUERIES)


def record_recall(
    view: View, query: Query, recalled: RecallOutcome, *, client: str, tool: str, milliseconds: float
) -> None:
    """Record that `client` asked `query` with the tool `tool` through `view` and was given `recalled` now.

    Takes microseconds and never waits for the database. Nothing is recorded with AUDIT_RECALLS=0, or while the disk is
    full.
    """
    if not settings.AUDIT_RECALLS:
        return
    # Without the memories themselves: the texts of all buffered recalls could take much memory.
    matches = [(match.memory.id, match.cosine, match.parts, _own_relevance(match)) for match in recalled.matches]
    as_row = partial(
        _row,
        view,
        query,
        matches,
        recalled.near_misses,
        recalled.tags,
        at=timezone.now(),
        client=make_storable(client, MAX_CLIENT_CHARS),
        tool=tool,
        milliseconds=milliseconds,
        only_keywords=recalled.only_keywords,
    )
    pending_recalls.add(as_row)


def query_of(recall: PastRecall) -> Query:
    """Return the query of `recall`, to be asked today; its time phrases refer to the time of the recall."""
    return Query(
        recall.query,
        limit=recall.limit,
        min_score=recall.min_score,
        tags=recall.tags,
        mode=Mode(recall.mode),
        since=recall.since,
        until=recall.until,
        as_of=recall.as_of,
        keeper=_KEEPERS[recall.capture_mode] if recall.capture_mode else None,
        agent=recall.agent,
        asked_at=recall.at,
    )


def view_of(recall: PastRecall) -> View:
    """Return the view through which the question was asked."""
    return View(recall.owner_id, tuple(recall.only_tags))


def eligible_memories(recall: PastRecall) -> MemoryQuerySet:
    """Return the memories, forgotten ones included, that the client may see and the filters include. One query."""
    view = view_of(recall)
    seen = Memory.objects.visible_to(view).created_between(recall.since, recall.until)
    if recall.capture_mode:
        seen = seen.kept_by_agents(is_kept=_KEEPERS[recall.capture_mode] is Keeper.AGENT)
    if recall.agent is not None:
        seen = seen.filter(agent=recall.agent)
    tags = canonical_tags(view, recall.tags)
    return seen.none() if recall.tags and not tags else seen.tagged(tags)


def was_beyond_limit(recall: PastRecall, near_miss: Mapping[str, Any]) -> bool:
    """Return whether the limit, and not `min_score`, left out this near miss of `recall`."""
    words = near_miss["parts"].get("words", 0.0)
    return Candidate(near_miss["id"], near_miss["score"], similarity=0.0, words=words).reaches(recall.min_score)


def delete_old_recalls(*, for_their_age: bool = True) -> None:
    """Delete the recalls older than AUDIT_DAYS, and those of each owner beyond the last AUDIT_RECALLS.

    Without `for_their_age`, only the latter are deleted. Recalls that have been judged, or are being judged, stay.
    """
    oldest = timezone.now() - timedelta(days=settings.AUDIT_DAYS) if for_their_age else None
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(LOCK_OLD, {"kept": settings.AUDIT_RECALLS, "oldest": oldest})
        cursor.execute(FORGET_LOCKED, {"ids": [pk for (pk,) in cursor.fetchall()]})


def _row(
    view: View,
    query: Query,
    matches: Iterable[FoundMemory],
    near_misses: Iterable[Ranked],
    tags: Sequence[str],
    **details: Any,
) -> PastRecall:
    text = _kept_text(query)
    # Clients choose tags as freely as words: the tags are part of the question, and stored only with it.
    asked_tags = list(tags) or [NO_TAG] if text and query.tags else []
    return PastRecall(
        owner_id=view.owner_id,
        query=text,
        mode=query.mode,
        limit=checked_recall_limit(query.limit),
        min_score=query.min_score,
        tags=asked_tags,
        only_tags=list(view.only_tags),
        since=query.since,
        until=query.until,
        as_of=query.as_of,
        capture_mode=None if query.keeper is None else _MODES[query.keeper],
        agent=query.agent,
        matches=[_as_json(pk, cosine, parts) | {"relevance": round(own, 3)} for pk, cosine, parts, own in matches],
        near_misses=[_as_json(item.candidate.item_id, item.candidate.cosine, item.parts) for item in near_misses],
        **details,
    )


def _kept_text(query: Query) -> str:
    """Return the question if AUDIT_QUERIES allows storing it and it contains no secret, else an empty string."""
    if not settings.AUDIT_QUERIES:
        return ""
    try:
        refuse_secrets(query.argument, query.text)
    except SecretRejected:
        return ""
    return query.text


def _own_relevance(match: Match) -> float:
    """Return how relevant a match is to the question, 0–1; 0 if it is only one of those that name the asked day.

    Every question about that day finds it, so the recall says nothing about how useful the memory is.
    """
    only_names_day = match.ranked.candidate.is_named_day and match.relevance in (BEGINS_THEN, NAMES_DAY)
    return 0.0 if only_names_day else match.relevance


def _as_json(memory_id: int, score: float | None, parts: Mapping[str, float]) -> dict[str, Any]:
    weighed = {name: round(part, 4) for name, part in parts.items() if part}
    return {"id": memory_id, "score": None if score is None else round(min(score, 1.0), 4), "parts": weighed}


def _write(waiting: Sequence[partial[PastRecall]]) -> None:
    # Tested here, once for many recalls: the test reads the state of the disk.
    if is_full():
        return
    recalls = [row() for row in waiting]
    copy_rows(recalls)
    matched = {(recall.owner_id, match["id"]) for recall in recalls for match in recall.matches}
    if matched:
        owners, ids = zip(*sorted(matched), strict=True)
        fetch_rows(NOTE_MATCHES, {"owners": list(owners), "ids": list(ids)})


pending_recalls = AppendBehind[partial[PastRecall]](_write, limit=MAX_WAITING, seconds=FLUSH_DELAY_SECONDS)
