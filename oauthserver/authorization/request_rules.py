"""What this authorization server demands of every request, beyond what oauthlib's does."""

from __future__ import annotations

import re

from oauthlib.common import Request
from oauthlib.oauth2 import WebApplicationServer
from oauthlib.oauth2.rfc6749.errors import CustomOAuth2Error, InvalidRequestError

from oauthserver.connections.scopes import SCOPES
from oauthserver.tokens.resources import is_known_resource

S256_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}\Z")


class AuthorizationServer(WebApplicationServer):  # type: ignore[misc]  # the library has no types
    """The authorization code and refresh token grants, and no other."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        # These run once client and redirect URI are known to be right, so that the client can be told.
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
            # RFC 6749, section 5.2. The library takes an absent grant type for one that it does not support.
            raise InvalidRequestError("Missing grant_type parameter.", request=request)
        check_resource(request)

    def validate_revocation_request(self, request: Request) -> None:
        super().validate_revocation_request(request)
        check_parameters(request)

    def validate_introspect_request(self, request: Request) -> None:
        super().validate_introspect_request(request)
        check_parameters(request)


def check_parameters(request: Request) -> dict[str, object]:
    """Raises InvalidRequestError for a repeated parameter (RFC 6749, section 3.1) or one with a NUL in it."""
    for name in request.duplicate_params:
        if name != "resource":
            raise InvalidRequestError(f"Duplicate {name} parameter.", request=request)
    for name, value in parameters(request):
        if "\0" in name or "\0" in value:
            raise InvalidRequestError("A parameter contains a NUL character.", request=request)
    return {}


def check_challenge(request: Request) -> dict[str, object]:
    """Raises InvalidRequestError unless the request has an S256 code challenge (RFC 7636, section 4.2)."""
    if request.code_challenge_method != "S256":
        raise InvalidRequestError("code_challenge_method must be S256.", request=request)
    if not S256_CHALLENGE.match(request.code_challenge or ""):
        raise InvalidRequestError("code_challenge must be the 43 characters of an S256 challenge.", request=request)
    return {}


def check_resource(request: Request) -> dict[str, object]:
    """Raises invalid_target (RFC 8707, section 2) for a resource that is not this server's."""
    for name, value in parameters(request):
        if name == "resource" and value and not is_known_resource(value):
            raise CustomOAuth2Error("invalid_target", "The resource is not one of this server's.", request=request)
    return {}


def drop_unknown_scopes(request: Request) -> dict[str, object]:
    """Leave the scopes that mean something here, as RFC 6749 section 3.3 allows; the token's answer names its own.

    Clients ask by habit for what other servers have (`openid`, `profile`), and would otherwise not get in at all.
    """
    request.scope = " ".join(name for name in (request.scope or "").split() if name in SCOPES) or None
    # oauthlib has taken the first apart already, or was told what the person granted.
    request.scopes = [name for listed in request.scopes or () for name in listed.split() if name in SCOPES]
    return {}


def parameters(request: Request) -> list[tuple[str, str]]:
    """Every parameter of query and body, repeated ones too."""
    return [*request.uri_query_params, *(request.decoded_body or [])]
