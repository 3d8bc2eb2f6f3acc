"""The states of an app that the owner should notice: that it is paused, not connected, or silent for a week."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext, gettext_noop, ngettext

from common.pages.list_rows import Flag
from common.pages.relative_times import number
from common.scopes import ADMIN, READ, WRITE
from oauthserver.models import Permission

NOT_CONNECTED = gettext_noop("not connected")
"""The state of an app that has no token: whatever it was allowed to do, it cannot do anything."""

SILENT = timedelta(days=7)
"""Time without a call after which an app that is connected counts as silent."""

USABLE = {"connected", "active", "trusted"}
"""The states in which an app can be used. Only the others are shown."""


def flags_of(permission: Permission, state: str) -> list[Flag]:
    """Return the exceptions of an app in `state`, a word of its list."""
    if state not in USABLE:
        return [Flag(gettext(state), "warn" if state in {"paused", "expired"} else "")]
    since = silent_since(permission)
    if since is None:
        return []
    days = (timezone.now() - since).days
    text = ngettext("silent for %(number)s day", "silent for %(number)s days", days) % {"number": number(days)}
    return [Flag(text, "warn")]


def silent_since(permission: Permission) -> datetime | None:
    """Return since when the app has been silent, or None if it was used in the last week."""
    last = permission.last_used_at or permission.created_at
    return last if timezone.now() - last >= SILENT else None


def can_do(permission: Permission) -> str:
    """Return what the app can do, for its quiet line: "reads and changes"."""
    words = {READ: gettext("reads"), WRITE: gettext("changes"), ADMIN: gettext("deletes permanently")}
    named = [word for scope, word in words.items() if scope in permission.scopes]
    if len(named) < 2:
        return gettext("only %(verb)s") % {"verb": named[0]} if named else gettext("nothing allowed")
    return _listed(named)


def limits_of(permission: Permission) -> str:
    """Return what the app can do with which memories and tools, as sentences."""
    words = {READ: gettext("read"), WRITE: gettext("change"), ADMIN: gettext("permanently delete")}
    verbs = [word for scope, word in words.items() if scope in permission.scopes]
    if not verbs:
        return gettext("It can do nothing.")
    if permission.tags:
        text = gettext("It can %(verbs)s only memories tagged %(tags)s")
    else:
        text = gettext("It can %(verbs)s all memories")
    text %= {"verbs": _listed(verbs), "tags": ", ".join(permission.tags)}
    if READ not in permission.scopes:
        text = gettext("%(sentence)s, but not read any") % {"sentence": text}
    elif WRITE not in permission.scopes:
        text = gettext("%(sentence)s, but not change any") % {"sentence": text}
    tools = gettext("It can call only %(tools)s.") % {"tools": ", ".join(permission.tools)} if permission.tools else ""
    return f"{text}. {tools or gettext('Its tools are not limited.')}"


def _listed(words: Sequence[str]) -> str:
    if len(words) == 1:
        return words[0]
    return gettext("%(list)s and %(last)s") % {"list": ", ".join(words[:-1]), "last": words[-1]}
