"""Reasons for refusing an app, more specific than OAuth's error codes."""

from __future__ import annotations

import json
from enum import StrEnum

from django.utils.translation import gettext, gettext_noop
from oauthlib.oauth2 import OAuth2Error
from oauthlib.oauth2.rfc6749.errors import InvalidClientIdError, MismatchingRedirectURIError


class GrantRefusal(StrEnum):
    """A reason for refusing a code or a refresh token at the token endpoint.

    It takes the place of the description in an `InvalidGrantError`. The app sees a general text instead, because the
    reason would help an attacker.
    """

    CODE_UNKNOWN = "code_unknown"
    CODE_REPLAYED = "code_replayed"
    REFRESH_UNKNOWN = "refresh_unknown"
    REFRESH_REVOKED = "refresh_revoked"
    REFRESH_REPLAYED = "refresh_replayed"
    REFRESH_EXPIRED = "refresh_expired"
    LOST_RACE = "lost_race"
    REDIRECT_URI_MISMATCH = "redirect_uri_mismatch"
    WRONG_VERIFIER = "wrong_verifier"


REFUSAL_DETAILS = {
    GrantRefusal.CODE_UNKNOWN: "The code is unknown, has expired, or was issued to another app.",
    GrantRefusal.CODE_REPLAYED: "The code was used before, so all tokens issued for it are revoked.",
    GrantRefusal.REFRESH_UNKNOWN: "The refresh token is unknown, or was issued to another app.",
    GrantRefusal.REFRESH_REVOKED: "The refresh token was revoked.",
    GrantRefusal.REFRESH_REPLAYED: "The refresh token was used before, so all tokens of its family are revoked.",
    GrantRefusal.REFRESH_EXPIRED: "The refresh token has expired because it was not used.",
    GrantRefusal.LOST_RACE: "Another request used it at the same time.",
    GrantRefusal.REDIRECT_URI_MISMATCH: "The redirect_uri differs from the one that the code was sent to.",
    GrantRefusal.WRONG_VERIFIER: "The code_verifier does not match the code_challenge.",
}
"""The reasons in the owner's log of connection failures."""


def reason_of(error: OAuth2Error) -> str:
    """Return the reason of an error at the authorization endpoint: its code, or a name for one with a shared code."""
    match error:
        case InvalidClientIdError():
            return "unknown_client"
        case MismatchingRedirectURIError():
            return "redirect_uri_mismatch"
        case _:
            return str(error.error)


PROBLEMS = {
    "unknown_client": gettext_noop("The app is not registered here, or its registration was deleted."),
    "redirect_uri_mismatch": gettext_noop("The app registered with a different redirect address."),
}
"""Sentences for the reasons that the page about a refused app explains, in place of the words of OAuth."""


def problem_of(error: OAuth2Error) -> str:
    """Return what is wrong, as the page about a refused app says it."""
    problem = PROBLEMS.get(reason_of(error))
    return gettext(problem) if problem else str(error.description)


def reason_and_description(body: str) -> tuple[str, str]:
    """Return the reason and the description of an error response in JSON (RFC 6749, section 5.2)."""
    refusal = json.loads(body)
    description = str(refusal.get("error_description", ""))
    if refusal["error"] == "invalid_grant" and not description:
        # oauthlib describes each of its own invalid_grant errors, except that for a wrong verifier.
        description = GrantRefusal.WRONG_VERIFIER
    if description in set(GrantRefusal):
        return description, REFUSAL_DETAILS[GrantRefusal(description)]
    return str(refusal["error"]), description
