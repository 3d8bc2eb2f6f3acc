"""Searches for findings in the background, and what they leave in the database."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from procrastinate.contrib.django import app
from procrastinate.exceptions import AlreadyEnqueued

from common.advisory_locks import AdvisoryLock, locked
from memories.access import View
from memories.cleanup.detection.ages import UNUSED_AFTER, find_past, find_unused
from memories.cleanup.detection.found import FindingKind, Found, active_memories
from memories.cleanup.detection.fragments import find_fragments
from memories.cleanup.detection.same_tags import find_same_tags
from memories.cleanup.detection.similar import find_similar
from memories.cleanup.detection.tag_suggestions import find_tag_suggestions
from memories.models import CleanupFinding, CleanupSearch, RecalledMemory, TagSynonym
from memories.queries.selectors import list_tags

logger = logging.getLogger(__name__)

SEARCH = "memories.search_findings"

MAX_KEPT = 1_000
"""Number of findings of each kind that are kept: the surest."""

State = CleanupFinding.State


def search_soon(owner_id: int) -> None:
    """Have the job process search for findings. Searches of one owner that are queued already are not repeated."""
    CleanupSearch.objects.update_or_create(
        owner_id=owner_id, defaults={"started_at": timezone.now(), "finished_at": None}
    )
    lock = f"{SEARCH}.{owner_id}"
    try:
        app.configure_task(SEARCH, lock=SEARCH, queueing_lock=lock).defer(owner_id=owner_id)
    except AlreadyEnqueued:
        logger.debug("%s is already queued.", lock)


def search(owner_id: int) -> int:
    """Search all memories of an owner, replace the open findings by what was found, and return how many are open.

    What the owner has dismissed or made a plan of stays decided. Raises EmbeddingError if there is no vector space.
    """
    now = timezone.now()
    with locked(AdvisoryLock.CLEANUP_SEARCH, owner_id):
        found = list(_strongest(_find_all(View.whole(owner_id), now)))
        with transaction.atomic():
            _store(owner_id, found, now)
            CleanupSearch.objects.update_or_create(owner_id=owner_id, defaults={"finished_at": timezone.now()})
    return CleanupFinding.objects.filter(owner_id=owner_id, state=State.OPEN).count()


def owners_with_searches() -> list[int]:
    """Return the owners who have searched before: their findings are kept up to date."""
    return list(CleanupSearch.objects.order_by("pk").values_list("pk", flat=True))


def _find_all(view: View, now: datetime) -> Iterator[Found]:
    wanted = set(settings.FINDING_KINDS)
    memories = active_memories(view)
    if wanted & {FindingKind.DUPLICATES, FindingKind.CONTRADICTION}:
        yield from (found for found in find_similar(view, memories, now) if found.kind in wanted)
    if FindingKind.PAST in wanted:
        yield from find_past(memories.values(), now)
    if FindingKind.FRAGMENT in wanted:
        yield from find_fragments(memories.values())
    if FindingKind.UNUSED in wanted and _is_recalled_long_enough(view.owner_id, now):
        yield from find_unused(memories.values(), _recalled_lately(view.owner_id, now), now)
    if FindingKind.SAME_TAGS in wanted:
        yield from find_same_tags(dict(list_tags(view)), _synonyms(view.owner_id))
    if FindingKind.TAG_SUGGESTION in wanted:
        yield from find_tag_suggestions(view, memories)


def _is_recalled_long_enough(owner_id: int, now: datetime) -> bool:
    """Return whether recalls have been counted for as long as a memory must not have been recalled."""
    oldest = RecalledMemory.objects.filter(owner_id=owner_id).order_by("first_on").values_list("first_on", flat=True)
    first = oldest.first()
    return first is not None and first <= (now - UNUSED_AFTER).date()


def _recalled_lately(owner_id: int, now: datetime) -> set[int]:
    since = (now - UNUSED_AFTER + timedelta(days=1)).date()
    recalled = RecalledMemory.objects.filter(owner_id=owner_id, last_on__gte=since)
    return set(recalled.values_list("memory_id", flat=True))


def _synonyms(owner_id: int) -> dict[str, str]:
    return dict(TagSynonym.objects.filter(owner_id=owner_id).values_list("variant", "canonical"))


def _strongest(found: Iterable[Found]) -> Iterator[Found]:
    """Yield at most MAX_KEPT findings of each kind, each once."""
    by_kind: dict[FindingKind, dict[bytes, Found]] = {kind: {} for kind in FindingKind}
    for each in found:
        by_kind[each.kind][each.key] = each
    for of_kind in by_kind.values():
        yield from sorted(of_kind.values(), key=lambda each: -each.strength)[:MAX_KEPT]


def _store(owner_id: int, found: list[Found], now: datetime) -> None:
    keys = [each.key for each in found]
    mine = CleanupFinding.objects.filter(owner_id=owner_id)
    known = set(mine.exclude(state=State.OPEN).values_list("key", flat=True))
    mine.filter(state=State.OPEN).delete()
    decided = {bytes(key) for key in known}
    CleanupFinding.objects.bulk_create(
        [
            CleanupFinding(
                owner_id=owner_id,
                kind=each.kind.value,
                key=key,
                memory_ids=list(each.memory_ids),
                details=dict(each.details),
                reason=each.reason,
                strength=each.strength,
                found_at=now,
            )
            for key, each in zip(keys, found, strict=True)
            if key not in decided
        ],
        batch_size=1_000,
    )
