"""The cost of authentication: the token check of every call, and the token endpoint."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import httpx
from django.conf import settings
from django.test import RequestFactory
from django.utils import timezone
from oauth2_provider.models import Grant

from benchmarks.support.baselines import time_repeatedly
from benchmarks.support.load import Timing
from oauthserver.connections.connection_changes import save_consent
from oauthserver.models import Application, User
from oauthserver.resource_server import bearer
from oauthserver.resource_server.token_status import find_app_token
from oauthserver.tokens import access_tokens
from tests.support.factories import ALL_SCOPES, make_access_token, make_app
from tests.support.oauth.flow import CHALLENGE, REDIRECT_URI, VERIFIER

CODES = 2_000


def access_timings(user: User, seconds: float) -> Iterator[tuple[str, Timing]]:
    """Measure the parts of the token check in this process, then codes and refresh tokens over HTTP with one client."""
    token = make_access_token(user)
    checksum = access_tokens.token_checksum(token)
    request = RequestFactory().post("/mcp", headers={"authorization": f"Bearer {token}"})
    bearer.authenticate(request)

    yield "token: signature, remembered", time_repeatedly(seconds, lambda _: bearer._check_signature(token, checksum))
    yield "token: signature, checked anew", time_repeatedly(seconds, lambda _: access_tokens.verify(token))
    yield "token: the look-up of its status", time_repeatedly(seconds, lambda _: find_app_token(checksum))
    yield "token: the whole check", time_repeatedly(seconds, lambda _: bearer.authenticate(request))
    with httpx.Client(base_url=f"http://127.0.0.1:{settings.PORT}", timeout=30) as http:
        yield from _token_endpoint(user, http, seconds)


def _token_endpoint(user: User, http: httpx.Client, seconds: float) -> Iterator[tuple[str, Timing]]:
    app = make_app("Bench")
    Application.objects.filter(pk=app.pk).update(redirect_uris=REDIRECT_URI)
    save_consent(user, app, asked=ALL_SCOPES.split(), granted=ALL_SCOPES.split(), tags=())
    codes = iter(_codes(user, app))
    refresh_token = ""

    def exchange(_: int) -> None:
        nonlocal refresh_token
        form = {
            "grant_type": "authorization_code",
            "code": next(codes),
            "redirect_uri": REDIRECT_URI,
            "code_verifier": VERIFIER,
            "client_id": app.client_id,
        }
        refresh_token = _posted(http, form)

    def refresh(_: int) -> None:
        nonlocal refresh_token
        form = {"grant_type": "refresh_token", "refresh_token": refresh_token, "client_id": app.client_id}
        refresh_token = _posted(http, form)

    yield "/oauth/token: a code", time_repeatedly(seconds, exchange)
    yield "/oauth/token: a refresh", time_repeatedly(seconds, refresh)
    app.delete()


def _codes(user: User, app: Application) -> list[str]:
    """Create authorization codes and return them."""
    until = timezone.now() + timedelta(hours=1)
    grants = [
        Grant(
            user=user,
            application=app,
            code=f"bench-{number}",
            expires=until,
            redirect_uri=REDIRECT_URI,
            scope=ALL_SCOPES,
            code_challenge=CHALLENGE,
            code_challenge_method="S256",
        )
        for number in range(CODES)
    ]
    Grant.objects.bulk_create(grants)
    return [grant.code for grant in grants]


def _posted(http: httpx.Client, form: dict[str, str]) -> str:
    """POST the form to the token endpoint and return the new refresh token."""
    answer = http.post("/oauth/token", data=form)
    answer.raise_for_status()
    return str(answer.json()["refresh_token"])
