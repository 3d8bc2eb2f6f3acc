"""Counts of the memories of all owners together, for the operator of the server."""

from __future__ import annotations

from dataclasses import dataclass

from memories.database import fetch_rows
from memories.vectors.spaces import current_space_id

# Each part is read from an index: few memories are inactive, and every embedded memory has a window 0.
CENSUS = """
    SELECT (SELECT count(*) FROM memories_memory),
           count(*) FILTER (WHERE deleted_at IS NOT NULL),
           count(*) FILTER (WHERE deleted_at IS NULL AND quarantined_from IS NOT NULL),
           count(*) FILTER (WHERE deleted_at IS NULL AND quarantined_from IS NULL AND expires_at <= now()),
           (SELECT count(*) FROM memories_memoryvector WHERE space_id = %(space)s AND "window" = 0)
      FROM memories_memory
     WHERE deleted_at IS NOT NULL OR expires_at IS NOT NULL OR quarantined_from IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class Census:
    """Counts of memories by state; `pending` are those of any state without a vector in the space in use."""

    active: int
    expired: int
    quarantined: int
    soft_deleted: int
    pending: int


def census() -> Census:
    """Count the memories in one query. Raises EmbeddingError when no space is in use and none can be created."""
    ((total, soft_deleted, quarantined, expired, indexed),) = fetch_rows(CENSUS, {"space": current_space_id()})
    return Census(
        active=total - soft_deleted - quarantined - expired,
        expired=expired,
        quarantined=quarantined,
        soft_deleted=soft_deleted,
        pending=total - indexed,
    )
