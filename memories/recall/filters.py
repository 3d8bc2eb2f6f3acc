"""Which memories a question may find, in SQL: as a condition, and as the ids of those that it must not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memories.access import View
from memories.models import Memory
from memories.vectors.nearest import ACTIVE_CONDITION, Selection

# Few memories are out of force: it is cheaper to know those, by an index of their own, than all the others.
INACTIVE_IDS = """
    SELECT id FROM memories_memory
    WHERE owner_id = %(owner)s AND (deleted_at IS NOT NULL OR expires_at IS NOT NULL OR quarantined_from IS NOT NULL)
      AND (deleted_at IS NOT NULL OR expires_at <= now() OR quarantined_from IS NOT NULL)
"""
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
    """The memories in force of a view that pass all filters: any of the canonical `tags`, `since` ≤ created < `until`.

    Empty and None leave a filter out.
    """

    view: View
    tags: Sequence[str] = ()
    since: datetime | None = None
    until: datetime | None = None
    capture_mode: Memory.CaptureMode | None = None

    @property
    def selection(self) -> Selection:
        """The same as a condition. Filters that are not asked for are left out: they would mislead the planner."""
        asked: dict[str, object] = {
            "tags": list(self.tags), "since": self.since, "until": self.until, "capture_mode": self.capture_mode
        }  # fmt: skip
        given = {name: value for name, value in asked.items() if value}
        conditions = " AND ".join([ACTIVE_CONDITION, *(FILTER_CONDITIONS[name] for name in given)])
        return Selection(self.view, conditions, given, is_narrow=bool(given))

    @property
    def hidden(self) -> str:
        """SQL that selects the ids of the owner's memories that are out of scope; takes `selection.all_parameters`.

        "(id IN (SELECT id FROM hidden)) IS NOT TRUE" is looked up in a hash table, whatever the planner believes about
        the number of rows: a join could become a nested loop over thousands of rows while the statistics are old.
        """
        selection = self.selection
        return selection.format_sql(FILTERED_OUT) if selection.is_narrow or not self.view.is_whole else INACTIVE_IDS
