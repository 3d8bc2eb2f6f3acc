"""Filters of a recall in SQL: as a condition, and as the ids of the memories that are excluded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memories.access import View
from memories.models import Memory
from memories.vectors.nearest import ACTIVE_CONDITION, Selection

# Few memories are inactive: reading their ids, which have an index of their own, is cheaper than reading all others.
_INACTIVE_IDS = """
    SELECT id FROM memories_memory
    WHERE owner_id = %(owner)s AND (deleted_at IS NOT NULL OR expires_at IS NOT NULL OR quarantined_from IS NOT NULL)
      AND (deleted_at IS NOT NULL OR expires_at <= now() OR quarantined_from IS NOT NULL)
"""
INACTIVE_IDS = " ".join(_INACTIVE_IDS.split())
FILTERED_OUT = """
    SELECT id FROM memories_memory WHERE owner_id = %(owner)s AND NOT ({conditions} {restriction})
"""
FILTER_CONDITIONS = {
    "tags": "tags && %(tags)s::text[]",
    "since": "created_at >= %(since)s::timestamptz",
    "until": "created_at < %(until)s::timestamptz",
    "capture_mode": "capture_mode = %(capture_mode)s::text",
}


@dataclass(frozen=True, slots=True)
class RecallFilters:
    """The active memories of a view that pass all filters: any of the canonical `tags`, `since` ≤ created < `until`.

    Empty values and None mean no filter.
    """

    view: View
    tags: Sequence[str] = ()
    since: datetime | None = None
    until: datetime | None = None
    capture_mode: Memory.CaptureMode | None = None

    @property
    def selection(self) -> Selection:
        """The filters as a condition. Filters that are not set are left out: they would mislead the planner."""
        asked: dict[str, object] = {
            "tags": list(self.tags), "since": self.since, "until": self.until, "capture_mode": self.capture_mode
        }  # fmt: skip
        given = {name: value for name, value in asked.items() if value}
        conditions = " AND ".join([ACTIVE_CONDITION, *(FILTER_CONDITIONS[name] for name in given)])
        return Selection(self.view, conditions, given, is_narrow=bool(given))

    @property
    def hidden(self) -> str:
        """SQL that selects the ids of the owner's memories that are excluded; takes `selection.all_parameters`.

        Use it as "(id IN (SELECT id FROM hidden)) IS NOT TRUE", which is a lookup in a hash table, whatever number of
        rows the planner estimates. A join could become a nested loop over thousands of rows while the statistics are
        old.
        """
        selection = self.selection
        return selection.format_sql(FILTERED_OUT) if selection.is_narrow or not self.view.is_whole else INACTIVE_IDS
