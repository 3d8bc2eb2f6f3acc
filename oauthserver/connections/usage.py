"""Use of each permission: number of calls and last use, counted in memory and written a second later."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import F
from django.utils import timezone

from common.write_behind import MergeBehind
from oauthserver.models import Permission

FLUSH_DELAY_SECONDS = 1.0
MAX_WAITING = 1000

PermissionKey = tuple[type[Permission], int]
"""A permission's model and primary key."""


def format_permission_key(permission: PermissionKey) -> str:
    """Return the unique name of the permission, such as `connection:12`."""
    kind, key = permission
    return f"{kind._meta.model_name}:{key}"


@dataclass(frozen=True, slots=True)
class Use:
    """Use of a permission since it was last written."""

    reads: int
    writes: int
    at: datetime


def record_use(permission: PermissionKey, *, reads: int = 0, writes: int = 0) -> None:
    """Add calls to the use of `permission`. Without calls, record only that it was used now."""
    pending_uses.add(permission, Use(reads, writes, timezone.now()))


def _merge(kept: Use, new: Use) -> Use:
    return Use(kept.reads + new.reads, kept.writes + new.writes, max(kept.at, new.at))


def _write(waiting: dict[PermissionKey, Use]) -> None:
    # One statement per row: two processes that lock several rows in different orders would deadlock.
    for (kind, key), use in waiting.items():
        kind.objects.filter(pk=key).update(
            reads=F("reads") + use.reads, writes=F("writes") + use.writes, last_used_at=use.at
        )


pending_uses = MergeBehind(_write, _merge, limit=MAX_WAITING, seconds=FLUSH_DELAY_SECONDS)
