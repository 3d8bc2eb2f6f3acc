"""The tool `memory_stats`."""

from __future__ import annotations

from pydantic import BaseModel

from common.scopes import READ
from mcpapi.calls.caller import Caller
from mcpapi.tools.base import Args, Hints, Result, tool
from mcpapi.tools.reading.list_tags import TagCount, shape_tags
from mcpapi.tools.shapes import UtcTime
from memories.queries import selectors


class MemoryStatsArgs(Args):
    """No arguments."""


class ProviderCount(BaseModel):
    """The number of memories from one assistant or app; "(none)" if none was given."""

    provider: str
    count: int


class MemoryStatsResult(Result):
    """The statistics. total = active + soft_deleted + expired; all other fields cover only active memories."""

    total: int
    active: int
    soft_deleted: int
    expired: int
    avg_importance: float | None
    oldest_created_at: UtcTime | None
    newest_created_at: UtcTime | None
    top_tags: list[TagCount]
    by_provider: list[ProviderCount]


@tool(title="Show statistics", scope=READ, hints=Hints(read_only=True, idempotent=True))
def memory_stats(caller: Caller, args: MemoryStatsArgs) -> MemoryStatsResult:
    """Show statistics: counts, average importance, oldest and newest memory, top tags, and sources."""
    stats = selectors.memory_stats(caller.view)
    return MemoryStatsResult(
        total=stats.total,
        active=stats.active,
        soft_deleted=stats.soft_deleted,
        expired=stats.expired,
        avg_importance=None if stats.avg_importance is None else round(stats.avg_importance, 4),
        oldest_created_at=stats.oldest_created_at,
        newest_created_at=stats.newest_created_at,
        top_tags=shape_tags(stats.top_tags),
        by_provider=[ProviderCount(provider=provider, count=count) for provider, count in stats.by_provider],
    )
