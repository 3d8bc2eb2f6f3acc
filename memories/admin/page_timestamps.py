"""Time at which a page was shown, so that a decision does not cover later changes that the owner has not seen."""

from __future__ import annotations

from datetime import datetime

from django.http import Http404, QueryDict

from memories.database import fetch_rows

SEEN_AT = "seen_at"
"""Name of the time in forms and URLs."""


def seen_at_now() -> str:
    """Return the current time by the database's clock, which dates changes. Call it before the memories are read."""
    ((now,),) = fetch_rows("SELECT statement_timestamp()", {})
    return str(now.isoformat())


def seen_at(carried: QueryDict) -> datetime:
    """Parse the time that a page sends back. Raises Http404 for a value that no page can have sent."""
    try:
        moment = datetime.fromisoformat(carried.get(SEEN_AT, ""))
    except ValueError:
        raise Http404 from None
    if moment.tzinfo is None:
        raise Http404
    return moment
