"""Tests of connection failures, stored for the owner: the client, the step, the reason, and no secrets."""

from __future__ import annotations

import base64
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client, RequestFactory
from django.utils import timezone
from oauth2_provider.models import RefreshToken

from oauthserver.authorization.endpoints import EXPLANATIONS
from oauthserver.connections import failure_log
from oauthserver.connections.failure_log import (
    MAX_UNKNOWN_PER_NETWORK,
    MERGED_CLIENT,
    Step,
    connection_check_user_agent,
    delete_old_failures,
    pending_failures,
    record_failure,
)
from oauthserver.models import Application, FailedHandshake, PersonalToken, User
from oauthserver.models import Connection as Permission
from tests.support.factories import make_personal_token, make_user
from tests.support.oauth.authenticator import with_two_steps
from tests.support.oauth.flow import HOST, Browser, Connection, Registration, http_client, post_form

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@dataclass(frozen=True)
class Seen:
    """The fields of a connection failure that tests compare."""

    step: str
    reason: str
    client: str


def written() -> list[FailedHandshake]:
    """Write the pending connection failures. Return all, newest last."""
    pending_failures.flush()
    return list(FailedHandshake.objects.order_by("last_at"))


def seen() -> list[Seen]:
    return [Seen(row.step, row.reason, row.client) for row in written()]


def call_mcp(token: str | None = None, **headers: str) -> Any:
    sent = {"host": HOST, **headers} if token is None else {"host": HOST, "authorization": f"Bearer {token}", **headers}
    return Client(headers=sent).post("/mcp", CALL, content_type="application/json")


def note(reason: str = "odd", *, client: str = "", details: str = "", **meta: str) -> None:
    request = RequestFactory().get("/")
    request.META.update(meta)
    record_failure(request, Step.CALL, reason, details, client)


def test_a_handshake_that_works_leaves_nothing(connection: Connection) -> None:
    assert call_mcp().status_code == 401
    assert call_mcp(connection.access_token).status_code == 200
    assert connection.registration.refresh(connection.refresh_token).status_code == 200
    assert seen() == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({"redirect_uris": ["javascript:alert(1)"]}, "invalid_redirect_uri"),
        ({"redirect_uris": []}, "invalid_redirect_uri"),
        ({"redirect_uris": ["https://a.example/"], "grant_types": ["password"]}, "invalid_client_metadata"),
    ],
)
def test_a_refused_registration_is_kept_with_the_name_that_the_app_gave(
    metadata: dict[str, object], reason: str
) -> None:
    body = {"client_name": "Notebook\n2", **metadata}
    assert http_client().post("/oauth/register", body, content_type="application/json").status_code == 400
    assert seen() == [Seen("registration", reason, "Notebook 2")]


@pytest.mark.django_db
@pytest.mark.parametrize("body", [b"", b"[]", b'"x"', b"[" * 20_000, b"\xff"])
def test_a_registration_that_cannot_be_read_is_kept_without_a_name(body: bytes) -> None:
    http_client().post("/oauth/register", body, content_type="application/json")
    assert seen() == [Seen("registration", "invalid_client_metadata", "")]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"redirect_uri": "https://elsewhere.example/"}, "redirect_uri_mismatch"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"resource": "https://elsewhere.example/mcp"}, "invalid_target"),
        ({"prompt": "none"}, "consent_required"),
    ],
)
def test_a_refused_authorization_request_is_kept(
    browser: Browser, registration: Registration, changes: dict[str, str | None], reason: str
) -> None:
    browser.client.get(registration.authorize_url(**changes))
    assert seen() == [Seen("authorization", reason, registration.client_id)]


def test_an_app_that_nobody_knows_is_kept_as_such(browser: Browser, registration: Registration) -> None:
    browser.client.get(registration.authorize_url(client_id="gone"))
    assert seen() == [Seen("authorization", "unknown_client", "gone")]


def test_a_deny_is_kept(browser: Browser, registration: Registration) -> None:
    browser.decide(registration.authorize_url(), decision="deny")
    assert seen() == [Seen("consent", "access_denied", registration.client_id)]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"code_verifier": "w" * 64}, "wrong_verifier"),
        ({"code_verifier": ""}, "invalid_request"),
        ({"redirect_uri": "http://127.0.0.1:33418/other"}, "redirect_uri_mismatch"),
        ({"code": "unknown"}, "code_unknown"),
        ({"resource": "https://elsewhere.example/mcp"}, "invalid_target"),
    ],
)
def test_refusals_of_a_code_are_told_apart(
    browser: Browser, registration: Registration, changes: dict[str, str], reason: str
) -> None:
    code = browser.decide(registration.authorize_url())["code"]
    assert registration.exchange(changes.pop("code", code), **changes).status_code == 400
    assert seen() == [Seen("token", reason, registration.client_id)]


def test_a_replayed_code_and_what_it_bought_are_told_from_unknown_ones(
    browser: Browser, registration: Registration
) -> None:
    code = browser.decide(registration.authorize_url())["code"]
    bought = Connection(registration, registration.exchange(code).json())
    answer = registration.exchange(code)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
    assert registration.refresh(bought.refresh_token).status_code == 400
    assert registration.refresh("unknown").status_code == 400
    assert [row.reason for row in seen()] == ["code_replayed", "refresh_revoked", "refresh_unknown"]


def test_a_refresh_token_that_was_used_is_told_from_one_that_was_revoked(connection: Connection) -> None:
    connection.registration.refresh(connection.refresh_token)
    answer = connection.registration.refresh(connection.refresh_token)
    assert answer.json()["error_description"] == EXPLANATIONS["invalid_grant"]
    assert [row.reason for row in seen()] == ["refresh_replayed"]


def test_a_form_that_is_none_is_kept(connection: Connection) -> None:
    response = http_client().post("/oauth/token", {"grant_type": "refresh_token"}, content_type="application/json")
    assert response.status_code == 400
    assert seen() == [Seen("token", "invalid_request", "")]


def test_too_many_wrong_passwords_are_kept(owner: User) -> None:
    for _ in range(6):
        http_client().post("/login/", {"username": "owner", "password": "wrong"})
    assert seen() == [Seen("login", "wrong_password", ""), Seen("login", "login_locked", "")]


def test_a_refresh_token_that_lay_too_long_is_told_from_a_spent_one(connection: Connection) -> None:
    RefreshToken.objects.update(created=timezone.now() - timedelta(days=400))
    connection.registration.refresh(connection.refresh_token)
    assert seen() == [Seen("refresh", "refresh_expired", connection.registration.client_id)]


@pytest.mark.django_db
def test_an_app_that_proves_itself_wrong_in_the_header_is_kept_without_its_secret() -> None:
    registration = Registration.of_new_app(token_endpoint_auth_method="client_secret_basic")
    credentials = base64.b64encode(f"{registration.client_id}:hunter2".encode()).decode()
    post_form(
        "/oauth/token", {"grant_type": "refresh_token", "refresh_token": "sesame"}, authorization=f"Basic {credentials}"
    )
    (row,) = written()
    assert Seen(row.step, row.reason, row.client) == Seen("refresh", "invalid_client", registration.client_id)
    assert "hunter2" not in str(vars(row))
    assert "sesame" not in str(vars(row))


@pytest.mark.django_db
@pytest.mark.parametrize("credentials", ["%", "w6k=", "////", ""])
def test_credentials_that_cannot_be_read_are_no_failure_of_ours(credentials: str) -> None:
    response = post_form("/oauth/token", {"grant_type": "refresh_token"}, authorization=f"Basic {credentials}")
    assert response.status_code in {400, 401}
    assert [row.step for row in seen()] == ["refresh"]


def test_calls_with_a_token_that_does_not_hold_are_kept(connection: Connection) -> None:
    Permission.objects.update(paused_at=timezone.now())
    assert call_mcp(connection.access_token).status_code == 403
    connection.registration.refresh("x")
    Application.objects.all().delete()
    assert call_mcp(connection.access_token).status_code == 401
    assert call_mcp("nonsense").status_code == 401
    client_id = connection.registration.client_id
    assert [row for row in seen() if row.step == "call"] == [
        Seen("call", "app_paused", client_id),
        Seen("call", "invalid_token", client_id),
        Seen("call", "invalid_token", ""),
    ]
    assert connection.access_token not in str([vars(row) for row in written()])


@pytest.mark.django_db
def test_wrong_passwords_and_codes_are_kept_without_what_was_typed() -> None:
    browser = http_client()
    user = User.objects.create_user("owner", password="right-password")
    for password in ("hunter2", "hunter3", ""):
        browser.post("/login/", {"username": "my-name", "password": password})
    with_two_steps(user)
    browser.post("/login/", {"username": "owner", "password": "right-password"})
    browser.post("/login/code/", {"code": "123 456"})
    password_row, code_row = written()
    assert (password_row.step, password_row.reason, password_row.count) == ("login", "wrong_password", 2)
    assert (code_row.step, code_row.reason, code_row.count) == ("login", "wrong_code", 1)
    kept = str([vars(row) for row in (password_row, code_row)])
    assert not any(typed in kept for typed in ("hunter", "my-name", "owner", "123 456"))


@pytest.mark.django_db
def test_a_script_whose_own_token_is_gone_is_kept_and_not_its_token() -> None:
    token = "ownsona_" + "x" * 43
    assert call_mcp(token).status_code == 401
    (row,) = written()
    assert row.client == "a personal token"
    assert token not in str(vars(row))


@pytest.mark.django_db
def test_a_known_personal_token_that_is_paused_or_has_expired_is_kept_by_its_id() -> None:
    for name, field in (("Paused", "paused_at"), ("Expired", "expires_at")):
        value = make_personal_token(make_user(name), name)
        PersonalToken.objects.filter(name=name).update(**{field: timezone.now()})
        call_mcp(value)
    paused, expired = PersonalToken.objects.order_by("pk")
    assert seen() == [
        Seen("call", "app_paused", f"token:{paused.pk}"),
        Seen("call", "expired_token", f"token:{expired.pk}"),
    ]


@pytest.mark.django_db
def test_a_foreign_name_and_a_foreign_page_are_first_contacts_that_fail() -> None:
    assert call_mcp(host="backend").status_code == 400
    assert call_mcp(origin="https://elsewhere.example").status_code == 403
    assert [(row.step, row.reason) for row in written()] == [
        ("discovery", "unknown_host"),
        ("discovery", "origin_not_allowed"),
    ]
    assert "'backend'" in written()[0].details


@pytest.mark.django_db
def test_the_same_failure_is_one_line_with_a_count(django_assert_num_queries: Any) -> None:
    for _ in range(3):
        note()
    note(client="another")
    with django_assert_num_queries(2):
        pending_failures.flush()
    first = FailedHandshake.objects.get(client="").first_at
    note(details="newer words")
    other, row = written()
    assert (other.client, other.count) == ("another", 1)
    assert (row.client, row.count, row.first_at, row.details) == ("", 4, first, "newer words")
    assert row.last_at > first


@pytest.mark.django_db
def test_what_was_noted_before_the_clock_went_back_pushes_out_nothing_newer(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(MAX_UNKNOWN_PER_NETWORK):
        note(client=f"before {number}")
    pending_failures.flush()
    FailedHandshake.objects.update(last_at=timezone.now() + timedelta(days=365))
    note(client="after")
    assert "after" in {row.client for row in written()}
    assert FailedHandshake.objects.count() == MAX_UNKNOWN_PER_NETWORK


@pytest.mark.django_db
def test_a_flood_costs_no_query_and_few_rows(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        for number in range(500):
            note(client=str(number), HTTP_USER_AGENT=str(number))
    assert len(written()) == MAX_UNKNOWN_PER_NETWORK
    assert FailedHandshake.objects.get(client=MERGED_CLIENT).count == 500 - MAX_UNKNOWN_PER_NETWORK


@pytest.mark.django_db
def test_a_flood_from_one_network_leaves_the_failures_of_others_and_those_of_known_apps() -> None:
    known = Registration.of_new_app().client_id
    neighbour, flooding = "192.0.2.1", "2001:db8:1:2::"
    note(client="neighbour before", REMOTE_ADDR=neighbour)
    note(client=known, REMOTE_ADDR=f"{flooding}1")
    for _ in range(6):
        pending_failures.flush()
        for number in range(400):
            note(client=secrets.token_hex(4), REMOTE_ADDR=f"{flooding}{number + 2:x}")
        note(client="neighbour during", REMOTE_ADDR=neighbour)

    clients = [row.client for row in written()]

    assert {"neighbour before", "neighbour during", known, MERGED_CLIENT} <= set(clients)
    assert len(clients) == 3 + MAX_UNKNOWN_PER_NETWORK
    assert FailedHandshake.objects.get(client=MERGED_CLIENT).count > 2000


@pytest.mark.django_db
def test_known_apps_of_a_network_have_a_share_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failure_log, "MAX_ROWS_PER_NETWORK", 2)
    known = [Registration.of_new_app().client_id for _ in range(3)]
    for client in [*known, "unknown"]:
        note(client=client)
        pending_failures.flush()
    assert [row.client for row in written()] == known[1:]


@pytest.mark.django_db
def test_what_many_networks_fail_at_is_kept_up_to_a_bound() -> None:
    for number in range(failure_log.MAX_WAITING + 50):
        note(REMOTE_ADDR=f"192.0.2.{number}")
    assert len(written()) == failure_log.MAX_WAITING


@pytest.mark.django_db
def test_the_newest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failure_log, "MAX_ROWS", 2)
    for client in ("first", "second", "third", "first"):
        note(client=client)
        pending_failures.flush()
    assert [row.client for row in written()] == ["third", "first"]


@pytest.mark.django_db
def test_what_is_old_is_forgotten() -> None:
    note(client="old")
    note(client="new")
    pending_failures.flush()
    FailedHandshake.objects.filter(client="old").update(last_at=timezone.now() - timedelta(days=31))
    delete_old_failures()
    assert [row.client for row in written()] == ["new"]


@pytest.mark.django_db
def test_what_strangers_say_is_cut_and_cleaned() -> None:
    dirty = "a\0b\ud800\n" + "c" * 1000
    note(dirty, client=dirty, details="It is https://a.example/?code=secret#x or so.", HTTP_USER_AGENT=dirty)
    (row,) = written()
    assert row.client == "a b " + "c" * 196
    assert (len(row.user_agent), len(row.reason)) == (200, 50)
    assert row.details == "It is https://a.example/?… or so."


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "kept"),
    [("192.0.2.7", "192.0.2.7"), ("fe80::1%eth0", "fe80::1"), ("", None), ("unix:", None)],
)
def test_an_address_is_kept_where_there_is_one(address: str, kept: str | None) -> None:
    note(REMOTE_ADDR=address)
    assert [row.address for row in written()] == [kept]


@pytest.mark.django_db
def test_the_connection_check_fails_on_purpose_and_only_itself_goes_unnoted() -> None:
    note(HTTP_USER_AGENT=connection_check_user_agent("1"))
    assert written() == []
    note(HTTP_USER_AGENT="OwnSona-Doctor/1 check:1:x")
    assert len(written()) == 1
