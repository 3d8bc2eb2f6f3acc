"""Reasons for refusing an app, more specific than OAuth's error codes."""

from __future__ import annotations

import json

from oauthlib.oauth2 import OAuth2Error
from oauthlib.oauth2.rfc6749.errors import InvalidClientIdError, MismatchingRedirectURIError

# Reasons for refusing a grant at the token endpoint, worded for the owner. `endpoints` reports less to the app.
CODE_UNKNOWN = "The code is unknown, has expired, or was issued to another app."
CODE_REPLAYED = "The code was used before, so all tokens issued for it are revoked."
REFRESH_UNKNOWN = "The refresh token is unknown, or was issued to another app."
REFRESH_REVOKED = "The refresh token was revoked."
REFRESH_REPLAYED = "The refresh token was used before, so all tokens of its family are revoked."
REFRESH_EXPIRED = "The refresh token has expired because it was not used."
LOST_RACE = "Another request used it at the same time."
OTHER_REDIRECT_URI = "The redirect_uri differs from the one that the code was sent to."
WRONG_VERIFIER = "The code_verifier does not match the code_challenge."

_REASON_BY_DESCRIPTION = {
    CODE_UNKNOWN: "code_unknown",
    CODE_REPLAYED: "code_replayed",
    REFRESH_UNKNOWN: "refresh_unknown",
    REFRESH_REVOKED: "refresh_revoked",
    REFRESH_REPLAYED: "refresh_replayed",
    REFRESH_EXPIRED: "refresh_expired",
    LOST_RACE: "lost_race",
    WRONG_VERIFIER: "wrong_verifier",
    OTHER_REDIRECT_URI: "redirect_uri_mismatch",
}


def reason_of(error: OAuth2Error) -> str:
    """Return the reason of an error at the authorization endpoint: its code, or a name for one with a shared code."""
    match error:
        case InvalidClientIdError():
            return "unknown_client"
        case MismatchingRedirectURIError():
            return "redirect_uri_mismatch"
        case _:
            return str(error.error)


def reason_and_description(body: str) -> tuple[str, str]:
    """Return the reason and the description of an error response in JSON (RFC 6749, section 5.2)."""
    refusal = json.loads(body)
    words = str(refusal.get("error_description", ""))
    if refusal["error"] == "invalid_grant" and not words:
        # The only invalid_grant error that oauthlib raises without a description.
        words = WRONG_VERIFIER
    return _REASON_BY_DESCRIPTION.get(words, str(refusal["error"])), words
