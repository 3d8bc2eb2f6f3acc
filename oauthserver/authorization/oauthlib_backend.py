"""Adapter between Django's requests and oauthlib's."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.utils import timezone
from oauth2_provider.oauth2_backends import OAuthLibCore
from oauth2_provider.settings import oauth2_settings
from oauthlib.common import Request

from oauthserver.tokens.resources import audience

# Key of a request's time of arrival among its headers. Clients cannot send it: the names of their headers begin with
# HTTP_.
ARRIVED_AT = "oauthserver.arrived_at"


class Backend(OAuthLibCore):  # type: ignore[misc]  # the library has no types
    """An adapter that passes parameters to oauthlib as Django parsed them, so that both see the same values."""

    def _get_escaped_full_path(self, request: HttpRequest) -> str:
        # Encode the parsed query again: oauthlib raises ValueError for malformed queries that Django accepts.
        query = urlencode(_pairs(request.GET))
        return f"{request.path}?{query}" if query else request.path

    def extract_headers(self, request: HttpRequest) -> dict[str, object]:
        # Read the body before taking the time: otherwise a client could hold back half of a request, so that its replay
        # of a code would look like a lost race.
        request.POST.keys()
        return {**super().extract_headers(request), ARRIVED_AT: timezone.now()}

    def extract_body(self, request: HttpRequest) -> list[tuple[str, str]]:
        return _pairs(request.POST)

    def read_authorization_request(self, request: HttpRequest) -> Request:
        """Validate and return the authorization request in the query of `request`. Raises OAuth2Error."""
        uri, headers = self._get_escaped_full_path(request), self.extract_headers(request)
        _, details = self.server.validate_authorization_request(uri, "GET", None, headers)
        return details["request"]

    def issue_code(self, request: HttpRequest, scopes: Iterable[str]) -> str:
        """Grant `scopes` to the authorization request in the query, and return the URI to redirect the user to.

        Validates the request again. Raises OAuth2Error.
        """
        uri, headers = self._get_escaped_full_path(request), self.extract_headers(request)
        # The last three belong to OpenID Connect, which this server does not support.
        settled = {"user": request.user, "resource": [audience()], "response_mode": None, "nonce": None, "claims": None}
        answer, _, _ = self.server.create_authorization_response(
            uri, "GET", None, headers, scopes=list(scopes), credentials=settled
        )
        return str(answer["Location"])

    def create_introspection_response(self, request: HttpRequest) -> tuple[None, dict[str, str], str, int]:
        """Handle an introspection request (RFC 7662). The tuple has the form of the library's other responses."""
        headers, body, status = self.server.create_introspect_response(*self._extract_params(request))
        return None, headers, body, status


def get_backend() -> Backend:
    """Build the backend from the settings."""
    server = oauth2_settings.OAUTH2_SERVER_CLASS(
        oauth2_settings.OAUTH2_VALIDATOR_CLASS(), **oauth2_settings.server_kwargs
    )
    return Backend(server)


def _pairs(parameters: QueryDict) -> list[tuple[str, str]]:
    """Return all parameters that have a value. One without a value counts as not sent (RFC 6749, section 3.1).

    Repeated parameters are kept, so that they can be refused.
    """
    return [(name, value) for name, values in parameters.lists() for value in values if value]
