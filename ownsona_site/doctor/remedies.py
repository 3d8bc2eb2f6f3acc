"""Advice to the owner for each connection failure, by its step and reason."""

from __future__ import annotations

from collections.abc import Mapping

from oauthserver.connections.failure_log import Step

ADD_AGAIN = "Remove this server in the app and add it again: it then registers anew and asks you."
APP_FAULT = "The app does something that cannot be allowed. Update the app; if that does not help, tell its makers."
ASK_OPENLY = "The app wanted in without asking you, which never happens here. Connect it again from its settings."
MOVED = f"OWNSONA_PUBLIC_URL has changed since the app was connected. {ADD_AGAIN}"
NOTHING_LOST = "The app sent the same thing twice at once. One of the two worked: there is nothing to do."
NOT_ITSELF = f"The app's secret is wrong, or its registration is gone. {ADD_AGAIN}"
USED_TWICE = f"""A thief uses things twice; so does, by mistake, an app that runs twice or came from a backup. All that
came of it is revoked. {ADD_AGAIN}"""

REMEDIES: Mapping[Step, Mapping[str, str]] = {
    Step.DISCOVERY: {
        "unknown_host": """Set OWNSONA_PUBLIC_URL to the address that the app was given, and let the proxy pass the Host
            header on: in nginx, `proxy_set_header Host $host;`.""",
        "origin_not_allowed": """If you know this web page and want it to use your memories, add its origin to
            OWNSONA_ALLOWED_ORIGINS and restart. Otherwise it was rightly refused.""",
    },
    Step.REGISTRATION: {
        "invalid_redirect_uri": """The app wants its answer at an address that is not safe. Update the app; if you wrote
            it, use https, http on 127.0.0.1, or a scheme of its own.""",
        "too_many_requests": """Wait a minute. If the address is not yours, someone tries to fill your list of apps:
            block it in the proxy.""",
    },
    Step.AUTHORIZATION: {
        "unknown_client": f"The app remembers a registration that is gone. {ADD_AGAIN}",
        "redirect_uri_mismatch": f"The app registered with another address. {ADD_AGAIN}",
        "invalid_target": """The app was given another address than this server's. Give it the one on the overview,
            letter by letter.""",
        "consent_required": ASK_OPENLY,
    },
    Step.LOGIN: {
        "login_locked": """If it was you, wait, or run `manage.py unlock_login`. If it was not, nothing is lost: whoever
            guesses has to wait, too.""",
    },
    Step.CONSENT: {
        "access_denied": "You chose Deny. If that was a mistake, connect the app again.",
    },
    Step.TOKEN: {
        "code_unknown": """The app took too long after Allow, or it and the browser reached different servers. Connect
            it again; if that does not help, raise AUTHORIZATION_CODE_LIFETIME_SECONDS.""",
        "code_replayed": USED_TWICE,
        "wrong_verifier": """The app mixed up two logins, as one with two windows does. Close all but one, and connect
            it again.""",
        "invalid_client": NOT_ITSELF,
        "lost_race": NOTHING_LOST,
    },
    Step.REFRESH: {
        "refresh_replayed": USED_TWICE,
        "refresh_revoked": f"You have disconnected the app, or something of its was used twice. {ADD_AGAIN}",
        "refresh_unknown": f"The app was disconnected long ago, or means another server. {ADD_AGAIN}",
        "refresh_expired": "The app was not used for longer than REFRESH_TOKEN_LIFETIME_SECONDS. Connect it again.",
        "invalid_client": NOT_ITSELF,
        "lost_race": NOTHING_LOST,
    },
    Step.CALL: {
        "app_paused": "You have paused this app. Resume it under Connected apps if it may go on.",
        "invalid_token": f"""The token was revoked, or is another server's. A script of yours needs a new one, from
            Personal tokens. An app: {ADD_AGAIN[0].lower()}{ADD_AGAIN[1:]}""",
        "expired_token": "The personal token of a script has expired. Make a new one under Personal tokens.",
        "invalid_format": """The header must read `Authorization: Bearer` and the token, nothing else. Look whether the
            app's setting holds the token alone.""",
        "invalid_issuer": MOVED,
        "invalid_audience": MOVED,
    },
}


def remedy_for(step: str, reason: str) -> str:
    """Return the advice for a connection failure, on one line. Unknown reasons get the advice that helps most often."""
    advice = REMEDIES[Step(step)].get(reason, ADD_AGAIN if step == Step.CALL else APP_FAULT)
    return " ".join(advice.split())
