"""States of a memory in the words of the pages."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from django.conf import settings
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_noop

from memories.models import Memory


class State(StrEnum):
    """The state of a memory that the owner sees. If several apply, the last of them is shown."""

    ACTIVE = gettext_noop("active")
    PENDING_VECTOR = gettext_noop("vector pending")
    EXPIRED = gettext_noop("expired")
    IN_INBOX = gettext_noop("in your inbox")
    FORGOTTEN = gettext_noop("forgotten")


def state_of(memory: Memory) -> State:
    """Return the state of `memory`, annotated with `has_vector`."""
    if memory.deleted_at is not None:
        return State.FORGOTTEN
    if memory.quarantined_from is not None:
        return State.IN_INBOX
    if memory.expires_at is not None and memory.expires_at <= timezone.now():
        return State.EXPIRED
    return State.ACTIVE if memory.has_vector else State.PENDING_VECTOR  # type: ignore[attr-defined]  # annotated


def past_since(memory: Memory) -> str:
    """Return the day since which a memory is past, in the owner's time zone."""
    assert memory.valid_until is not None
    return gettext("past since %(day)s") % {"day": _day(memory.valid_until + timedelta(seconds=1))}


def validity_of(memory: Memory) -> str:
    """Return the days for which a memory says that it holds, and whether they are past."""
    if memory.is_past:
        return capfirst(past_since(memory))
    first, last = (moment and _day(moment) for moment in (memory.valid_from, memory.valid_until))
    if first == last:
        return gettext("On %(day)s") % {"day": first}
    if first and last:
        return gettext("True from %(first)s to %(last)s") % {"first": first, "last": last}
    text = gettext("True from %(day)s") if first else gettext("True until %(day)s")
    return text % {"day": first or last}


def _day(moment: datetime) -> str:
    return date_format(moment.astimezone(settings.OWNER_TIME_ZONE))
