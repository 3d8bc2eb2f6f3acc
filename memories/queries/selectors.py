"""Reads of memories other than recall. Nothing here changes data, and every result belongs to one view."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Avg, Count, Max, Min, Q, TextField, Value
from django.db.models.functions import Cast, Coalesce, Now, Upper
from django.utils import timezone
from django.utils.translation import gettext

from memories.access import Actor, View
from memories.corpus import ACTIVE_CONDITION
from memories.database import fetch_rows
from memories.drafts import CLOCK_SKEW, checked_time, shown_moment
from memories.errors import InvalidInput, LimitExceeded, NotFound
from memories.memory_rows import MEMORY_COLUMNS, memory_from
from memories.models import Memory, MemoryQuerySet
from memories.queries.sources import fold_counts
from memories.tags import canonical_tags
from memories.validation.text import check_storable

# In a large store, the newest memories are read in their order, which soon ends for a common text. Otherwise, and if
# they do not suffice, the index of trigrams is used, which is on upper(text). OFFSET 0 keeps the planner from reading
# all memories in their order instead. `reltuples` is an estimate of the number of all memories.
_CONTAINING = """
WITH recent AS MATERIALIZED (
    SELECT {columns}
    FROM (
        SELECT * FROM memories_memory WHERE owner_id = %(owner)s ORDER BY created_at DESC, id DESC
        LIMIT (
            SELECT CASE WHEN reltuples < %(large)s THEN 0
                ELSE least(%(newest)s, %(bytes)s * greatest(reltuples, 1) / greatest(pg_table_size(oid), 1))::bigint END
            FROM pg_class WHERE oid = 'memories_memory'::regclass
        )
    ) AS memory
    WHERE upper(text) LIKE upper(%(pattern)s) AND {conditions} {restriction}
    ORDER BY created_at DESC, id DESC LIMIT %(limit)s
), found AS (
    SELECT * FROM recent WHERE (SELECT count(*) FROM recent) = %(limit)s
    UNION ALL
    SELECT * FROM (
        SELECT {columns} FROM memories_memory AS memory
        WHERE owner_id = %(owner)s AND upper(text) LIKE upper(%(pattern)s) AND {conditions} {restriction} OFFSET 0
    ) AS memory WHERE (SELECT count(*) FROM recent) < %(limit)s
)
SELECT * FROM found ORDER BY created_at DESC, id DESC LIMIT %(limit)s
"""
LARGE = 20_000
"""Number of memories in the database from which on the newest are read first. With fewer, the index is faster."""

NEWEST = 3_000
"""Number of the newest memories that are read first, at most."""

NEWEST_BYTES = 2_000_000
"""Size of the newest memories that are read first, estimated from the size of the table."""

_LIKE_SPECIAL, _ESCAPED = re.compile(r"([\\%_])"), r"\\\1"

MAX_PAGE = 500
MAX_OFFSET = 10**9


@dataclass(frozen=True, slots=True)
class MemoryFilters:
    """Filters of a list or a count, all of which must be met. None and False mean no filter."""

    include_deleted: bool = False
    include_expired: bool = False
    untagged_only: bool = False
    tags: Sequence[str] = ()
    source_provider: str | None = None
    min_chars: int | None = None
    max_chars: int | None = None
    not_confirmed_since: datetime | None = None


def filtered_memories(view: View, filters: MemoryFilters) -> MemoryQuerySet:
    """Return the memories of the view that pass `filters`.

    Raises InvalidInput for an impossible range of lengths or a time in the future.
    """
    _check_filters(filters)
    found = Memory.objects.visible_to(view)
    if not filters.include_deleted:
        found = found.not_deleted()
    if not filters.include_expired:
        found = found.active_or_forgotten()
    if filters.untagged_only:
        found = found.untagged()
    if filters.tags:
        tags = canonical_tags(view, filters.tags)
        found = found.tagged(tags) if tags else found.none()
    if filters.source_provider is not None:
        check_storable("source_provider", filters.source_provider)
        found = found.filter(source_provider__iexact=filters.source_provider)
    if filters.not_confirmed_since is not None:
        found = found.not_confirmed_since(filters.not_confirmed_since)
    if filters.min_chars is not None or filters.max_chars is not None:
        found = found.of_length(filters.min_chars, filters.max_chars)
    return found


def _check_filters(filters: MemoryFilters) -> None:
    low, high = filters.min_chars, filters.max_chars
    for name, bound in (("min_chars", low), ("max_chars", high)):
        if bound is not None and bound < 0:
            raise InvalidInput("must be at least 0.", argument=name)
    if low is not None and high is not None and low > high:
        raise InvalidInput("must not be more than max_chars.", argument="min_chars")
    moment = checked_time("not_confirmed_since", filters.not_confirmed_since)
    if moment is not None and moment > timezone.now() + CLOCK_SKEW:
        raise InvalidInput(f"{shown_moment(moment)} is in the future.", argument="not_confirmed_since")


def list_memories(view: View, filters: MemoryFilters, *, limit: int = 20, offset: int = 0) -> list[Memory]:
    """Return a page of memories, newest first. Raises InvalidInput or LimitExceeded."""
    check_page(limit, offset)
    return list(filtered_memories(view, filters).newest_first()[offset : offset + limit])


def check_page(limit: int, offset: int | None = None) -> None:
    """Raise InvalidInput for an empty page or an impossible offset, LimitExceeded for a page that is too large.

    Without `offset`, there is only one page.
    """
    if offset is not None and not 0 <= offset <= MAX_OFFSET:
        raise InvalidInput(f"must be a number from 0 to {MAX_OFFSET}.", argument="offset")
    if limit < 1:
        raise InvalidInput(f"must be a number from 1 to {MAX_PAGE}.", argument="limit")
    if limit > MAX_PAGE:
        more = "." if offset is None else ", the largest page. Use offset for more."
        raise LimitExceeded(f"must be at most {MAX_PAGE}{more}", argument="limit")


def search_text(view: View, text: str, *, limit: int = 20, include_expired: bool = False) -> list[Memory]:
    """Return the memories that contain `text`, ignoring case, newest first. Raises InvalidInput or LimitExceeded."""
    check_storable("text", text)
    check_page(limit)
    if not text:
        raise InvalidInput("must not be empty.", argument="text")
    if len(text) > settings.MAX_TEXT_CHARS:
        raise LimitExceeded(
            f"has {len(text)} characters; at most {settings.MAX_TEXT_CHARS} are allowed.", argument="text"
        )
    conditions = "deleted_at IS NULL" if include_expired else ACTIVE_CONDITION
    sql = _CONTAINING.format(columns=MEMORY_COLUMNS, conditions=conditions, restriction=view.restriction)
    parameters = {
        "pattern": f"%{_LIKE_SPECIAL.sub(_ESCAPED, text)}%",
        "large": LARGE,
        "newest": NEWEST,
        "bytes": NEWEST_BYTES,
        "limit": limit,
        "owner": view.owner_id,
        "only_tags": list(view.only_tags),
    }
    return list(map(memory_from, fetch_rows(sql, parameters)))


def get_memory(view: View, memory_id: int) -> Memory:
    """Return one memory, tombstones included. Raises NotFound."""
    memory = Memory.objects.visible_to(view).filter(pk=memory_id).first()
    if memory is None:
        raise NotFound(gettext("There is no memory with id %(memory_id)s.") % {"memory_id": memory_id})
    return memory


def parts_of(view: View, memory: Memory) -> list[int]:
    """Return the ids of the memories that a tombstone was split into, as far as the view shows them."""
    if memory.deleted_at is None or memory.successor_id is None:
        return []
    return list(
        Memory.objects.visible_to(view).filter(split_from=memory.pk).order_by("pk").values_list("pk", flat=True)
    )


def get_active_memory(view: View, memory_id: int) -> Memory:
    """Return one active memory. Raises NotFound."""
    memory = Memory.objects.visible_to(view).active().filter(pk=memory_id).first()
    if memory is None:
        raise NotFound(gettext("There is no active memory with id %(memory_id)s.") % {"memory_id": memory_id})
    return memory


def memories_with_ids(view: View, memory_ids: Collection[int]) -> MemoryQuerySet:
    """Return the memories of the view that have one of these ids, tombstones included, by id."""
    return Memory.objects.visible_to(view).filter(pk__in=memory_ids).order_by("pk")


def changeable_memories_with_ids(actor: Actor, memory_ids: Collection[int]) -> MemoryQuerySet:
    """Return the memories with one of these ids that `actor` may change, tombstones included, by id."""
    return Memory.objects.changeable_by(actor).filter(pk__in=memory_ids).order_by("pk")


def ids_beginning_with(view: View, digits: str, *, limit: int) -> list[int]:
    """Return the ids of active memories whose decimal digits begin with `digits`, the greatest first."""
    spelled = Memory.objects.visible_to(view).active().annotate(digits=Cast("pk", TextField()))
    return list(spelled.filter(digits__startswith=digits).order_by("-pk").values_list("pk", flat=True)[:limit])


def existing_text_hashes(view: View, text_hashes: Iterable[bytes]) -> set[bytes]:
    """Return those of `text_hashes` that belong to a memory that is not forgotten; expired ones count."""
    found = Memory.objects.visible_to(view).not_deleted().filter(text_hash__in=list(text_hashes))
    return {bytes(text_hash) for text_hash in found.values_list("text_hash", flat=True)}


def find_quarantined(owner_id: int, text_hashes: Iterable[bytes]) -> dict[tuple[bytes, str | None], Memory]:
    """Return the quarantined memories with these texts, by the hash of the text and the client that inferred them."""
    waiting = Memory.objects.visible_including_quarantined(View.whole(owner_id)).awaiting_review()
    found = waiting.filter(text_hash__in=list(text_hashes)).only("text_hash", "quarantined_from", "expires_at")
    return {(bytes(memory.text_hash), memory.quarantined_from): memory for memory in found}


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """Counts over all memories of a view: `total` = `active` + `soft_deleted` + `expired`."""

    total: int
    active: int
    soft_deleted: int
    expired: int
    avg_importance: float | None
    oldest_created_at: datetime | None
    newest_created_at: datetime | None
    top_tags: list[tuple[str, int]]
    by_provider: list[tuple[str, int]]


TOP_TAGS = 10


def memory_stats(view: View) -> MemoryStats:
    """Compute the statistics of a view in three queries.

    Average importance, times, tags and providers are those of the active memories.
    """
    everything = Memory.objects.visible_to(view)
    active = Q(deleted_at__isnull=True) & (Q(expires_at__isnull=True) | Q(expires_at__gt=Now()))
    counts: dict[str, Any] = everything.aggregate(
        total=Count("pk"),
        active=Count("pk", filter=active),
        soft_deleted=Count("pk", filter=Q(deleted_at__isnull=False)),
        expired=Count("pk", filter=Q(deleted_at__isnull=True, expires_at__lte=Now())),
        avg_importance=Avg("importance", filter=active),
        oldest_created_at=Min("created_at", filter=active),
        newest_created_at=Max("created_at", filter=active),
    )
    named = everything.active().annotate(
        provider=Coalesce("source_provider", Value("(none)"), output_field=TextField())
    )
    providers = named.annotate(folded=Upper("provider")).values_list("folded", "provider").annotate(count=Count("pk"))
    by_provider = fold_counts(providers)
    return MemoryStats(**counts, top_tags=list_tags(view, limit=TOP_TAGS), by_provider=by_provider)


_TAG_COUNTS = """
SELECT tag, count(*) AS uses
FROM memories_memory, unnest(tags) AS tag
WHERE owner_id = %(owner)s {restriction}
  AND (CASE WHEN deleted_at IS NULL THEN expires_at IS NULL OR expires_at > now() ELSE %(include_deleted)s END)
GROUP BY tag ORDER BY uses DESC, tag COLLATE "C" LIMIT %(limit)s
"""


def list_tags(view: View, *, include_deleted: bool = False, limit: int | None = None) -> list[tuple[str, int]]:
    """Return the tags and how many memories have each: most used first, then by code point.

    Raises InvalidInput for a limit below 1.
    """
    if limit is not None and limit < 1:
        raise InvalidInput("must be at least 1.", argument="limit")
    rows = fetch_rows(
        _TAG_COUNTS.format(restriction=view.restriction),
        {
            "owner": view.owner_id,
            "only_tags": list(view.only_tags),
            "include_deleted": include_deleted,
            "limit": limit,
        },
    )
    return [(tag, uses) for tag, uses in rows]


@dataclass(frozen=True, slots=True)
class ExportPage:
    """Memories by id, oldest first, and the id after which the next page begins; None on the last page."""

    memories: list[Memory]
    next_after_id: int | None


def export_page(
    view: View, *, after_id: int = 0, include_deleted: bool = True, include_quarantined: bool = False
) -> ExportPage:
    """Return the next page of all memories, expired ones included; no memory is on two pages.

    Memories that are stored while the export runs may be missing. Quarantined memories are for the owner alone.
    """
    everything = (
        Memory.objects.visible_including_quarantined(view) if include_quarantined else Memory.objects.visible_to(view)
    )
    found = everything.filter(pk__gt=after_id).order_by("pk")
    if not include_deleted:
        found = found.not_deleted()
    page = list(found[: settings.MAX_EXPORT_ROWS + 1])
    memories = page[: settings.MAX_EXPORT_ROWS]
    return ExportPage(memories, memories[-1].pk if len(page) > len(memories) else None)
