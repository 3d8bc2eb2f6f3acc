"""Tests of client registration: valid metadata, the response, and the management of a registration."""

from __future__ import annotations

import json
import socket
from threading import Barrier, Event
from typing import Any

import pytest
from django.http import HttpRequest
from django.utils import timezone

from oauthserver.clients import registration as registration_module
from oauthserver.clients import registration_limits
from oauthserver.models import Application
from tests.support.concurrency import in_threads
from tests.support.oauth.flow import REDIRECT_URI, Connection, Registration, http_client

pytestmark = pytest.mark.django_db


def register(body: object) -> Any:
    content = body if isinstance(body, str | bytes) else json.dumps(body)
    return http_client().generic("POST", "/oauth/register", content, content_type="application/json")


def test_a_public_app_is_answered_with_its_entry_and_no_secret() -> None:
    answer = Registration.of_new_app().answer

    assert abs(answer.pop("client_id_issued_at") - timezone.now().timestamp()) < 60
    assert len(answer.pop("registration_access_token")) >= 40
    client_id = answer.pop("client_id")
    assert answer == {
        "client_name": "Notebook",
        "redirect_uris": [REDIRECT_URI],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "registration_client_uri": f"http://127.0.0.1:8000/oauth/register/{client_id}",
    }


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
def test_a_confidential_app_gets_a_secret_that_never_expires(method: str) -> None:
    answer = Registration.of_new_app(token_endpoint_auth_method=method).answer

    assert answer["token_endpoint_auth_method"] == method
    assert len(answer["client_secret"]) >= 40
    assert answer["client_secret_expires_at"] == 0


def test_an_app_that_names_no_method_is_confidential() -> None:
    answer = register({"redirect_uris": [REDIRECT_URI]}).json()

    assert answer["token_endpoint_auth_method"] == "client_secret_basic"
    assert "client_secret" in answer


def test_members_that_are_null_count_as_absent_and_unknown_ones_are_ignored() -> None:
    body = {"redirect_uris": [REDIRECT_URI], "client_name": None, "logo_uri": "http://10.0.0.1/", "x": {"y": 1}}

    assert register(body).status_code == 201


@pytest.mark.parametrize("name", ["\u3164", "\uffa0 \u115f\u1160", "--", "\u2800", "   ", ""])
def test_a_name_that_nobody_can_read_counts_as_none(name: str) -> None:
    assert Registration.of_new_app(client_name=name).answer["client_name"] == ""


@pytest.mark.parametrize("name", ["7", "記憶", "한글", "Ω", "c++ \U0001f419"])
def test_a_name_in_any_script_is_kept(name: str) -> None:
    assert Registration.of_new_app(client_name=name).answer["client_name"] == name


def test_urls_that_an_app_names_are_never_fetched() -> None:
    with socket.create_server(("127.0.0.1", 0)) as inside:
        url = f"http://127.0.0.1:{inside.getsockname()[1]}/"
        members = {"logo_uri": url, "jwks_uri": url, "client_uri": url, "sector_identifier_uri": url, "tos_uri": url}
        Registration.of_new_app(**members)

        inside.setblocking(False)
        with pytest.raises(BlockingIOError):
            inside.accept()


@pytest.mark.parametrize(
    "member", ["client_name", "redirect_uris", "grant_types", "response_types", "token_endpoint_auth_method", "scope"]
)
@pytest.mark.parametrize("value", ["a\0b", ["a\0b"], "\ud800", {"\0": "\0"}, 10**400, 1.5, True])
def test_no_value_of_any_member_is_too_odd(member: str, value: object) -> None:
    response = register({"redirect_uris": [REDIRECT_URI], member: value})

    assert response.status_code in {201, 400}
    assert Application.objects.count() == (response.status_code == 201)


def test_grants_that_are_not_offered_are_left_out_of_the_answer() -> None:
    device = "urn:ietf:params:oauth:grant-type:device_code"
    answer = Registration.of_new_app(grant_types=["authorization_code", "refresh_token", device]).answer

    assert answer["grant_types"] == ["authorization_code", "refresh_token"]


@pytest.mark.parametrize(
    ("changes", "code", "named"),
    [
        ({"redirect_uris": []}, "invalid_redirect_uri", "redirect_uris"),
        ({"redirect_uris": None}, "invalid_redirect_uri", "redirect_uris"),
        ({"redirect_uris": "https://app.example/"}, "invalid_redirect_uri", "redirect_uris"),
        ({"redirect_uris": [7]}, "invalid_redirect_uri", "redirect_uris.0"),
        ({"redirect_uris": [REDIRECT_URI, "javascript:x"]}, "invalid_redirect_uri", "redirect_uris.1"),
        ({"redirect_uris": ["http://evil.example/"]}, "invalid_redirect_uri", "only https"),
        ({"redirect_uris": ["https://a.example/\nhttps://evil.example/"]}, "invalid_redirect_uri", "character"),
        ({"redirect_uris": [REDIRECT_URI] * 21}, "invalid_redirect_uri", "20"),
        ({"redirect_uris": ["https://a.example/" + "a" * 1400] * 3}, "invalid_redirect_uri", "4000"),
        ({"client_name": "n" * 201}, "invalid_client_metadata", "client_name"),
        ({"client_name": "two\nlines"}, "invalid_client_metadata", "client_name"),
        ({"client_name": "nul\0"}, "invalid_client_metadata", "client_name"),
        ({"client_name": "right-to-left \u202e"}, "invalid_client_metadata", "client_name"),
        ({"client_name": {"en": "x"}}, "invalid_client_metadata", "client_name"),
        ({"grant_types": ["password"]}, "invalid_client_metadata", "password"),
        ({"grant_types": ["authorization_code", "implicit"]}, "invalid_client_metadata", "implicit"),
        ({"grant_types": ["client_credentials"]}, "invalid_client_metadata", "authorization_code"),
        ({"grant_types": []}, "invalid_client_metadata", "authorization_code"),
        ({"response_types": ["code", "token"]}, "invalid_client_metadata", "response_types"),
        ({"token_endpoint_auth_method": "private_key_jwt"}, "invalid_client_metadata", "client_secret_basic"),
    ],
)
def test_a_registration_that_is_wrong_is_told_what(changes: dict[str, object], code: str, named: str) -> None:
    response = register({"redirect_uris": [REDIRECT_URI], **changes})

    assert response.status_code == 400
    assert response.json()["error"] == code
    assert named in response.json()["error_description"]
    assert not Application.objects.exists()


@pytest.mark.parametrize(
    "body",
    ["", "null", "[]", '"x"', "{", "\0", '{"redirect_uris": ["\\ud800"]}', "[" * 20_000, b"\xff\xfe{}", "NaN"],
)
def test_a_body_that_is_no_json_object_is_refused(body: str | bytes) -> None:
    response = register(body)

    assert response.status_code == 400
    assert response.json()["error"] in {"invalid_client_metadata", "invalid_redirect_uri"}


def test_an_oversized_body_is_refused() -> None:
    assert register({"redirect_uris": [REDIRECT_URI], "x": "y" * 40_000}).status_code == 413


def test_a_flood_from_one_address_is_stopped_and_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registration_limits, "MAX_REGISTRATIONS_PER_MINUTE", 2)
    minutes = iter([1, 1, 1, 2])
    monkeypatch.setattr(registration_limits, "_minute", lambda: next(minutes))

    assert [register({"redirect_uris": [REDIRECT_URI]}).status_code for _ in range(4)] == [201, 201, 429, 201]


def test_apps_that_delete_themselves_count_in_a_flood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registration_limits, "MAX_REGISTRATIONS_PER_MINUTE", 2)
    monkeypatch.setattr(registration_limits, "_minute", lambda: 1)
    for _ in range(2):
        assert manage(Registration.of_new_app(), "DELETE").status_code == 204

    assert register({"redirect_uris": [REDIRECT_URI]}).status_code == 429


def test_one_ipv6_site_counts_as_one_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registration_limits, "MAX_REGISTRATIONS_PER_MINUTE", 1)
    monkeypatch.setattr(registration_limits, "_minute", lambda: 1)
    body = json.dumps({"redirect_uris": [REDIRECT_URI]})

    statuses = [
        http_client(REMOTE_ADDR=address).post("/oauth/register", body, content_type="application/json").status_code
        for address in ("2001:db8:1:2::9", "2001:db8:1:2:a:b:c:d", "2001:db8:1:3::1", "::ffff:192.0.2.1", "192.0.2.1")
    ]

    assert statuses == [201, 429, 201, 201, 429]


def manage(registration: Registration, method: str, body: object = None, token: str | None = None) -> Any:
    token = token or registration.answer["registration_access_token"]
    path = f"/oauth/register/{registration.client_id}"
    headers = {"authorization": f"Bearer {token}"}
    return http_client().generic(method, path, json.dumps(body), content_type="application/json", headers=headers)


def test_an_app_can_read_its_entry(registration: Registration) -> None:
    answer = manage(registration, "GET").json()

    assert answer == registration.answer
    assert answer["registration_access_token"]


def test_an_app_can_replace_its_entry_and_gets_a_new_management_token(registration: Registration) -> None:
    body = {"redirect_uris": ["https://app.example/"], "client_name": "New", "token_endpoint_auth_method": "none"}

    answer = manage(registration, "PUT", body).json()

    assert (answer["client_name"], answer["redirect_uris"]) == ("New", ["https://app.example/"])
    assert manage(registration, "GET").status_code == 401
    assert manage(registration, "GET", token=answer["registration_access_token"]).status_code == 200


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"redirect_uris": ["javascript:x"]}, "redirect_uris"),
        ({"client_id": "of-another-app"}, "client_id"),
        ({"client_id": ""}, "client_id"),
        ({"client_secret": "chosen by the app itself"}, "client_secret"),
        ({"client_secret": ""}, "client_secret"),
        ({"client_secret": 7}, "client_secret"),
    ],
)
@pytest.mark.parametrize("method", ["none", "client_secret_basic"])
def test_a_wrong_replacement_changes_nothing(method: str, change: dict[str, object], named: str) -> None:
    app = Registration.of_new_app(token_endpoint_auth_method=method)

    response = manage(app, "PUT", {"redirect_uris": ["https://app.example/"], "client_name": "New", **change})

    assert response.status_code == 400
    assert response.json()["error_description"].startswith(named)
    assert manage(app, "GET").json()["redirect_uris"] == [REDIRECT_URI]


def test_a_replacement_may_repeat_the_whole_answer_with_id_and_secret() -> None:
    app = Registration.of_new_app(token_endpoint_auth_method="client_secret_post")

    answer = manage(app, "PUT", {**app.answer, "client_name": "New"}).json()

    assert (answer["client_id"], answer["client_name"]) == (app.client_id, "New")
    assert "client_secret" not in answer


def test_an_app_can_delete_its_entry_and_its_tokens_with_it(connection: Connection) -> None:
    assert manage(connection.registration, "DELETE").status_code == 204

    assert connection.registration.refresh(connection.refresh_token).json()["error"] == "invalid_client"


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_nobody_else_can_touch_an_entry(registration: Registration, method: str) -> None:
    stranger = Registration.of_new_app()
    token = stranger.answer["registration_access_token"]
    stranger.answer["client_id"] = registration.client_id

    assert manage(stranger, method, token=token).status_code == 401
    assert manage(registration, method, token="wrong").status_code == 401
    assert Application.objects.filter(client_id=registration.client_id).exists()


@pytest.mark.django_db(transaction=True)
def test_a_deletion_waits_for_a_replacement_and_undoes_none(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Registration.of_new_app(client_name="Old")
    replacing, deleted = Event(), Event()
    read = registration_module._read_metadata

    def read_while_being_deleted(
        request: HttpRequest, kind: type[registration_module.Replacement]
    ) -> registration_module.Replacement:
        replacing.set()
        assert not deleted.wait(0.5), "the deletion did not wait for the replacement"
        return read(request, kind)

    def replace_or_delete(number: int) -> int:
        if number == 0:
            return int(manage(app, "PUT", {"redirect_uris": [REDIRECT_URI]}).status_code)
        assert replacing.wait(30)
        status = int(manage(app, "DELETE").status_code)
        deleted.set()
        return status

    monkeypatch.setattr(registration_module, "_read_metadata", read_while_being_deleted)

    # The replacement was first and has changed the management token.
    assert in_threads(2, replace_or_delete) == [200, 401]
    assert Application.objects.get().name == ""


@pytest.mark.django_db(transaction=True)
def test_of_several_replacements_at_once_with_one_token_one_is_taken(registration: Registration) -> None:
    start = Barrier(4)

    def replace(_: int) -> int:
        start.wait(30)
        return int(manage(registration, "PUT", {"redirect_uris": [REDIRECT_URI]}).status_code)

    assert sorted(in_threads(4, replace)) == [200, 401, 401, 401]


def test_an_entry_without_a_management_token_has_no_manager() -> None:
    Application.objects.create(client_id="by-hand")
    by_hand = Registration({"client_id": "by-hand", "registration_access_token": "x"})

    assert manage(by_hand, "GET").status_code == 401


def test_an_unknown_or_broken_client_id_is_answered_like_a_wrong_token(registration: Registration) -> None:
    headers = {"authorization": f"Bearer {registration.answer['registration_access_token']}"}
    for client_id in ("unknown", "%00", "a%00b", f"{registration.client_id}%00"):
        response = http_client().get(f"/oauth/register/{client_id}", headers=headers)
        assert response.status_code == 401
