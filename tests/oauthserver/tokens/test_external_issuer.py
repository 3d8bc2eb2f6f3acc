"""Tests of tokens of the external issuer: which are accepted, and which limits they cannot exceed."""

from __future__ import annotations

import base64
import hmac
import json
from collections.abc import Iterator
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as generate_ec_key
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from oauthserver.connections.usage import pending_uses
from oauthserver.models import ExternalIdentity, User
from oauthserver.resource_server.bearer import Forbidden, Unauthorized, authenticate
from tests.support.oauth.external_issuer import AUDIENCE, Issuer, public_jwk, running_issuer
from tests.support.oauth.flow import Connection, call, http_client


@pytest.fixture(scope="module")
def running() -> Iterator[Issuer]:
    with running_issuer() as issuer:
        yield issuer


@pytest.fixture
def issuer(running: Issuer, settings: Settings) -> Issuer:
    """The issuer that the owner trusts, with its only key."""
    settings.OIDC_ISSUER, settings.OIDC_AUDIENCE = running.url, AUDIENCE
    running.publish()
    running.requests.clear()
    return running


@pytest.fixture
def identity(issuer: Issuer, owner: User) -> ExternalIdentity:
    """The external identity `ada`, with access to the owner's memories."""
    return ExternalIdentity.objects.create(
        user=owner, issuer=issuer.url, subject="ada", scopes=["memory:read", "memory:write"], tags=["work"]
    )


def refused(token: str) -> Unauthorized:
    with pytest.raises(Unauthorized) as refusal:
        authenticate(call(token))
    assert refusal.value.details.endswith(".")
    return refusal.value


def test_a_token_of_someone_whom_the_owner_has_named_is_accepted(
    issuer: Issuer, identity: ExternalIdentity, owner: User
) -> None:
    principal = authenticate(call(issuer.token()))

    assert principal.owner_id == owner.pk
    assert (principal.client_id, principal.client_name) == ("external:notes", "notes")
    assert principal.scopes == {"memory:read", "memory:write"}
    assert principal.tags == ("work",)
    assert principal.permission == (ExternalIdentity, identity.pk)


def test_its_use_is_counted(issuer: Issuer, identity: ExternalIdentity) -> None:
    authenticate(call(issuer.token()))
    pending_uses.flush()

    identity.refresh_from_db()
    assert identity.last_used_at is not None


@pytest.mark.parametrize(
    ("claims", "ceiling", "granted"),
    [
        ({"scope": "memory:read memory:admin"}, ["memory:read"], {"memory:read"}),
        ({"scope": "memory:read"}, ["memory:read", "memory:admin"], {"memory:read"}),
        ({"scope": None, "scp": ["memory:read", 7]}, ["memory:read"], {"memory:read"}),
        ({"scope": None, "scp": "memory:read x"}, ["memory:read"], {"memory:read"}),
        ({"scope": ["memory:read"]}, ["memory:read"], {"memory:read"}),
        ({"scope": None}, ["memory:read"], set()),
        ({"scope": "openid"}, ["memory:read"], set()),
        ({"scope": 7}, ["memory:read"], set()),
        ({"scope": {"memory:read": 1}}, ["memory:read"], set()),
    ],
)
def test_it_may_do_what_both_the_token_and_the_owner_allow(
    issuer: Issuer, identity: ExternalIdentity, claims: dict[str, Any], ceiling: list[str], granted: set[str]
) -> None:
    ExternalIdentity.objects.update(scopes=ceiling)

    assert authenticate(call(issuer.token(**claims))).scopes == granted


@pytest.mark.parametrize("name", ["client_id", "azp", "appid"])
def test_the_app_is_known_by_what_the_issuer_calls_it(issuer: Issuer, identity: ExternalIdentity, name: str) -> None:
    claims: dict[str, Any] = {"azp": None, name: "x"}

    assert authenticate(call(issuer.token(**claims))).client_id == "external:x"


def test_someone_whom_the_owner_has_not_named_is_told_so(issuer: Issuer, identity: ExternalIdentity) -> None:
    refusal = refused(issuer.token(sub="eve"))

    assert refusal.reason == "invalid_token"
    assert refusal.details == f"'eve' of {issuer.url} is not allowed here. The owner can add this identity."


def test_the_same_subject_of_another_issuer_is_someone_else(issuer: Issuer, identity: ExternalIdentity) -> None:
    ExternalIdentity.objects.update(issuer="https://former.example")

    assert refused(issuer.token()).reason == "invalid_token"


def test_pausing_deleting_and_locking_out_bite_at_the_next_call(
    issuer: Issuer, identity: ExternalIdentity, owner: User
) -> None:
    token = issuer.token()
    authenticate(call(token))

    ExternalIdentity.objects.update(paused_at=timezone.now())
    with pytest.raises(Forbidden, match="notes is paused"):
        authenticate(call(token))

    ExternalIdentity.objects.update(paused_at=None)
    User.objects.update(is_active=False)
    refused(token)

    User.objects.update(is_active=True)
    authenticate(call(token))
    identity.delete()
    refused(token)


def test_a_second_call_asks_the_database_once_and_the_issuer_not_at_all(
    issuer: Issuer, identity: ExternalIdentity, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    token = issuer.token()
    authenticate(call(token))
    issuer.requests.clear()

    with django_assert_num_queries(1):
        authenticate(call(token))

    assert issuer.requests == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"exp": 1}, "expired_token"),
        ({"exp": None}, "missing_claim"),
        ({"exp": "soon"}, "invalid_token"),
        ({"nbf": 33_000_000_000}, "invalid_token"),
        ({"iat": 33_000_000_000}, "invalid_token"),
        ({"iat": None}, "missing_claim"),
        ({"aud": "https://elsewhere.example"}, "invalid_audience"),
        ({"aud": [f"{AUDIENCE}/"]}, "invalid_audience"),
        ({"aud": None}, "missing_claim"),
        ({"aud": 7}, "invalid_audience"),
        ({"sub": None}, "missing_claim"),
        ({"sub": 7}, "invalid_token"),
        ({"sub": "ada\0"}, "invalid_token"),
        ({"sub": "a" * 256}, "invalid_token"),
        ({"azp": "notes\0"}, "invalid_token"),
        ({"azp": "notes\ud800"}, "invalid_token"),
        ({"azp": None, "appid": "notes\n"}, "invalid_token"),
        ({"client_id": "n" * 256}, "invalid_token"),
        ({"sub": ""}, "invalid_token"),
        ({"nonce": "n"}, "invalid_token"),
        ({"at_hash": "x"}, "invalid_token"),
        ({"typ": "ID"}, "invalid_token"),
        ({"typ": "Refresh"}, "invalid_token"),
        ({"iss": None}, "invalid_token"),
        ({"iss": "https://evil.example"}, "invalid_token"),
        ({"iss": ["x"]}, "invalid_token"),
    ],
)
def test_a_claim_that_is_wrong_is_refused_by_reason(
    issuer: Issuer, identity: ExternalIdentity, changes: dict[str, Any], reason: str
) -> None:
    assert refused(issuer.token(**changes)).reason == reason


@pytest.mark.parametrize("aud", [AUDIENCE, ["other", AUDIENCE]])
def test_one_of_several_audiences_will_do(issuer: Issuer, identity: ExternalIdentity, aud: object) -> None:
    assert authenticate(call(issuer.token(aud=aud))).client_name == "notes"


@pytest.mark.parametrize("typ", ["JWT", "at+jwt", "application/at+jwt", "AT+JWT", None])
def test_the_types_of_access_tokens_are_accepted(issuer: Issuer, identity: ExternalIdentity, typ: str | None) -> None:
    assert authenticate(call(issuer.token(header={"typ": typ}))).client_name == "notes"


@pytest.mark.parametrize("typ", ["logout+jwt", "id+jwt", "dpop+jwt", 7])
def test_other_types_of_tokens_are_not(issuer: Issuer, identity: ExternalIdentity, typ: object) -> None:
    assert refused(issuer.token(header={"typ": typ})).reason == "invalid_token"


@pytest.mark.parametrize("algorithm", ["RS256", "RS512", "PS256"])
def test_an_rsa_key_that_names_no_algorithm_serves_for_any_of_its_kind(
    issuer: Issuer, identity: ExternalIdentity, algorithm: str
) -> None:
    assert authenticate(call(issuer.token(algorithm=algorithm))).client_name == "notes"


def test_an_elliptic_key_will_do(issuer: Issuer, identity: ExternalIdentity) -> None:
    key = generate_ec_key(SECP256R1())
    issuer.publish(public_jwk(key, "first", alg="ES256"))

    assert authenticate(call(issuer.token(key, "ES256"))).client_name == "notes"


def test_a_key_is_used_for_no_algorithm_but_its_own(issuer: Issuer, identity: ExternalIdentity) -> None:
    issuer.publish(public_jwk(issuer.key, "first", alg="PS256"))

    assert "another algorithm" in refused(issuer.token()).details


def test_an_unsigned_token_is_refused(issuer: Issuer, identity: ExternalIdentity) -> None:
    claims = jwt.decode(issuer.token(), options={"verify_signature": False})

    assert refused(jwt.encode(claims, "", algorithm="none", headers={"kid": "first"})).reason == "invalid_token"


@pytest.mark.parametrize("published", ["rsa", "oct"])
def test_a_shared_secret_signs_nothing(issuer: Issuer, identity: ExternalIdentity, published: str) -> None:
    secret = b"s" * 32
    jwk = public_jwk(issuer.key, "first")
    if published == "oct":
        jwk = {"kty": "oct", "kid": "first", "k": base64.urlsafe_b64encode(secret).decode()}
    issuer.publish(jwk)
    _, payload, _ = issuer.token().split(".")
    header = base64.urlsafe_b64encode(json.dumps({"alg": "HS256", "kid": "first"}).encode()).rstrip(b"=").decode()
    for each in (secret, json.dumps(jwk).encode(), str(jwk.get("n", "")).encode()):
        signature = base64.urlsafe_b64encode(hmac.digest(each, f"{header}.{payload}".encode(), "sha256")).rstrip(b"=")
        assert refused(f"{header}.{payload}.{signature.decode()}").reason == "invalid_token"


@pytest.mark.parametrize("kid", ["other", "", "../keys", "a\0"])
def test_a_key_that_the_issuer_does_not_have_is_refused(issuer: Issuer, identity: ExternalIdentity, kid: str) -> None:
    assert "names a key that" in refused(issuer.token(header={"kid": kid})).details


@pytest.mark.parametrize("header", [{"alg": "RS256"}, {"alg": "RS256", "kid": 7}, {"alg": ["RS256"]}, {}, [], "x"])
def test_a_header_that_is_wrong_is_refused(issuer: Issuer, identity: ExternalIdentity, header: object) -> None:
    _, payload, signature = issuer.token().split(".")
    encoded = base64.urlsafe_b64encode(json.dumps(header).encode()).rstrip(b"=").decode()

    assert refused(f"{encoded}.{payload}.{signature}").reason == "invalid_token"


@pytest.mark.parametrize("named", ["jku", "jwk", "x5u"])
def test_a_key_that_the_token_brings_along_is_not_used(issuer: Issuer, identity: ExternalIdentity, named: str) -> None:
    own = generate_private_key(public_exponent=65537, key_size=2048)
    brought: object = public_jwk(own, "first") if named == "jwk" else f"{issuer.address}/evil"

    assert refused(issuer.token(own, header={named: brought})).reason == "invalid_token"
    assert "/evil" not in issuer.requests


def test_the_issuers_key_signs_no_tokens_of_ours_nor_ours_of_the_issuers(
    issuer: Issuer, identity: ExternalIdentity, connection: Connection
) -> None:
    ours = jwt.decode(connection.access_token, options={"verify_signature": False})
    header = jwt.get_unverified_header(connection.access_token)

    forged = jwt.encode(ours, issuer.key, algorithm="RS256", headers=header)

    assert refused(forged).reason == "invalid_token"
    assert authenticate(call(connection.access_token)).client_name == "Notebook"


def test_without_the_setting_nobody_is_trusted(issuer: Issuer, identity: ExternalIdentity, settings: Settings) -> None:
    token = issuer.token()
    authenticate(call(token))
    settings.OIDC_ISSUER = ""

    assert refused(token).reason == "invalid_token"


def test_the_resources_metadata_names_both_issuers(issuer: Issuer, db: None) -> None:
    document = http_client().get("/.well-known/oauth-protected-resource/mcp").json()

    assert document["authorization_servers"] == ["http://127.0.0.1:8000", issuer.url]
