"""The lines of a card that stop an app from storing inferences like the one it shows, or allow them again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F
from django.http import Http404, HttpRequest
from django.utils.translation import gettext

from common.inferences import ALL
from common.pages.owner_pages import say
from memories.admin.base import given_id, owner_id, owners_view
from memories.admin.history import client_label, client_name
from memories.models import Memory
from memories.writing.quarantine import inbox
from oauthserver.connections.refused_inferences import allow_inferences, refuse_inferences, refused_inferences

STOP, ALLOW = "stop", "allow"
"""Decisions about the app of a card, not about its memory."""

MAX_TAGS = 3
"""Number of tags of a memory that have a line."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Inferences that the app may be stopped from storing: `about` a tag, or all of them."""

    about: str
    is_all: bool
    is_stopped: bool


def stops_of(request: HttpRequest, memory: Memory) -> Sequence[Stop]:
    """Return the lines of a quarantined memory; none if its app has no permission any more. One query."""
    refused = refused_inferences(owner_id(request), memory.quarantined_from or "")
    if refused is None:
        return ()
    tags = [Stop(tag, False, tag in refused) for tag in memory.tags[:MAX_TAGS]]
    return [*tags, Stop(ALL, True, ALL in refused)]


def stop_or_allow(request: HttpRequest, key: str, decision: str, about: str) -> None:
    """Carry out STOP or ALLOW for the app of the card `key`, and say so. Raises Http404 for made-up values."""
    waiting = inbox(owners_view(request)).filter(pk=given_id(key[1:])).annotate(client=F("quarantined_from"))
    memory: Any = waiting.annotate(client_name=client_name()).first()
    if key[:1] != "m" or memory is None or about not in (*memory.tags, ALL):
        raise Http404
    change = refuse_inferences if decision == STOP else allow_inferences
    if not change(owner_id(request), memory.client, about):
        raise Http404
    say(request, _said(client_label(memory.client, memory.client_name), decision, about))


def _said(app: str, decision: str, about: str) -> str:
    if about == ALL:
        text = (
            gettext("From now on, %(app)s stores only what you tell it to.")
            if decision == STOP
            else gettext("%(app)s may store its own conclusions again.")
        )
    else:
        text = (
            gettext("From now on, %(app)s stores no conclusions about %(tag)s.")
            if decision == STOP
            else gettext("%(app)s may store conclusions about %(tag)s again.")
        )
    return text % {"app": app, "tag": about}
