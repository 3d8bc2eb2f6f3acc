"""An app connected to a running server over real HTTP."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import httpx

from tests.clients.owner import OwnerBrowser, parameters

REDIRECT_URI = "http://127.0.0.1:9/callback"
VERIFIER = "v" * 64
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
SCOPES = "memory:read memory:write memory:admin"


@dataclass
class ConnectedApp:
    """An app and its tokens."""

    url: str
    client_id: str
    access_token: str
    refresh_token: str

    @classmethod
    def connect(cls, url: str, login: tuple[str, str]) -> ConnectedApp:
        """Register, let the owner log in and allow everything, and request the tokens."""
        metadata = {"client_name": "Notebook", "redirect_uris": [REDIRECT_URI], "token_endpoint_auth_method": "none"}
        client_id = httpx.post(f"{url}/oauth/register", json=metadata, timeout=30).json()["client_id"]
        query = {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": REDIRECT_URI,
            "scope": SCOPES,
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
        }
        location = OwnerBrowser(*login).authorize(f"{url}/oauth/authorize?{urlencode(query)}")
        app = cls(url, client_id, "", "")
        app._collect(
            grant_type="authorization_code",
            code=parameters(location)["code"],
            redirect_uri=REDIRECT_URI,
            code_verifier=VERIFIER,
        )
        return app

    def refresh(self) -> None:
        """Exchange the refresh token for new tokens."""
        self._collect(grant_type="refresh_token", refresh_token=self.refresh_token)

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool, which must succeed, and return its result."""
        return call_tool(self.url, self.access_token, name, **arguments)

    def _collect(self, **form: str) -> None:
        answer = httpx.post(f"{self.url}/oauth/token", data={**form, "client_id": self.client_id}, timeout=30)
        assert answer.status_code == 200, answer.text
        self.access_token, self.refresh_token = answer.json()["access_token"], answer.json()["refresh_token"]


def call_tool(url: str, token: str, name: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool, which must succeed, and return its result."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    response = httpx.post(f"{url}/mcp", json=call, headers={"authorization": f"Bearer {token}"}, timeout=60)
    assert response.status_code == 200, response.text
    result: dict[str, Any] = response.json()["result"]["structuredContent"]
    assert result["ok"], result
    return result
