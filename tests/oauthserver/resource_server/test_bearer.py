"""Tests of access with each kind of token, and of the events that end the validity of a token."""

from __future__ import annotations

import base64
import hmac
import json
import time
from typing import Any
from unittest.mock import Mock

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from django.test import RequestFactory
from django.utils import timezone
from oauth2_provider.models import AccessToken
from pytest_django import DjangoAssertNumQueries

from oauthserver import models
from oauthserver.models import Application, SigningKey, User
from oauthserver.resource_server import bearer
from oauthserver.resource_server.bearer import Forbidden, Unauthorized, authenticate
from oauthserver.tokens import access_tokens
from oauthserver.tokens.signing_keys import signing_key
from tests.support.oauth.flow import Browser, Connection, Registration, call, http_client

pytestmark = pytest.mark.django_db


def reason(token: str | None) -> str:
    """Return the reason for which a request with `token` is refused."""
    with pytest.raises(Unauthorized) as refusal:
        authenticate(call(token))
    assert refusal.value.details.endswith(".")
    return refusal.value.reason


def claims_of(connection: Connection) -> dict[str, Any]:
    claims: dict[str, Any] = jwt.decode(connection.access_token, options={"verify_signature": False})
    return claims


def signed(claims: dict[str, Any], **header: Any) -> str:
    """Return a token with these claims and our own signature."""
    key = signing_key()
    return jwt.encode(claims, key.key, algorithm="RS256", headers={"kid": key.kid, "typ": "at+jwt", **header})


def test_a_second_call_asks_the_database_once(
    connection: Connection, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    authenticate(call(connection.access_token))

    with django_assert_num_queries(1):
        authenticate(call(connection.access_token))


def test_a_verified_signature_is_remembered_for_a_minute_at_most(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = Mock(wraps=access_tokens.verify)
    monkeypatch.setattr(bearer, "verify", check)
    now = time.monotonic()
    for seconds in (0, 59, 61):
        monkeypatch.setattr(
            "oauthserver.resource_server.token_cache.time.monotonic", lambda seconds=seconds: now + seconds
        )
        authenticate(call(connection.access_token))

    assert check.call_count == 2


def test_a_clock_that_is_corrected_by_seconds_refuses_no_token(connection: Connection) -> None:
    claims = claims_of(connection)
    soon = int(time.time()) + access_tokens.LEEWAY_SECONDS // 2
    assert access_tokens.verify(signed({**claims, "iat": soon, "nbf": soon})) == claims["exp"]


@pytest.mark.parametrize("claim", ["iat", "nbf"])
def test_a_token_of_the_future_is_refused_and_says_to_renew_it(connection: Connection, claim: str) -> None:
    claims = {**claims_of(connection), claim: int(time.time()) + 365 * 86_400, "exp": int(time.time()) + 366 * 86_400}
    with pytest.raises(Unauthorized) as refusal:
        authenticate(call(signed(claims)))
    assert refusal.value.reason == "invalid_token"
    assert "clock" in refusal.value.details


def test_a_deleted_app_is_out_at_once(connection: Connection) -> None:
    authenticate(call(connection.access_token))
    Application.objects.all().delete()

    assert reason(connection.access_token) == "invalid_token"


def test_a_person_who_was_locked_out_is_out_at_once(connection: Connection) -> None:
    authenticate(call(connection.access_token))
    User.objects.update(is_active=False)

    assert reason(connection.access_token) == "invalid_token"


def test_a_deleted_token_is_out_at_once(connection: Connection) -> None:
    authenticate(call(connection.access_token))
    AccessToken.objects.all().delete()

    assert reason(connection.access_token) == "invalid_token"


def test_a_paused_app_is_told_so_until_it_is_let_in_again(connection: Connection) -> None:
    models.Connection.objects.update(paused_at=timezone.now())
    with pytest.raises(Forbidden, match="Notebook is paused") as refusal:
        authenticate(call(connection.access_token))
    assert refusal.value.reason == "app_paused"

    models.Connection.objects.update(paused_at=None)

    assert authenticate(call(connection.access_token)).client_name == "Notebook"


def test_an_app_without_a_name_goes_by_its_id(connection: Connection) -> None:
    Application.objects.update(name="")

    assert authenticate(call(connection.access_token)).client_name == connection.registration.client_id


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer  "])
def test_the_scheme_is_read_in_any_case(connection: Connection, scheme: str) -> None:
    request = RequestFactory().post("/mcp", headers={"authorization": f"{scheme} {connection.access_token}"})

    assert authenticate(request).client_name == "Notebook"


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", "missing_token"),
        ("   ", "missing_token"),
        ("Bearer", "invalid_format"),
        ("Bearer ", "invalid_format"),
        ("Basic abc", "invalid_format"),
        ("BearerX abc", "invalid_format"),
        ("Bearer a b", "invalid_format"),
        ("Bearer abc", "invalid_token"),
        ("Bearer a.b.c", "invalid_token"),
        ("Bearer ..", "invalid_token"),
        ("Bearer é\0", "invalid_token"),
        ("Bearer " + base64.urlsafe_b64encode(b"[" * 5000).decode() + ".x.y", "invalid_token"),
    ],
)
def test_a_header_without_a_usable_token_is_refused_by_reason(header: str, expected: str) -> None:
    with pytest.raises(Unauthorized) as refusal:
        authenticate(RequestFactory().post("/mcp", headers={"authorization": header}))

    assert refusal.value.reason == expected


def test_a_token_in_the_query_is_not_a_token(connection: Connection) -> None:
    request = RequestFactory().post(f"/mcp?access_token={connection.access_token}")
    with pytest.raises(Unauthorized) as refusal:
        authenticate(request)

    assert refusal.value.reason == "missing_token"


def test_a_token_in_a_form_is_not_a_token(connection: Connection) -> None:
    request = RequestFactory().post("/mcp", {"access_token": connection.access_token})
    with pytest.raises(Unauthorized) as refusal:
        authenticate(request)

    assert refusal.value.reason == "missing_token"


def test_an_authorization_code_is_not_an_access_token(browser: Browser, registration: Registration) -> None:
    assert reason(browser.decide(registration.authorize_url())["code"]) == "invalid_token"


@pytest.mark.parametrize("critical", [["b64"], ["exp"], [], "b64", [1]])
def test_a_header_that_demands_to_be_understood_is_refused(connection: Connection, critical: object) -> None:
    header = {"alg": "RS256", "typ": "at+jwt", "kid": signing_key().kid, "crit": critical, "b64": False}
    unsigned = b".".join(
        base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in (header, claims_of(connection))
    )
    signature = signing_key().key.sign(unsigned, PKCS1v15(), SHA256())
    token = b".".join([unsigned, base64.urlsafe_b64encode(signature).rstrip(b"=")])

    assert reason(token.decode()) == "invalid_token"


def test_a_refresh_token_is_not_an_access_token(connection: Connection) -> None:
    assert reason(connection.refresh_token) == "invalid_token"


def test_a_registration_access_token_is_not_an_access_token(registration: Registration) -> None:
    assert reason(registration.answer["registration_access_token"]) == "invalid_token"


def test_a_token_that_was_signed_but_never_issued_is_refused(connection: Connection) -> None:
    assert reason(signed({**claims_of(connection), "jti": "other"})) == "invalid_token"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"exp": 1}, "expired_token"),
        ({"nbf": 33_000_000_000}, "invalid_token"),
        ({"iat": 33_000_000_000}, "invalid_token"),
        ({"exp": "soon"}, "invalid_token"),
        ({"exp": None}, "missing_claim"),
        ({"iss": "https://evil.example"}, "invalid_issuer"),
        ({"iss": ["http://127.0.0.1:8000"]}, "invalid_issuer"),
        ({"aud": "https://evil.example/mcp"}, "invalid_audience"),
        ({"aud": "http://127.0.0.1:8000"}, "invalid_audience"),
        ({"aud": "http://127.0.0.1:8000/mcp/"}, "invalid_audience"),
        ({"sub": None}, "missing_claim"),
        ({"jti": None}, "missing_claim"),
        ({"client_id": None}, "missing_claim"),
        ({"scope": None}, "missing_claim"),
        ({"iat": None}, "missing_claim"),
    ],
)
def test_a_claim_that_is_wrong_is_refused_by_reason(
    connection: Connection, changes: dict[str, Any], expected: str
) -> None:
    claims = {name: value for name, value in {**claims_of(connection), **changes}.items() if value is not None}
    token = jwt.api_jws.encode(
        json.dumps(claims).encode(),
        signing_key().key,
        algorithm="RS256",
        headers={"kid": signing_key().kid, "typ": "at+jwt"},
    )

    assert reason(token) == expected


@pytest.mark.parametrize("kid", ["unknown", "../../etc/passwd", "a" * 43, "", "\0", "x' OR 1=1"])
def test_an_unknown_key_is_refused(connection: Connection, kid: str) -> None:
    assert reason(signed(claims_of(connection), kid=kid)) == "invalid_token"


@pytest.mark.parametrize("typ", ["JWT", "id+jwt", "", None])
def test_a_token_of_another_type_is_refused(connection: Connection, typ: str | None) -> None:
    assert reason(signed(claims_of(connection), typ=typ)) == "invalid_token"


def test_an_unsigned_token_is_refused(connection: Connection) -> None:
    headers = {"kid": signing_key().kid, "typ": "at+jwt"}
    token = jwt.encode(claims_of(connection), "", algorithm="none", headers=headers)

    assert reason(token) == "invalid_token"


def test_a_token_signed_with_the_public_key_as_a_secret_is_refused(connection: Connection) -> None:
    (jwk,) = http_client().get("/oauth/jwks").json()["keys"]
    parts = [{"alg": "HS256", "typ": "at+jwt", "kid": jwk["kid"]}, claims_of(connection)]
    unsigned = b".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in parts)
    for secret in (json.dumps(jwk).encode(), jwk["n"].encode()):
        signature = base64.urlsafe_b64encode(hmac.digest(secret, unsigned, "sha256")).rstrip(b"=")
        assert reason((unsigned + b"." + signature).decode()) == "invalid_token"


@pytest.mark.parametrize("header", ["jku", "jwk", "x5u"])
def test_a_key_that_the_token_brings_along_is_not_used(connection: Connection, header: str) -> None:
    own = generate_private_key(public_exponent=65537, key_size=2048)
    brought = {"jwk": jwt.algorithms.RSAAlgorithm.to_jwk(own.public_key(), as_dict=True)}
    headers = {"kid": signing_key().kid, "typ": "at+jwt", header: brought.get(header, "https://evil.example/jwks")}

    assert reason(jwt.encode(claims_of(connection), own, algorithm="RS256", headers=headers)) == "invalid_token"


def test_a_changed_token_is_refused_though_its_original_was_just_accepted(connection: Connection) -> None:
    authenticate(call(connection.access_token))
    header, payload, signature = connection.access_token.split(".")
    forged = base64.urlsafe_b64encode(json.dumps({**claims_of(connection), "sub": "999"}).encode()).rstrip(b"=")

    assert reason(f"{header}.{forged.decode()}.{signature}") == "invalid_token"
    assert reason(f"{header}.{payload}.{signature[:-4]}AAAA") == "invalid_token"


def test_a_token_of_a_retired_key_is_accepted_until_it_expires(connection: Connection) -> None:
    SigningKey.objects.update(retired_at=timezone.now())

    assert authenticate(call(connection.access_token)).client_name == "Notebook"
