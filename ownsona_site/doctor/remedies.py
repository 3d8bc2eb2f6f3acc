"""Advice to the owner for each connection failure, by its step and reason."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext, gettext_noop

from oauthserver.connections.failure_log import WRONG_CODE, WRONG_PASSWORD, Step

Advice = tuple[str, ...]
"""Sentences, each translated on its own."""

ADD_AGAIN = gettext_noop(
    "Remove this server in the app and add it again. The app then registers again and asks for your permission."
)
APP_FAULT: Advice = (
    gettext_noop(
        "The app sent a request that is not allowed. Update the app; if that does not help, report it to its "
        "developers."
    ),
)
ASK_OPENLY: Advice = (
    gettext_noop(
        "The app requested access without asking you, which OwnSona never allows. Connect it again from its settings."
    ),
)
MISTYPED: Advice = (
    gettext_noop(
        "If it was you, log in again. If it was not you, a long password protects you: after a few wrong attempts, "
        "the next one has to wait."
    ),
)
MOVED: Advice = (gettext_noop("OWNSONA_PUBLIC_URL has changed since the app was connected."), ADD_AGAIN)
NOTHING_LOST: Advice = (
    gettext_noop("The app sent the same request twice at once. One of them worked, so you do not have to do anything."),
)
NOT_ITSELF: Advice = (gettext_noop("The app's secret is wrong, or its registration was deleted."), ADD_AGAIN)
USED_TWICE: Advice = (
    gettext_noop(
        "A code or refresh token was used twice: by a thief, or by an app that runs twice or was restored from a "
        "backup. "
        "All tokens issued for it are revoked."
    ),
    ADD_AGAIN,
)

REMEDIES: Mapping[Step, Mapping[str, Advice]] = {
    Step.DISCOVERY: {
        "unknown_host": (
            gettext_noop(
                "Set OWNSONA_PUBLIC_URL to the address that the app was given, and let the proxy forward the Host "
                "header: in nginx, `proxy_set_header Host $host;`."
            ),
        ),
        "origin_not_allowed": (
            gettext_noop(
                "If you know this web page and want it to use your memories, add its origin to OWNSONA_ALLOWED_ORIGINS "
                "and restart. Otherwise the refusal is correct."
            ),
        ),
    },
    Step.REGISTRATION: {
        "invalid_redirect_uri": (
            gettext_noop(
                "The redirect address of the app is not safe. Update the app; if you wrote it, use https, http on "
                "127.0.0.1, or a scheme of its own."
            ),
        ),
        "too_many_requests": (
            gettext_noop(
                "Wait a minute. If the address is not yours, someone is flooding your list of apps: block it in the "
                "proxy."
            ),
        ),
    },
    Step.AUTHORIZATION: {
        "unknown_client": (gettext_noop("The app is not registered here, or its registration was deleted."), ADD_AGAIN),
        "redirect_uri_mismatch": (gettext_noop("The app registered with a different redirect address."), ADD_AGAIN),
        "invalid_target": (
            gettext_noop("The app was given a wrong address of this server. Use exactly the address on the overview."),
        ),
        "consent_required": ASK_OPENLY,
    },
    Step.LOGIN: {
        WRONG_PASSWORD: MISTYPED,
        WRONG_CODE: MISTYPED,
        "login_locked": (
            gettext_noop(
                "If it was you, wait, or run `manage.py unlock_login`. If it was not you, your account is still safe: "
                "an attacker has to wait, too."
            ),
        ),
    },
    Step.CONSENT: {
        "access_denied": (gettext_noop("You chose Deny. If that was a mistake, connect the app again."),),
    },
    Step.TOKEN: {
        "code_unknown": (
            gettext_noop(
                "The app took too long after you chose Allow, or it and the browser reached different servers. Connect "
                "it again; if that does not help, increase AUTHORIZATION_CODE_LIFETIME_SECONDS."
            ),
        ),
        "code_replayed": USED_TWICE,
        "wrong_verifier": (
            gettext_noop(
                "The app mixed up two logins, for example from two windows. Close all but one, and connect it again."
            ),
        ),
        "invalid_client": NOT_ITSELF,
        "lost_race": NOTHING_LOST,
    },
    Step.REFRESH: {
        "refresh_replayed": USED_TWICE,
        "refresh_revoked": (
            gettext_noop("You disconnected the app, or one of its tokens was used twice."),
            ADD_AGAIN,
        ),
        "refresh_unknown": (
            gettext_noop("The app was disconnected long ago, or uses a token of another server."),
            ADD_AGAIN,
        ),
        "refresh_expired": (
            gettext_noop("The app was not used for longer than REFRESH_TOKEN_LIFETIME_SECONDS. Connect it again."),
        ),
        "invalid_client": NOT_ITSELF,
        "lost_race": NOTHING_LOST,
    },
    Step.CALL: {
        "app_paused": (
            gettext_noop("You have paused it. To allow its requests again, resume it on its page under Apps."),
        ),
        "invalid_token": (
            gettext_noop(
                "The token was revoked, or belongs to another server. For a script, create a new one under Personal "
                "tokens. For an app: remove this server in the app and add it again. The app then registers again and "
                "asks for your permission."
            ),
        ),
        "expired_token": (
            gettext_noop("The personal token of a script has expired. Create a new one under Personal tokens."),
        ),
        "invalid_format": (
            gettext_noop(
                "The header must consist of `Authorization: Bearer` and the token. Check that the app's setting "
                "contains only the token."
            ),
        ),
        "invalid_issuer": MOVED,
        "invalid_audience": MOVED,
    },
}


def remedy_for(step: str, reason: str) -> str:
    """Return the advice for a connection failure, on one line. Unknown reasons get the advice that helps most often."""
    advice = REMEDIES[Step(step)].get(reason, (ADD_AGAIN,) if step == Step.CALL else APP_FAULT)
    return " ".join(gettext(sentence) for sentence in advice)
