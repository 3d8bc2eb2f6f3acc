"""Filters of a recall in SQL: as a condition, and as the ids of the items that are excluded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memories.access import View
from memories.corpus import MEMORIES, Corpus
from memories.vectors.nearest import Selection

FILTERED_OUT = """
    SELECT id FROM {corpus.items} WHERE owner_id = %(owner)s AND NOT ({conditions} {restriction})
"""
# A memory that replaced another one holds since it was stored, unless it says otherwise; what it replaced held until
# then. The list of successors is read once, whatever number of memories is tested. It is never
# NULL: its negation selects the memories that are left out.
_TRUE_THEN = """
    (deleted_at IS NULL OR replaced_by_id IS NOT NULL AND deleted_at > %(as_of)s::timestamptz)
    AND (expires_at IS NULL OR expires_at > %(as_of)s::timestamptz)
    AND (valid_until IS NULL OR valid_until >= %(as_of)s::timestamptz)
    AND CASE WHEN valid_from IS NOT NULL THEN least(valid_from, created_at) <= %(as_of)s::timestamptz
        ELSE created_at <= %(as_of)s::timestamptz OR split_from_id IS NULL AND id NOT IN (
            SELECT replaced_by_id FROM memories_memory
            WHERE owner_id = %(owner)s AND replaced_by_id IS NOT NULL {restriction}) END
"""
TRUE_THEN = " ".join(_TRUE_THEN.split())
"""SQL condition on a row of memories_memory: it was true at `as_of`, as far as is known, or known to come."""

FILTER_CONDITIONS = {
    "tags": "tags && %(tags)s::text[]",
    "since": "created_at >= %(since)s::timestamptz",
    "until": "created_at < %(until)s::timestamptz",
    "keeper": "(CASE WHEN agent IS NULL AND capture_mode = 'explicit' THEN 'user' ELSE 'agent' END) = %(keeper)s::text",
    # Not "=": null is not a memory of the agent, also where the condition is negated.
    "agent": "agent IS NOT DISTINCT FROM %(agent)s::text",
    "source": "source = %(source)s::text",
}


class Keeper(StrEnum):
    """The two kinds of memories by their keeper: the user, or agents and assistants. A memory that belongs to an agent
    is the agent's. Inferences of assistants count as the agent's, too.
    """

    USER = "user"
    AGENT = "agent"


@dataclass(frozen=True, slots=True)
class RecallFilters:
    """The active items of a view that pass all filters: any of the canonical `tags`, `since` ≤ created < `until`.

    Empty values and None mean no filter. `keeper` and `agent` are for memories only, `source` for items that have one.
    With `as_of`, the memories that were true at that time are used instead of the active ones.
    """

    view: View
    tags: Sequence[str] = ()
    since: datetime | None = None
    until: datetime | None = None
    keeper: Keeper | None = None
    agent: str | None = None
    source: str | None = None
    corpus: Corpus = MEMORIES
    as_of: datetime | None = None

    @property
    def selection(self) -> Selection:
        """The filters as a condition. Filters that are not set are left out: they would mislead the planner."""
        asked: dict[str, object] = {
            "tags": list(self.tags), "since": self.since, "until": self.until, "keeper": self.keeper,
            "agent": self.agent, "source": self.source,
        }  # fmt: skip
        given = {name: value for name, value in asked.items() if value}
        state = self.corpus.active
        if self.as_of is not None:
            given["as_of"] = self.as_of
            state = TRUE_THEN.replace("{restriction}", self.view.restriction)
        conditions = " AND ".join([state, *(FILTER_CONDITIONS[name] for name in given if name in FILTER_CONDITIONS)])
        return Selection(self.view, conditions, given, is_narrow=bool(given), corpus=self.corpus)

    @property
    def hidden(self) -> str:
        """SQL that selects the ids of the owner's items that are excluded; takes `selection.all_parameters`.

        Use it as "(id IN (SELECT id FROM hidden)) IS NOT TRUE", which is a lookup in a hash table, whatever number of
        rows the planner estimates. A join could become a nested loop over thousands of rows while the statistics are
        old.
        """
        selection = self.selection
        return (
            selection.format_sql(FILTERED_OUT)
            if selection.is_narrow or not self.view.is_whole
            else self.corpus.inactive_ids
        )
