"""Tests of attacks on the token endpoint: codes, refresh tokens and client credentials that must not work."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import BytesIO
from threading import Barrier, Event
from typing import Any
from urllib.parse import urlencode

import jwt
import pytest
from django.db import connection as database
from django.http import HttpRequest
from django.test import RequestFactory
from django.utils import timezone
from oauth2_provider.models import AccessToken, Grant, RefreshToken
from pytest_django import DjangoAssertNumQueries, Settings

from oauthserver import models
from oauthserver.authorization.endpoints import FORM
from oauthserver.authorization.endpoints import token as token_endpoint
from oauthserver.authorization.grant_rules import Validator
from oauthserver.authorization.oauthlib_backend import Backend
from oauthserver.connections.connection_changes import disconnect
from oauthserver.models import Application, User
from oauthserver.resource_server.bearer import Forbidden, Unauthorized, authenticate
from oauthserver.tokens.signing_keys import signing_key
from tests.support.oauth.flow import (
    HOST,
    REDIRECT_URI,
    VERIFIER,
    Browser,
    Connection,
    Registration,
    call,
    http_client,
    post_form,
)

RACERS = 8


@pytest.fixture
def code(browser: Browser, registration: Registration) -> str:
    return browser.decide(registration.authorize_url())["code"]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_verifier": "w" * 64}, "invalid_grant"),
        ({"code_verifier": ""}, "invalid_request"),
        ({"code": "unknown"}, "invalid_grant"),
        ({"code": "a\0b"}, "invalid_request"),
        ({"code": ""}, "invalid_request"),
        ({"code_verifier": "v" * 63 + "\0"}, "invalid_request"),
        ({"code_verifier": "V" * 64}, "invalid_grant"),
        ({"code_challenge": "v" * 64, "code_challenge_method": "plain", "code_verifier": "x"}, "invalid_grant"),
        ({"redirect_uri": "http://127.0.0.1:1/callback"}, "invalid_grant"),
        ({"redirect_uri": REDIRECT_URI + "/"}, "invalid_grant"),
        ({"redirect_uri": "https://elsewhere.example/"}, "invalid_grant"),
        ({"client_id": "unknown"}, "invalid_client"),
        ({"client_id": ""}, "invalid_client"),
        ({"client_id": "a\0b"}, "invalid_request"),
        ({"resource": "https://elsewhere.example/"}, "invalid_target"),
        ({"grant_type": "password", "username": "owner", "password": "x"}, "unsupported_grant_type"),
        ({"grant_type": "client_credentials"}, "unsupported_grant_type"),
        ({"grant_type": "urn:ietf:params:oauth:grant-type:device_code"}, "unsupported_grant_type"),
        ({"grant_type": "refresh_token"}, "invalid_request"),
        ({"grant_type": ""}, "invalid_request"),
    ],
)
def test_a_code_is_worth_nothing_in_a_request_that_is_not_right(
    registration: Registration, code: str, changes: dict[str, str], error: str
) -> None:
    response = registration.exchange(code, **changes)

    assert response.status_code in {400, 401}
    assert response.json()["error"] == error
    assert not AccessToken.objects.exists()


@pytest.mark.parametrize("name", ["grant_type", "code", "redirect_uri", "client_id", "client_secret", "code_verifier"])
@pytest.mark.parametrize("value", ["\0", "x\0y", "\ufffd", "x" * 100_000])
def test_no_value_of_a_parameter_is_too_odd(registration: Registration, code: str, name: str, value: str) -> None:
    response = registration.exchange(code, **{name: value})

    assert response.status_code in {400, 401}
    assert response.json()["error"]
    assert not AccessToken.objects.exists()


@pytest.mark.parametrize("name", ["refresh_token", "scope", "resource", "client_id", "a\0"])
def test_a_nul_character_is_refused_in_a_refresh(connection: Connection, name: str) -> None:
    response = connection.registration.refresh(**{"refresh_token": connection.refresh_token, name: "x\0y"})

    assert response.status_code in {400, 401}
    assert connection.registration.refresh(connection.refresh_token).status_code == 200


def test_another_apps_code_is_worth_nothing(code: str) -> None:
    assert Registration.of_new_app().exchange(code).json()["error"] == "invalid_grant"


@pytest.mark.parametrize("others", [[], ["https://app.example/callback"]])
def test_the_redirect_uri_need_not_be_repeated_as_oauth_2_1_has_it(browser: Browser, others: list[str]) -> None:
    app = Registration.of_new_app(redirect_uris=[REDIRECT_URI, *others])
    code = browser.decide(app.authorize_url(redirect_uri="http://127.0.0.1:4/callback"))["code"]

    assert app.exchange(code, redirect_uri="").status_code == 200


def test_a_resource_that_is_first_named_at_the_token_step_must_be_ours(registration: Registration, code: str) -> None:
    tokens = registration.exchange(code, resource="http://localhost:8000/mcp/http").json()

    claims = jwt.decode(tokens["access_token"], options={"verify_signature": False})
    assert claims["aud"] == "http://127.0.0.1:8000/mcp"


@pytest.mark.parametrize("which", ["deleted", "locked out"])
def test_a_code_ends_with_what_it_was_given_to(registration: Registration, code: str, owner: User, which: str) -> None:
    if which == "deleted":
        Application.objects.all().delete()
    else:
        User.objects.update(is_active=False)

    assert registration.exchange(code).json()["error"] in {"invalid_client", "invalid_grant"}


def test_an_expired_code_is_worth_nothing(registration: Registration, code: str) -> None:
    Grant.objects.update(expires=timezone.now() - timedelta(seconds=1))

    assert registration.exchange(code).json()["error"] == "invalid_grant"


def test_a_code_of_a_person_who_was_locked_out_is_worth_nothing(
    registration: Registration, code: str, owner: User
) -> None:
    User.objects.update(is_active=False)

    assert registration.exchange(code).json()["error"] == "invalid_grant"


def test_a_replayed_code_ends_what_it_bought(registration: Registration, code: str) -> None:
    bought = registration.exchange(code).json()

    assert registration.exchange(code).json()["error"] == "invalid_grant"

    with pytest.raises(Unauthorized, match="revoked"):
        authenticate(call(bought["access_token"]))
    assert registration.refresh(bought["refresh_token"]).json()["error"] == "invalid_grant"


def test_a_replayed_code_also_ends_what_was_renewed_since(registration: Registration, code: str) -> None:
    bought = registration.exchange(code).json()
    renewed = registration.refresh(bought["refresh_token"]).json()

    registration.exchange(code)

    with pytest.raises(Unauthorized, match="revoked"):
        authenticate(call(renewed["access_token"]))


def test_a_replayed_refresh_token_ends_its_family(connection: Connection) -> None:
    renewed = connection.registration.refresh(connection.refresh_token).json()

    assert connection.registration.refresh(connection.refresh_token).json()["error"] == "invalid_grant"

    with pytest.raises(Unauthorized, match="revoked"):
        authenticate(call(renewed["access_token"]))
    assert connection.registration.refresh(renewed["refresh_token"]).json()["error"] == "invalid_grant"


def test_a_replay_is_none_the_less_one_after_the_clock_went_back(connection: Connection) -> None:
    renewed = connection.registration.refresh(connection.refresh_token).json()
    RefreshToken.objects.exclude(revoked=None).update(revoked=timezone.now() + timedelta(days=365))

    assert connection.registration.refresh(connection.refresh_token).json()["error"] == "invalid_grant"
    assert connection.registration.refresh(renewed["refresh_token"]).json()["error"] == "invalid_grant"


def test_another_app_can_neither_use_nor_end_a_refresh_token(connection: Connection) -> None:
    stranger = Registration.of_new_app()
    renewed = connection.registration.refresh(connection.refresh_token).json()

    assert stranger.refresh(connection.refresh_token).json()["error"] == "invalid_grant"
    assert stranger.refresh(renewed["refresh_token"]).json()["error"] == "invalid_grant"

    assert connection.registration.refresh(renewed["refresh_token"]).status_code == 200


def test_a_refresh_token_lives_thirty_days_from_its_last_use(connection: Connection) -> None:
    RefreshToken.objects.update(created=timezone.now() - timedelta(days=29))
    renewed = connection.registration.refresh(connection.refresh_token)
    assert renewed.status_code == 200

    RefreshToken.objects.update(created=timezone.now() - timedelta(days=30))

    assert connection.registration.refresh(renewed.json()["refresh_token"]).json()["error"] == "invalid_grant"


def test_a_refresh_token_whose_access_token_was_deleted_is_worth_nothing(connection: Connection) -> None:
    AccessToken.objects.all().delete()

    assert connection.registration.refresh(connection.refresh_token).json()["error"] == "invalid_grant"


@pytest.mark.parametrize("token", ["", "a\0b", "unknown", "é"])
def test_a_refresh_token_that_nobody_issued_is_refused(registration: Registration, token: str) -> None:
    assert registration.refresh(token).json()["error"] in {"invalid_grant", "invalid_request"}


def test_an_access_token_does_not_refresh(connection: Connection) -> None:
    assert connection.registration.refresh(connection.access_token).json()["error"] == "invalid_grant"


def test_a_refresh_cannot_name_another_resource(connection: Connection) -> None:
    response = connection.registration.refresh(connection.refresh_token, resource="https://elsewhere.example/")

    assert response.json()["error"] == "invalid_target"


def test_the_apps_of_a_locked_out_person_cannot_refresh(connection: Connection) -> None:
    User.objects.update(is_active=False)

    assert connection.registration.refresh(connection.refresh_token).json()["error"] == "invalid_grant"


def test_a_paused_app_keeps_what_it_needs_to_go_on_later(connection: Connection) -> None:
    models.Connection.objects.update(paused_at=timezone.now())

    access_token = connection.registration.refresh(connection.refresh_token).json()["access_token"]

    with pytest.raises(Forbidden):
        authenticate(call(access_token))
    models.Connection.objects.update(paused_at=None)
    assert authenticate(call(access_token)).client_name == "Notebook"


@pytest.fixture
def confidential(browser: Browser) -> tuple[Registration, str]:
    """An app with a secret, and a code for it."""
    app = Registration.of_new_app(token_endpoint_auth_method="client_secret_post")
    return app, browser.decide(app.authorize_url())["code"]


@pytest.mark.parametrize("changes", [{"client_secret": "wrong"}, {"client_secret": ""}, {}, {"client_secret": "a\0b"}])
def test_a_confidential_app_needs_its_secret(confidential: tuple[Registration, str], changes: dict[str, str]) -> None:
    app, code = confidential

    response = app.exchange(code, **changes)

    assert response.json()["error"] in {"invalid_client", "invalid_request"}
    assert not AccessToken.objects.exists()


def test_a_blank_secret_never_authenticates_even_where_none_is_stored(confidential: tuple[Registration, str]) -> None:
    app, code = confidential
    Application.objects.update(client_secret="")

    assert app.exchange(code, client_secret="").json()["error"] == "invalid_client"
    assert _with_basic(app, code, f"{app.client_id}:").json()["error"] == "invalid_client"


def test_the_secret_is_accepted_in_the_header_too(confidential: tuple[Registration, str]) -> None:
    app, code = confidential

    assert _with_basic(app, code, f"{app.client_id}:{app.answer['client_secret']}").status_code == 200


def test_an_app_cannot_spend_another_apps_code_by_naming_it(
    confidential: tuple[Registration, str], registration: Registration
) -> None:
    victim, code = confidential
    attacker = Registration.of_new_app(token_endpoint_auth_method="client_secret_basic")
    credentials = f"{attacker.client_id}:{attacker.answer['client_secret']}"

    named = {"grant_type": "authorization_code", "code": code, "client_id": victim.client_id}
    form = {**named, "redirect_uri": REDIRECT_URI, "code_verifier": VERIFIER}
    authorization = f"Basic {base64.b64encode(credentials.encode()).decode()}"

    assert post_form("/oauth/token", form, authorization=authorization).status_code in {400, 401}
    assert not AccessToken.objects.exists()


@pytest.mark.parametrize("secret", [{}, {"client_secret": ""}, {"client_secret": "wrong"}])
def test_a_confidential_apps_tokens_can_be_used_at_no_endpoint_without_its_secret(
    confidential: tuple[Registration, str], secret: dict[str, str]
) -> None:
    app, code = confidential
    tokens = app.exchange(code, client_secret=app.answer["client_secret"]).json()
    form = {"client_id": app.client_id, "token": tokens["access_token"], **secret}

    answers = [
        app.refresh(tokens["refresh_token"], **secret),
        post_form("/oauth/revoke", form),
        post_form("/oauth/introspect", form),
    ]

    assert [(answer.status_code, answer.json()["error"]) for answer in answers] == [(401, "invalid_client")] * 3
    assert authenticate(call(tokens["access_token"])).client_id == app.client_id


@pytest.mark.parametrize("credentials", ["no colon", ":", "a\0b:c\0d", "\xff\xfe"])
def test_a_broken_authorization_header_is_refused(confidential: tuple[Registration, str], credentials: str) -> None:
    app, code = confidential

    assert _with_basic(app, code, credentials).json()["error"] == "invalid_client"


@pytest.mark.parametrize("header", ["Basic é", "Basic %%%", "Basic", "Bearer x", "Digest y"])
def test_an_authorization_header_that_is_not_base64_is_refused(
    confidential: tuple[Registration, str], header: str
) -> None:
    app, code = confidential
    form = {"grant_type": "authorization_code", "code": code, "client_id": app.client_id}

    assert post_form("/oauth/token", form, authorization=header).json()["error"] == "invalid_client"


def _with_basic(app: Registration, code: str, credentials: str) -> Any:
    form = {"grant_type": "authorization_code", "code": code, "code_verifier": "v" * 64}
    form["redirect_uri"] = "http://127.0.0.1:33418/callback"
    encoded = base64.b64encode(credentials.encode("latin-1")).decode()
    return post_form("/oauth/token", form, authorization=f"Basic {encoded}")


def test_a_repeated_parameter_is_refused(registration: Registration, code: str) -> None:
    body = f"grant_type=authorization_code&code={code}&code={code}&client_id={registration.client_id}"

    response = http_client().post("/oauth/token", body, content_type="application/x-www-form-urlencoded")

    assert (response.status_code, response.json()["error_description"]) == (400, "Duplicate code parameter.")


def test_parameters_in_the_url_are_refused(registration: Registration, code: str) -> None:
    response = post_form(f"/oauth/token?client_id={registration.client_id}", {"grant_type": "refresh_token"})

    assert (response.status_code, response.json()["error"]) == (400, "invalid_request")


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke", "/oauth/introspect"])
def test_a_json_body_is_refused_by_name(db: None, path: str) -> None:
    response = http_client().post(path, {"grant_type": "refresh_token"}, content_type="application/json")

    assert response.status_code == 400
    assert "application/x-www-form-urlencoded" in response.json()["error_description"]


def test_another_app_can_neither_see_nor_revoke_a_token(connection: Connection) -> None:
    stranger = Registration.of_new_app()
    form = {"token": connection.access_token, "client_id": stranger.client_id}

    assert post_form("/oauth/introspect", form).json() == {"active": False}
    assert post_form("/oauth/revoke", form).status_code == 200

    assert authenticate(call(connection.access_token)).client_id == connection.registration.client_id


@pytest.mark.django_db(transaction=True)
def test_a_refresh_and_an_exchange_take_few_queries(
    registration: Registration, code: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    signing_key()
    with django_assert_max_num_queries(20):
        tokens = registration.exchange(code).json()
    with django_assert_max_num_queries(20):
        assert registration.refresh(tokens["refresh_token"]).status_code == 200


def test_introspection_takes_no_get(connection: Connection) -> None:
    assert http_client().get("/oauth/introspect", {"token": connection.access_token}).status_code == 405


def test_no_secret_stands_in_the_database(confidential: tuple[Registration, str]) -> None:
    app, code = confidential
    secret, management_token = app.answer["client_secret"], app.answer["registration_access_token"]
    tokens = app.exchange(code, client_secret=secret).json()

    application = Application.objects.get(client_id=app.client_id)
    access_token, refresh_token = AccessToken.objects.get(), RefreshToken.objects.get()

    assert secret not in application.client_secret
    assert application.registration_token_sha256 == hashlib.sha256(management_token.encode()).hexdigest()
    assert (access_token.token, refresh_token.token) == ("", "")
    assert access_token.token_checksum == hashlib.sha256(tokens["access_token"].encode()).hexdigest()


@pytest.mark.django_db(transaction=True)
def test_of_eight_concurrent_refreshes_one_wins_and_keeps_what_it_won(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = _race(lambda: connection.registration.refresh(connection.refresh_token))

    won = [answer.json() for answer in answers if answer.status_code == 200]
    assert len(won) == 1
    assert [answer.status_code for answer in answers].count(400) == RACERS - 1
    assert authenticate(call(won[0]["access_token"])).client_id == connection.registration.client_id


@pytest.mark.django_db(transaction=True)
def test_of_eight_concurrent_redemptions_of_a_code_one_wins(browser: Browser) -> None:
    app = Registration.of_new_app()
    code = browser.decide(app.authorize_url())["code"]

    answers = _race(lambda: app.exchange(code))

    assert sorted(answer.status_code for answer in answers) == [200] + [400] * (RACERS - 1)
    assert AccessToken.objects.count() == 1


def _owner_revokes(connection: Connection, code: str) -> None:
    disconnect(models.Connection.objects.get())


def _app_revokes(connection: Connection, code: str) -> None:
    post_form("/oauth/revoke", {"token": connection.refresh_token, "client_id": connection.registration.client_id})


def _thief_replays_the_code(connection: Connection, code: str) -> None:
    connection.registration.exchange(code)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("end", [_owner_revokes, _app_revokes, _thief_replays_the_code])
def test_no_refresh_slips_through_an_end(
    browser: Browser, registration: Registration, end: Callable[[Connection, str], None]
) -> None:
    code = browser.decide(registration.authorize_url())["code"]
    connection = Connection(registration, registration.exchange(code).json())
    refreshing, ended = Event(), Event()
    validate = Validator.validate_refresh_token

    def validate_while_it_ends(self: Validator, *args: Any) -> bool:
        is_good = validate(self, *args)
        refreshing.set()
        assert not ended.wait(0.5), "the end did not wait for the refresh"
        return is_good

    def refresh() -> Any:
        try:
            return registration.refresh(connection.refresh_token)
        finally:
            database.close()

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as pool:
        patch.setattr(Validator, "validate_refresh_token", validate_while_it_ends)
        answer = pool.submit(refresh)
        assert refreshing.wait(30)
        end(connection, code)
        ended.set()
        tokens = answer.result(30).json()

    with pytest.raises(Unauthorized):
        authenticate(call(tokens["access_token"]))
    assert registration.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


def test_logging_out_with_a_spent_refresh_token_ends_what_it_became(connection: Connection) -> None:
    renewed = connection.registration.refresh(connection.refresh_token).json()

    _app_revokes(connection, "")

    with pytest.raises(Unauthorized):
        authenticate(call(renewed["access_token"]))
    assert connection.registration.refresh(renewed["refresh_token"]).json()["error"] == "invalid_grant"


def test_a_request_arrives_when_all_of_it_is_there(connection: Connection) -> None:
    """Otherwise a thief could withhold the last byte until the token is spent, and the replay would pass for a race."""
    form = {"grant_type": "refresh_token", "refresh_token": connection.refresh_token}
    body = urlencode({**form, "client_id": connection.registration.client_id}).encode()

    class HeldBack(BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() == 0:
                assert connection.registration.refresh(connection.refresh_token).status_code == 200
            return super().read(size)

    request = RequestFactory().post("/oauth/token", body, content_type=FORM, headers={"host": HOST})
    request._stream = HeldBack(body)
    response = token_endpoint(request)

    assert response.status_code == 400
    assert not AccessToken.objects.exists()


def test_a_refresh_token_that_was_left_unused_for_too_long_is_not_active(
    connection: Connection, settings: Settings
) -> None:
    form = {"token": connection.refresh_token, "client_id": connection.registration.client_id}
    assert post_form("/oauth/introspect", form).json()["active"] is True
    RefreshToken.objects.update(created=timezone.now() - timedelta(seconds=settings.REFRESH_TOKEN_LIFETIME_SECONDS))

    assert post_form("/oauth/introspect", form).json() == {"active": False}


def test_of_two_secrets_both_must_be_right(confidential: tuple[Registration, str]) -> None:
    app, code = confidential
    secret = str(app.answer["client_secret"])
    credentials = base64.b64encode(f"{app.client_id}:{secret}".encode()).decode()
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT_URI, "code_verifier": VERIFIER}

    both = {**form, "client_id": app.client_id}
    wrong = post_form("/oauth/token", {**both, "client_secret": "wrong"}, authorization=f"Basic {credentials}")
    assert wrong.json()["error"] == "invalid_client"
    right = post_form("/oauth/token", {**both, "client_secret": secret}, authorization=f"Basic {credentials}")
    assert right.status_code == 200


def _race(act: Callable[[], Any]) -> list[Any]:
    """Return the results of eight concurrent threads. None continues before all requests have arrived."""
    start = Barrier(RACERS)
    stamp_arrival = Backend.extract_headers

    def arrive_together(self: Backend, request: HttpRequest) -> dict[str, object]:
        headers = stamp_arrival(self, request)
        start.wait(timeout=30)
        return headers

    def run(_: int) -> Any:
        try:
            return act()
        finally:
            database.close()

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(RACERS) as pool:
        patch.setattr(Backend, "extract_headers", arrive_together)
        return list(pool.map(run, range(RACERS), timeout=60))
