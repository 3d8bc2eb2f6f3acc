"""When the owner was shown what they decide about: what an app has changed since then, they have not seen."""

from __future__ import annotations

from datetime import datetime

from django.http import Http404, QueryDict

from memories.database import fetch_rows

SEEN_AT = "seen_at"
"""What a page calls it, in its form or in an address."""


def seen_at_now() -> str:
    """The time as a page carries it, to be asked for before the memories: by the clock that dates their changes."""
    ((now,),) = fetch_rows("SELECT statement_timestamp()", {})
    return str(now.isoformat())


def seen_at(carried: QueryDict) -> datetime:
    """The time that a page has carried. Raises Http404 for what no page has given."""
    try:
        moment = datetime.fromisoformat(carried.get(SEEN_AT, ""))
    except ValueError:
        raise Http404 from None
    if moment.tzinfo is None:
        raise Http404
    return moment
