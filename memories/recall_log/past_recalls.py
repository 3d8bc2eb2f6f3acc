"""The recalls of clients, kept for a while: what was asked, what was found and how it was weighed, and what was nearly
found. Never what the memories said.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from common.row_copy import copy_rows
from common.storage import is_full
from common.write_behind import WriteBehind
from memories.access import View
from memories.errors import SecretRejected
from memories.models import Memory, MemoryQuerySet, PastRecall
from memories.recall.pipeline import Mode, Query, RecallOutcome, checked_recall_limit
from memories.recall.ranking import Candidate, Ranked
from memories.tags import canonical_tags
from memories.validation.text import make_storable, refuse_secrets

FLUSH_DELAY_SECONDS = 1.0
MAX_WAITING = 1_000
"""How many recalls one process keeps between two writes; where the database does not keep up, the others are lost."""

MAX_CLIENT_CHARS = 200

NO_TAG = "—"
"""What stands for tags of which no letter is left: as a tag it is as empty, and finds as little."""

FoundMemory = tuple[int, float | None, Mapping[str, float]]
"""The id of a memory, its score if that is known, and the parts of its rank."""

# What was judged stays, and does not count. Whoever judges one now holds it. The newest have the highest ids, also when
# the clock was set back.
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

# A statement of its own sees what was judged before the lock was had.
FORGET_LOCKED = """
DELETE FROM memories_pastrecall AS recall
WHERE id = ANY(%(ids)s) AND NOT EXISTS (SELECT FROM memories_verdict WHERE recall_id = recall.id)
"""


def record_recall(
    view: View, query: Query, recalled: RecallOutcome, *, client: str, tool: str, milliseconds: float
) -> None:
    """Keep that `client` asked `query` by `tool` through `view` and was given `recalled` now.

    Costs microseconds; never waits for the database. Nothing is kept with AUDIT_RECALLS=0, or while the disk is full.
    """
    if not settings.AUDIT_RECALLS or is_full():
        return
    # Without the memories themselves: all that waits together may be long.
    matches = [(match.memory.pk, match.cosine, match.parts) for match in recalled.matches]
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
    pending_recalls.add(next(_numbers), as_row)


def query_of(recall: PastRecall) -> Query:
    """The question as it was, to be asked today; what it says of time is reckoned from then."""
    return Query(
        recall.query,
        limit=recall.limit,
        min_score=recall.min_score,
        tags=recall.tags,
        mode=Mode(recall.mode),
        since=recall.since,
        until=recall.until,
        capture_mode=Memory.CaptureMode(recall.capture_mode) if recall.capture_mode else None,
        asked_at=recall.at,
    )


def view_of(recall: PastRecall) -> View:
    """The view that it was asked through."""
    return View(recall.owner_id, tuple(recall.only_tags))


def eligible_memories(recall: PastRecall) -> MemoryQuerySet:
    """What its app may see of the memories, forgotten ones too, that its filters let through. One query."""
    view = view_of(recall)
    seen = Memory.objects.visible_to(view).created_between(recall.since, recall.until)
    if recall.capture_mode:
        seen = seen.filter(capture_mode=recall.capture_mode)
    tags = canonical_tags(view, recall.tags)
    return seen.none() if recall.tags and not tags else seen.tagged(tags)


def was_beyond_limit(recall: PastRecall, near_miss: Mapping[str, Any]) -> bool:
    """Whether it was the limit that left out one of its near misses, and not `min_score`."""
    words = near_miss["parts"].get("words", 0.0)
    return Candidate(near_miss["id"], near_miss["score"], similarity=0.0, words=words).reaches(recall.min_score)


def forget_old_recalls(*, for_their_age: bool = True) -> None:
    """Delete what is older than AUDIT_DAYS, and of each owner what is beyond the last AUDIT_RECALLS.

    Without `for_their_age` the latter only. What is being judged at the moment stays.
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
    # An app chooses tags as freely as words: they are part of the question.
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
        capture_mode=query.capture_mode,
        matches=[_as_json(*found) for found in matches],
        near_misses=[_as_json(item.candidate.memory_id, item.candidate.score, item.parts) for item in near_misses],
        **details,
    )


def _kept_text(query: Query) -> str:
    """What was asked, if the owner wants that kept and no secret stands in it; else nothing."""
    if not settings.AUDIT_QUERIES:
        return ""
    try:
        refuse_secrets(query.argument, query.text)
    except SecretRejected:
        return ""
    return query.text


def _as_json(memory_id: int, score: float | None, parts: Mapping[str, float]) -> dict[str, Any]:
    weighed = {name: round(part, 4) for name, part in parts.items() if part}
    return {"id": memory_id, "score": None if score is None else round(min(score, 1.0), 4), "parts": weighed}


def _write(waiting: Mapping[int, partial[PastRecall]]) -> None:
    copy_rows([row() for row in waiting.values()])


def _keep_existing(existing: partial[PastRecall], new: partial[PastRecall]) -> partial[PastRecall]:
    return existing


_numbers = itertools.count()
pending_recalls: WriteBehind[int, partial[PastRecall]] = WriteBehind(
    _write, _keep_existing, limit=MAX_WAITING, seconds=FLUSH_DELAY_SECONDS
)
