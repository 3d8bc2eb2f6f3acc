"""Tests of the exact discovery documents that a client finds from one URL."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from oauthserver.resource_server.bearer import challenge
from tests.support.oauth.flow import call, http_client

pytestmark = pytest.mark.django_db
ISSUER = "http://127.0.0.1:8000"
HOSTS = ["127.0.0.1:8000", "localhost:8000", "[::1]:8000"]
PATHS = ["", "/mcp", "/mcp/", "/mcp/http", "/mcp/sse"]


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("path", PATHS)
def test_every_url_of_the_resource_has_a_document_that_names_exactly_itself(host: str, path: str) -> None:
    response = http_client().get(f"/.well-known/oauth-protected-resource{path}", headers={"host": host})

    assert response.json() == {
        "resource": f"http://{host}{path}",
        "resource_name": "OwnSona",
        "authorization_servers": [ISSUER],
        "scopes_supported": ["memory:read", "memory:write"],
        "bearer_methods_supported": ["header"],
    }


@pytest.mark.parametrize("path", ["/", "/mcp/sse/message", "/mcp/x", "/tools/search", "mcp", "//mcp", "/mcp%0A"])
def test_other_paths_have_no_document(path: str) -> None:
    assert http_client().get(f"/.well-known/oauth-protected-resource{path}").status_code == 404


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/mcp/http", "/mcp/sse"])
def test_the_challenge_points_to_the_document_of_the_url_that_was_called(host: str, path: str) -> None:
    assert challenge(call(path=path, host=host)) == (
        'Bearer scope="memory:read memory:write", '
        f'resource_metadata="http://{host}/.well-known/oauth-protected-resource{path}"'
    )


@pytest.mark.parametrize(
    ("path", "document"), [("/mcp/sse/message", "/mcp/sse"), ("/tools/search", ""), ("/agents/list", "")]
)
def test_the_other_doors_point_to_the_document_of_their_resource(path: str, document: str) -> None:
    assert f'{ISSUER}/.well-known/oauth-protected-resource{document}"' in challenge(call(path=path))


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:9999", "localhost", '"evil'])
def test_a_foreign_host_header_changes_nothing(host: str) -> None:
    assert f'resource_metadata="{ISSUER}/.well-known/' in challenge(call(host=host))


def test_a_public_server_goes_by_its_public_name_alone(settings: Settings) -> None:
    settings.PUBLIC_URL = "https://memory.example"
    settings.ALLOWED_HOSTS = ["memory.example", "localhost"]

    for host in ("memory.example", "localhost:8000"):
        document = http_client().get("/.well-known/oauth-protected-resource/mcp", headers={"host": host}).json()
        assert document["resource"] == "https://memory.example/mcp"
        assert document["authorization_servers"] == ["https://memory.example"]


def test_the_challenge_carries_the_error_and_the_scope_that_is_missing() -> None:
    value = challenge(call(), error="insufficient_scope", description='needs "admin" \\ ü', scope="memory:admin")

    assert value.startswith(
        'Bearer error="insufficient_scope", error_description="needs \'admin\' \' \'", scope="memory:admin", '
    )


@pytest.mark.parametrize("name", ["oauth-authorization-server", "openid-configuration"])
def test_the_authorization_servers_document(name: str) -> None:
    methods = ["none", "client_secret_basic", "client_secret_post"]

    assert http_client().get(f"/.well-known/{name}").json() == {
        "issuer": ISSUER,
        "authorization_endpoint": f"{ISSUER}/oauth/authorize",
        "token_endpoint": f"{ISSUER}/oauth/token",
        "registration_endpoint": f"{ISSUER}/oauth/register",
        "revocation_endpoint": f"{ISSUER}/oauth/revoke",
        "introspection_endpoint": f"{ISSUER}/oauth/introspect",
        "jwks_uri": f"{ISSUER}/oauth/jwks",
        "scopes_supported": ["memory:read", "memory:write", "memory:admin", "offline_access"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": methods,
        "revocation_endpoint_auth_methods_supported": methods,
        "introspection_endpoint_auth_methods_supported": methods,
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": True,
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256"],
    }


def test_the_published_keys_hold_no_private_part() -> None:
    (key,) = http_client().get("/oauth/jwks").json()["keys"]

    assert key.keys() == {"kty", "n", "e", "kid", "use", "alg"}
    assert (key["kty"], key["use"], key["alg"]) == ("RSA", "sig", "RS256")


OPEN_PATHS = [
    "/.well-known/oauth-protected-resource/elsewhere",
    "/.well-known/oauth-authorization-server/mcp",
    "/.well-known/openid-configuration/mcp",
    "/mcp/.well-known/openid-configuration",
    "/oauth/register/unknown",
    "/register",
    "/token",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
    "/oauth/jwks",
    "/oauth/register",
    "/oauth/token",
    "/oauth/revoke",
]


@pytest.mark.parametrize("path", OPEN_PATHS)
@pytest.mark.parametrize("method", ["GET", "POST", "PATCH"])
def test_any_web_page_may_read_the_answers_and_the_errors_but_never_with_cookies(path: str, method: str) -> None:
    response = http_client().generic(method, path, headers={"origin": "https://page.example"})

    assert response.status_code in {200, 400, 401, 404, 405}
    assert response["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in response


def test_a_page_can_read_that_it_sent_too_much() -> None:
    response = http_client().post("/oauth/register", "a=b&" * 1_000_000, content_type="application/json")

    assert response.status_code == 413
    assert response.json()["error"] == "invalid_client_metadata"
    assert response["Access-Control-Allow-Origin"] == "*"


def test_a_page_can_read_that_the_host_is_wrong() -> None:
    response = http_client().get("/oauth/jwks", headers={"host": "evil.example"})

    assert (response.status_code, response["Access-Control-Allow-Origin"]) == (400, "*")


@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/oauth-authorization-server/",
        "/.well-known/oauth-authorization-server/mcp",
        "/.well-known/openid-configuration/mcp",
        "/mcp/.well-known/openid-configuration",
        "/mcp/.well-known/oauth-authorization-server",
    ],
)
def test_an_issuer_without_a_path_has_no_document_at_a_path(path: str) -> None:
    assert http_client().get(path).status_code == 404


@pytest.mark.parametrize("path", OPEN_PATHS)
def test_preflight_requests_are_answered(path: str) -> None:
    headers = {"origin": "https://page.example", "access-control-request-method": "POST"}

    response = http_client().options(path, headers=headers)

    assert response.status_code == 204
    assert response["Access-Control-Allow-Origin"] == "*"
    assert "POST" in response["Access-Control-Allow-Methods"]
    assert "MCP-Protocol-Version" in response["Access-Control-Allow-Headers"]


@pytest.mark.parametrize(
    "path",
    [
        *("/oauth/authorize", "/authorize", "/login/", "/logout/", "/admin/", "/"),
        *("/oauth/introspect", "/oauth/elsewhere", "/oauth/tokens", "/oauth/register/a/b"),
    ],
)
def test_everything_else_is_closed_to_other_origins(path: str) -> None:
    headers = {"origin": "https://page.example", "access-control-request-method": "POST"}

    for response in (http_client().options(path, headers=headers), http_client().get(path, headers=headers)):
        assert "Access-Control-Allow-Origin" not in response
