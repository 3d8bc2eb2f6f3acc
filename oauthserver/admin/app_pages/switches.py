"""The limits of an app as plain sentences with switches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext, gettext_noop, ngettext

from common.risks import Risk
from common.scopes import ADMIN, READ, WRITE
from oauthserver.admin.forms import PermissionForm

_SCOPES = {
    READ: (
        gettext_noop("%(app)s can read your memories and documents"),
        gettext_noop("It searches, lists and recalls them."),
    ),
    WRITE: (
        gettext_noop("%(app)s can add, change and forget memories and documents"),
        gettext_noop("You can undo each of its changes."),
    ),
    ADMIN: (
        gettext_noop("%(app)s can delete permanently and export everything"),
        gettext_noop("What it deletes permanently is gone."),
    ),
}
_RISKS = {
    Risk.HARD_DELETE: gettext_noop("Deleting permanently needs your approval"),
    Risk.BULK_FORGET: gettext_noop("Forgetting many at once needs your approval"),
    Risk.EXPORT: gettext_noop("Exporting needs your approval"),
    Risk.CUSTOM_TOOL: gettext_noop("Calling one of your risky tools needs your approval"),
}


def _bulk_hint() -> str:
    count = settings.APPROVAL_BULK_FORGET
    text = ngettext(
        "More than %(count)s memory or document in one call.",
        "More than %(count)s memories or documents in one call.",
        count,
    )
    return text % {"count": count}


@dataclass(frozen=True, slots=True)
class Switch:
    """A switch of the form: `name` and `value` are sent if it is on. `hint` says more, or is empty."""

    name: str
    value: str
    sentence: str
    hint: str
    is_on: bool


def switches_of(form: PermissionForm, app: str) -> Iterator[Switch]:
    """Yield the switches of `form` for the app with the name `app`, as they are set now."""
    scopes, approvals = form["scopes"].value() or (), form["approvals"].value() or ()
    for scope, (sentence, hint) in _SCOPES.items():
        yield Switch("scopes", scope, gettext(sentence) % {"app": app}, gettext(hint), scope in scopes)
    yield Switch(
        "quarantine",
        "on",
        gettext("Its own conclusions go to your inbox first"),
        gettext("You decide before any app uses it."),
        bool(form["quarantine"].value()),
    )
    yield Switch(
        "stores_only_told",
        "on",
        gettext("%(app)s stores only what you tell it to") % {"app": app},
        gettext("Its own conclusions are refused."),
        bool(form["stores_only_told"].value()),
    )
    for risk, sentence in _RISKS.items():
        hint = _bulk_hint() if risk == Risk.BULK_FORGET else ""
        yield Switch("approvals", risk, gettext(sentence), hint, risk in approvals)
    yield Switch(
        "asks_in_app",
        "on",
        gettext("You can approve in the app itself"),
        gettext("It shows you the request, and you trust it to report your decision. If off, you decide in Review."),
        bool(form["asks_in_app"].value()),
    )
    yield Switch(
        "is_paused",
        "on",
        gettext("%(app)s is paused") % {"app": app},
        gettext("All of its requests are refused until you switch this off."),
        bool(form["is_paused"].value()),
    )
