"""The selection to undo, in the query of a page: `change_set`, `entry`, `memory` with `after`, or `app`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.http import Http404, QueryDict
from django.utils.translation import gettext, gettext_noop, pgettext

from memories.admin.base import given_id
from memories.queries.clients import client_names
from memories.undo.selection import Selection

PERIODS: Mapping[str, tuple[str, timedelta | None]] = {
    "hour": (gettext_noop("in the last hour"), timedelta(hours=1)),
    "day": (gettext_noop("in the last 24 hours"), timedelta(days=1)),
    "week": (gettext_noop("in the last 7 days"), timedelta(days=7)),
    "all": (gettext_noop("at any time"), None),
}
"""The periods that the owner can choose, with their names."""

_QUESTIONS = {
    "hour": gettext_noop("Undo all changes by %(app)s in the last hour?"),
    "day": gettext_noop("Undo all changes by %(app)s in the last 24 hours?"),
    "week": gettext_noop("Undo all changes by %(app)s in the last 7 days?"),
    "all": gettext_noop("Undo all changes by %(app)s?"),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """The changes to undo, and the question whether to undo them."""

    selection: Selection
    question: str


def read_choice(query: QueryDict, seen_at: datetime) -> Choice | None:
    """Return the changes that the query names, up to `seen_at`; None if it names none yet.

    Raises Http404 for a value that no page can have sent.
    """
    chosen = _one(query) or _by_app(query, seen_at)
    return chosen and replace(chosen, selection=replace(chosen.selection, until=seen_at))


def _one(query: QueryDict) -> Choice | None:
    if given := query.get("change_set"):
        return Choice(Selection(change_set=_uuid(given)), gettext("Undo this change?"))
    if given := query.get("entry"):
        return Choice(Selection(entry_id=given_id(given)), gettext("Undo this change?"))
    if given := query.get("memory"):
        after = given_id(query.get("after", ""))
        selection = Selection(memory_id=given_id(given), after_entry_id=after)
        return Choice(selection, gettext("Undo the later changes to this memory?"))
    return None


def _by_app(query: QueryDict, seen_at: datetime) -> Choice | None:
    client, period = query.get("app", ""), query.get("period", "")
    if not client or not period:
        return None
    if period not in PERIODS:
        raise Http404
    _, length = PERIODS[period]
    selection = Selection(clients=[client], since=seen_at - length if length else None)
    return Choice(selection, gettext(_QUESTIONS[period]) % {"app": _after_by(client)})


def _after_by(client: str) -> str:
    """Return the name of a client as it is in “changes by …”."""
    # Other languages decline it: “du” is “von dir”.
    builtin = {"admin": pgettext("after “by”", "you"), "import": pgettext("after “by”", "imports")}
    return builtin.get(client) or client_names([client])[client]


def _uuid(given: str) -> UUID:
    try:
        return UUID(given)
    except ValueError:
        raise Http404 from None
