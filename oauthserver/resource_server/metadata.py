"""Discovery documents for clients (RFC 9728, RFC 8414, OpenID Connect Discovery)."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from oauthserver.clients.client_metadata import GRANT_TYPES
from oauthserver.connections.scopes import EVERYDAY_SCOPES, SCOPES
from oauthserver.models import Application
from oauthserver.tokens.public_keys import published_keys
from oauthserver.tokens.resources import called_origin
from oauthserver.tokens.signing_keys import ALGORITHM


@require_safe
def protected_resource(request: HttpRequest, path: str = "") -> HttpResponse:
    """Serve the metadata of the resource at `path` (RFC 9728), with exactly the URL that the client was given."""
    return JsonResponse(
        {
            "resource": f"{called_origin(request)}{path}",
            "resource_name": "OwnSona",
            "authorization_servers": [issuer for issuer in (settings.PUBLIC_URL, settings.OIDC_ISSUER) if issuer],
            "scopes_supported": list(EVERYDAY_SCOPES),
            "bearer_methods_supported": ["header"],
        }
    )


@require_safe
def authorization_server(request: HttpRequest) -> HttpResponse:
    """Serve the authorization server metadata (RFC 8414), also to clients that look for OpenID Connect's document."""
    return JsonResponse(authorization_server_metadata())


@require_safe
def jwks(request: HttpRequest) -> HttpResponse:
    """Serve the public keys (RFC 7517)."""
    return JsonResponse({"keys": published_keys()})


def authorization_server_metadata() -> dict[str, Any]:
    """Build the metadata of RFC 8414 section 2, with the two members that OpenID Connect Discovery requires."""
    auth_methods = [method.value for method in Application.AuthMethod]
    return {
        "issuer": settings.PUBLIC_URL,
        "authorization_endpoint": _endpoint("authorize"),
        "token_endpoint": _endpoint("token"),
        "registration_endpoint": _endpoint("register"),
        "revocation_endpoint": _endpoint("revoke"),
        "introspection_endpoint": _endpoint("introspect"),
        "jwks_uri": _endpoint("jwks"),
        "scopes_supported": list(SCOPES),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": list(GRANT_TYPES),
        "token_endpoint_auth_methods_supported": auth_methods,
        "revocation_endpoint_auth_methods_supported": auth_methods,
        "introspection_endpoint_auth_methods_supported": auth_methods,
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": True,
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": [ALGORITHM],
    }


def _endpoint(name: str) -> str:
    return f"{settings.PUBLIC_URL}{reverse(f'oauthserver:{name}')}"
