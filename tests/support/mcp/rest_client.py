"""A client of the REST API."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from django.test import Client

from oauthserver.models import User
from tests.support.factories import ALL_SCOPES, HOST, make_access_token


@dataclass
class RestClient:
    """A client with a token, in the same process as the server."""

    token: str
    client: Client = field(default_factory=lambda: Client(headers={"host": HOST}))

    @classmethod
    def of(cls, user: User, scopes: str = ALL_SCOPES, **details: Any) -> Self:
        """Return a client with a new connection to `user`."""
        return cls(make_access_token(user, scopes, **details))

    def send(
        self, method: str, path: str, body: bytes = b"", content_type: str = "application/json", **headers: str
    ) -> Any:
        """Send a request and return the HTTP response. Underscores in the names of headers stand for hyphens."""
        sent = {
            "authorization": f"Bearer {self.token}",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        return self.client.generic(method, path, body, content_type=content_type, headers=sent)

    def get(self, path: str) -> dict[str, Any]:
        """Get a path, which must succeed, and return the content."""
        return self._checked(self.send("GET", path))

    def post(self, path: str, **arguments: Any) -> dict[str, Any]:
        """Post arguments to a path, which must succeed, and return the content."""
        return self._checked(self.ask(path, **arguments))

    def ask(self, path: str, **arguments: Any) -> Any:
        """Post arguments to a path and return the HTTP response."""
        return self.client.post(
            path, arguments, content_type="application/json", headers={"authorization": f"Bearer {self.token}"}
        )

    def _checked(self, response: Any) -> dict[str, Any]:
        assert response.status_code == 200, response.content
        assert response["Content-Type"] == "application/json"
        answered: dict[str, Any] = response.json()
        return answered


def assert_refused(response: Any, status: int, code: str) -> dict[str, Any]:
    """Check that a response is this error, and return the error."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/json"
    assert set(response.json()) == {"error"}
    error: dict[str, Any] = response.json()["error"]
    assert error["code"] == code, error
    assert error["message"]
    return error
