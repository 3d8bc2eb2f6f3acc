"""The state of one run of the check: the address, the HTTP client and the documents fetched so far."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.utils.translation import gettext

from ownsona_site.doctor.findings import CheckStopped, failed
from ownsona_site.doctor.http_client import NOT_OWNSONA_FIX, HttpClient, ProbeResponse

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "ownsona-connection-check", "version": "1"},
    },
}
APP_NAME = "OwnSona connection check"
# Nothing listens there: the check itself acts as the app.
REDIRECT_URI = "http://127.0.0.1/ownsona-connection-check"
PARAMETER = re.compile(r'([a-z_]+)\s*=\s*(?:"([^"]*)"|([^\s,]+))', re.IGNORECASE)


@dataclass(frozen=True)
class CheckContext:
    """The state that the steps share. `url` is the address given to clients; `cleanup` undoes what the steps created.

    Each document is fetched once. Properties that fetch raise CheckStopped when a client could not continue.
    """

    url: str
    http: HttpClient
    cleanup: ExitStack = field(default_factory=ExitStack)

    @cached_property
    def parts(self) -> SplitResult:
        """The parsed address."""
        return urlsplit(self.url)

    @property
    def host(self) -> str:
        """The name or address of the host, without brackets."""
        return self.parts.hostname or ""

    @property
    def port(self) -> int:
        """The TCP port; the default port of the scheme if the address names none."""
        return self.parts.port or (443 if self.is_https else 80)

    @property
    def is_https(self) -> bool:
        return self.parts.scheme == "https"

    @property
    def origin(self) -> str:
        """The scheme, host and port, as written in the address."""
        return f"{self.parts.scheme}://{self.parts.netloc}"

    @cached_property
    def unauthenticated_call(self) -> ProbeResponse:
        """The response to the first request of every client, a call without a token."""
        return self.call(INITIALIZE)

    @cached_property
    def challenge(self) -> Mapping[str, str]:
        """The WWW-Authenticate parameters of the unauthenticated call; empty if there is no Bearer challenge."""
        scheme, _, parameters = self.unauthenticated_call.headers.get("www-authenticate", "").partition(" ")
        if scheme.lower() != "bearer":
            return {}
        return {name.lower(): quoted or plain for name, quoted, plain in PARAMETER.findall(parameters)}

    @cached_property
    def resource_metadata(self) -> Mapping[str, Any]:
        """The protected-resource document that the challenge points to (RFC 9728, section 5.1)."""
        return self.fetch(self.challenge.get("resource_metadata", ""))

    @cached_property
    def issuer(self) -> str:
        """The authorization server that the resource document names first."""
        named = self.resource_metadata.get("authorization_servers")
        if not isinstance(named, list) or not named or not isinstance(named[0], str):
            raise CheckStopped(failed(gettext("The document names no authorization server."), NOT_OWNSONA_FIX))
        return named[0]

    @cached_property
    def server_metadata(self) -> Mapping[str, Any]:
        """The metadata document of the authorization server, at the URL of RFC 8414, section 3.1."""
        issuer = urlsplit(self.issuer)
        path = issuer.path.rstrip("/")
        return self.fetch(f"{issuer.scheme}://{issuer.netloc}/.well-known/oauth-authorization-server{path}")

    @cached_property
    def app(self) -> Mapping[str, Any]:
        """A temporary app, registered dynamically (RFC 7591). `cleanup` deletes it again (RFC 7592)."""
        response = self.http.request(
            "POST",
            self.endpoint("registration_endpoint"),
            json={
                "client_name": APP_NAME,
                "redirect_uris": [REDIRECT_URI],
                "grant_types": ["authorization_code", "refresh_token"],
                "response_types": ["code"],
                "token_endpoint_auth_method": "none",
            },
        )
        app = response.document()
        if response.status != 201 or not isinstance(app.get("client_id"), str):
            raise CheckStopped(
                failed(
                    gettext("The registration got the response %(status)s: %(excerpt)s.")
                    % {"status": response.status, "excerpt": response.excerpt},
                    gettext(
                        "Apps that register themselves are refused, too. If the response names too many requests, wait "
                        "a minute."
                    ),
                )
            )
        self.cleanup.callback(self.delete_temporary_app, app)
        return app

    @cached_property
    def verifier(self) -> str:
        """The PKCE code verifier (RFC 7636, section 4.1)."""
        return secrets.token_urlsafe(48)

    def fetch(self, url: str) -> Mapping[str, Any]:
        """Fetch the JSON document at `url`. Raises CheckStopped if there is none."""
        response = self.http.request("GET", url)
        if response.status != 200:
            raise CheckStopped(
                failed(
                    gettext("%(url)s returned %(status)s: %(excerpt)s.")
                    % {"url": url, "status": response.status, "excerpt": response.excerpt},
                    NOT_OWNSONA_FIX,
                )
            )
        return response.document()

    def call(self, message: object, token: str = "", headers: Mapping[str, str] | None = None) -> ProbeResponse:
        """POST `message` to the address, with `token` as the bearer token unless it is empty."""
        sent = {"Authorization": f"Bearer {token}"} if token else {}
        return self.http.request("POST", self.url, json=message, headers={**sent, **(headers or {})})

    def endpoint(self, name: str) -> str:
        """Return a URL from the metadata of the authorization server. Raises CheckStopped if it is missing."""
        url = self.server_metadata.get(name)
        if not isinstance(url, str) or not url:
            raise CheckStopped(
                failed(
                    gettext("The authorization server's document has no %(name)s.") % {"name": name}, NOT_OWNSONA_FIX
                )
            )
        return url

    def delete_temporary_app(self, app: Mapping[str, Any]) -> None:
        """Delete the temporary app through its own registration (RFC 7592, section 2.3). Raises CheckStopped."""
        sent = {"Authorization": f"Bearer {app.get('registration_access_token')}"}
        response = self.http.request("DELETE", str(app.get("registration_client_uri")), headers=sent)
        if response.status != 204:
            raise CheckStopped(
                failed(
                    gettext("The temporary app %(name)s could not be deleted: %(status)s %(excerpt)s.")
                    % {"name": app["client_id"], "status": response.status, "excerpt": response.excerpt},
                    gettext(
                        "Configure the proxy to forward DELETE and the Authorization header. If Registered apps "
                        "still has “%(app_name)s”, delete it there."
                    )
                    % {"app_name": APP_NAME},
                )
            )
