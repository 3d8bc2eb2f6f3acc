"""The limits of an app as plain sentences with switches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from common.risks import Risk
from common.scopes import ADMIN, READ, WRITE
from oauthserver.admin.forms import PermissionForm

_SCOPES = {
    READ: ("{app} can read your memories", "It searches, lists and recalls them, and your documents."),
    WRITE: ("{app} can add, change and forget memories", "You can undo each of its changes."),
    ADMIN: ("{app} can delete permanently and export everything", "What it deletes permanently is gone."),
}
_RISKS = {
    Risk.HARD_DELETE: "Deleting permanently needs your approval",
    Risk.BULK_FORGET: "Forgetting many at once needs your approval",
    Risk.EXPORT: "Exporting needs your approval",
    Risk.CUSTOM_TOOL: "Calling one of your risky tools needs your approval",
}


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
        yield Switch("scopes", scope, sentence.format(app=app), hint, scope in scopes)
    yield Switch(
        "quarantine",
        "on",
        "What it concludes by itself waits in your inbox",
        "You decide before any app uses it.",
        bool(form["quarantine"].value()),
    )
    for risk, sentence in _RISKS.items():
        yield Switch("approvals", risk, sentence, "", risk in approvals)
    yield Switch(
        "asks_in_app",
        "on",
        "You can approve in the app itself",
        "It shows you the request, and you trust it to report your decision. If off, you decide in Review.",
        bool(form["asks_in_app"].value()),
    )
    yield Switch(
        "is_paused",
        "on",
        f"{app} is paused",
        "All of its requests are refused until you switch this off.",
        bool(form["is_paused"].value()),
    )
