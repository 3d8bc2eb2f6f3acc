"""Between Django's requests and oauthlib's."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.utils import timezone
from oauth2_provider.oauth2_backends import OAuthLibCore
from oauth2_provider.settings import oauth2_settings
from oauthlib.common import Request

from oauthserver.tokens.resources import audience

# Where a request's arrival stands among its headers. No client can send it: a client's headers begin with HTTP_.
ARRIVED_AT = "oauthserver.arrived_at"


class Backend(OAuthLibCore):  # type: ignore[misc]  # the library has no types
    """Reads Django's requests for oauthlib, and nothing that a parser could take for something else."""

    def _get_escaped_full_path(self, request: HttpRequest) -> str:
        # Encoded anew, because oauthlib raises ValueError where Django reads a broken query leniently.
        query = urlencode(_pairs(request.GET))
        return f"{request.path}?{query}" if query else request.path

    def extract_headers(self, request: HttpRequest) -> dict[str, object]:
        # Read first: a request that is held back half-sent has not arrived.
        request.POST.keys()
        return {**super().extract_headers(request), ARRIVED_AT: timezone.now()}

    def extract_body(self, request: HttpRequest) -> list[tuple[str, str]]:
        return _pairs(request.POST)

    def read_authorization_request(self, request: HttpRequest) -> Request:
        """The authorization request in the query of `request`, validated. Raises OAuth2Error."""
        uri, headers = self._get_escaped_full_path(request), self.extract_headers(request)
        _, details = self.server.validate_authorization_request(uri, "GET", None, headers)
        return details["request"]

    def issue_code(self, request: HttpRequest, scopes: Iterable[str]) -> str:
        """Grant `scopes` to the authorization request in the query: the URI to send the person back to.

        The request is validated again. Raises OAuth2Error.
        """
        uri, headers = self._get_escaped_full_path(request), self.extract_headers(request)
        # The last three come from OpenID Connect, which this server does not speak.
        settled = {"user": request.user, "resource": [audience()], "response_mode": None, "nonce": None, "claims": None}
        answer, _, _ = self.server.create_authorization_response(
            uri, "GET", None, headers, scopes=list(scopes), credentials=settled
        )
        return str(answer["Location"])

    def create_introspection_response(self, request: HttpRequest) -> tuple[None, dict[str, str], str, int]:
        """The answer to an introspection request (RFC 7662), in the form of the library's other answers."""
        headers, body, status = self.server.create_introspect_response(*self._extract_params(request))
        return None, headers, body, status


def get_backend() -> Backend:
    """The backend, set up as the settings say."""
    server = oauth2_settings.OAUTH2_SERVER_CLASS(
        oauth2_settings.OAUTH2_VALIDATOR_CLASS(), **oauth2_settings.server_kwargs
    )
    return Backend(server)


def _pairs(parameters: QueryDict) -> list[tuple[str, str]]:
    """Every parameter that has a value; one without counts as not sent (RFC 6749, section 3.1).

    Repeated ones stay, so that they can be refused.
    """
    return [(name, value) for name, values in parameters.lists() for value in values if value]
