"""The two ends of an OAuth flow: the app, and the owner's browser."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.http import HttpRequest
from django.test import Client, RequestFactory

PASSWORD = "correct horse battery staple"
HOST = "127.0.0.1:8000"
REDIRECT_URI = "http://127.0.0.1:33418/callback"
VERIFIER = "v" * 64
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
ALL_SCOPES = "memory:read memory:write memory:admin"
ALLOW_READING = {"decision": "allow", "scope": "memory:read", "memories": "all"}
"""The consent form, filled in for an app that may read everything."""


def http_client(**options: Any) -> Client:
    return Client(headers={"host": HOST}, **options)


@dataclass
class Registration:
    """An app's registration, as returned by the registration endpoint."""

    answer: dict[str, Any]

    @classmethod
    def of_new_app(cls, **metadata: Any) -> Registration:
        asked = {"client_name": "Notebook", "redirect_uris": [REDIRECT_URI], "token_endpoint_auth_method": "none"}
        response = http_client().post("/oauth/register", {**asked, **metadata}, content_type="application/json")
        assert response.status_code == 201, response.content
        return cls(response.json())

    @property
    def client_id(self) -> str:
        return str(self.answer["client_id"])

    def authorize_url(self, **changes: str | None) -> str:
        """Return the URL that the app opens in the browser. A change to None leaves the parameter out."""
        parameters: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": REDIRECT_URI,
            "scope": ALL_SCOPES,
            "state": "xyz",
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            **changes,
        }
        return "/oauth/authorize?" + urlencode({name: value for name, value in parameters.items() if value is not None})

    def exchange(self, code: str, /, **changes: str) -> Any:
        """Exchange `code` and return the response of the token endpoint."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "client_id": self.client_id,
            "redirect_uri": REDIRECT_URI,
            "code_verifier": VERIFIER,
        }
        return post_form("/oauth/token", {**form, **changes})

    def refresh(self, refresh_token: str, **changes: str) -> Any:
        form = {"grant_type": "refresh_token", "refresh_token": refresh_token, "client_id": self.client_id}
        return post_form("/oauth/token", {**form, **changes})


@dataclass
class Browser:
    """A user's browser."""

    client: Client = field(default_factory=http_client)

    def decide(
        self, url: str, decision: str = "allow", scopes: str = ALL_SCOPES, tags: Sequence[str] = ()
    ) -> dict[str, str]:
        """Send the consent page at `url`, and return the parameters of the redirect to the app."""
        memories = {"memories": "tagged", "typed_tags": ",".join(tags)} if tags else {"memories": "all"}
        response = self.client.post(url, {"decision": decision, "scope": scopes.split(), **memories})
        assert response.status_code == 302, response.content
        return parameters_of(response["Location"])


@dataclass
class Connection:
    """A connected app."""

    registration: Registration
    tokens: dict[str, Any]

    @classmethod
    def of(cls, browser: Browser, registration: Registration, scopes: str = ALL_SCOPES) -> Connection:
        code = browser.decide(registration.authorize_url(), scopes=scopes)["code"]
        response = registration.exchange(code)
        assert response.status_code == 200, response.content
        return cls(registration, response.json())

    @property
    def access_token(self) -> str:
        return str(self.tokens["access_token"])

    @property
    def refresh_token(self) -> str:
        return str(self.tokens["refresh_token"])


def post_form(path: str, form: dict[str, str], **headers: str) -> Any:
    return http_client().post(path, urlencode(form), content_type="application/x-www-form-urlencoded", headers=headers)


def ticked(page: str) -> set[str]:
    """Return the values of the checkboxes and buttons that a consent page selects by default."""
    return set(re.findall(r'<input[^>]* value="([^"]*)"[^>]* checked>', page))


def parameters_of(uri: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(uri).query))


def call(token: str | None = None, path: str = "/mcp", host: str = HOST) -> HttpRequest:
    """Return a request to the API with `token`."""
    headers = {"host": host} if token is None else {"host": host, "authorization": f"Bearer {token}"}
    return RequestFactory().post(path, headers=headers)
