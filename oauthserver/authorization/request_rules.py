"""Validation of OAuth requests beyond that of oauthlib."""

from __future__ import annotations

import re

from oauthlib.common import Request
from oauthlib.oauth2 import WebApplicationServer
from oauthlib.oauth2.rfc6749.errors import CustomOAuth2Error, InvalidRequestError

from oauthserver.connections.scopes import SCOPES
from oauthserver.tokens.resources import is_known_resource

S256_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}\Z")


class AuthorizationServer(WebApplicationServer):  # type: ignore[misc]  # the library has no types
    """An authorization server for the authorization code and refresh token grants only."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        # These run after the client and the redirect URI were validated, so that errors can be sent to the client.
        self.auth_grant.custom_validators.pre_auth += [
            check_parameters,
            check_challenge,
            check_resource,
            drop_unknown_scopes,
        ]

    def validate_token_request(self, request: Request) -> None:
        super().validate_token_request(request)
        check_parameters(request)
        if not request.grant_type:
            # RFC 6749, section 5.2. The library reports a missing grant type as an unsupported one.
            raise InvalidRequestError("Missing grant_type parameter.", request=request)
        check_resource(request)

    def validate_revocation_request(self, request: Request) -> None:
        super().validate_revocation_request(request)
        check_parameters(request)

    def validate_introspect_request(self, request: Request) -> None:
        super().validate_introspect_request(request)
        check_parameters(request)


def check_parameters(request: Request) -> dict[str, object]:
    """Check all parameters. Raises InvalidRequestError for a repeated one (RFC 6749, section 3.1) or one with a NUL."""
    for name in request.duplicate_params:
        if name != "resource":
            raise InvalidRequestError(f"Duplicate {name} parameter.", request=request)
    for name, value in parameters(request):
        if "\0" in name or "\0" in value:
            raise InvalidRequestError("A parameter contains a NUL character.", request=request)
    return {}


def check_challenge(request: Request) -> dict[str, object]:
    """Check the S256 code challenge (RFC 7636, section 4.2). Raises InvalidRequestError when there is none."""
    if request.code_challenge_method != "S256":
        raise InvalidRequestError("code_challenge_method must be S256.", request=request)
    if not S256_CHALLENGE.match(request.code_challenge or ""):
        raise InvalidRequestError("code_challenge must be the 43 characters of an S256 challenge.", request=request)
    return {}


def check_resource(request: Request) -> dict[str, object]:
    """Check the resource. Raises invalid_target (RFC 8707, section 2) when it is not one of this server's."""
    for name, value in parameters(request):
        if name == "resource" and value and not is_known_resource(value):
            raise CustomOAuth2Error("invalid_target", "The resource does not belong to this server.", request=request)
    return {}


def drop_unknown_scopes(request: Request) -> dict[str, object]:
    """Ignore unknown scopes, as RFC 6749 section 3.3 allows. The token response names the granted scope.

    Clients often request scopes of other servers (`openid`, `profile`), and could not connect otherwise.
    """
    request.scope = " ".join(name for name in (request.scope or "").split() if name in SCOPES) or None
    # oauthlib has already split `request.scope` into `request.scopes`, or has the scopes that the owner granted there.
    request.scopes = [name for listed in request.scopes or () for name in listed.split() if name in SCOPES]
    return {}


def parameters(request: Request) -> list[tuple[str, str]]:
    """Return all parameters of the query and the body, including repeated ones."""
    return [*request.uri_query_params, *(request.decoded_body or [])]
