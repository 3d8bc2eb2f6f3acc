"""Factories for users, connected apps and memories."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Self

from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken, set_token_value

from memories.access import Actor, View
from memories.drafts import Draft
from memories.models import Memory
from memories.writing.deduplication import DedupPolicy
from memories.writing.remembering import RememberOutcome, RememberRequest, remember
from oauthserver.connections.connection_changes import save_consent
from oauthserver.connections.scopes import MEMORY_SCOPES
from oauthserver.models import Application, PersonalToken, User
from oauthserver.tokens.access_tokens import mint
from oauthserver.tokens.personal_tokens import generate_personal_token

ALL_SCOPES = "memory:read memory:write memory:admin"
HOST = "127.0.0.1:8000"

_numbers = itertools.count(1)


def make_user(username: str | None = None, *, is_superuser: bool = False) -> User:
    """Create a user who owns nothing yet."""
    return User.objects.create_user(username or f"person-{next(_numbers)}", is_superuser=is_superuser)


def make_app(name: str = "Notebook") -> Application:
    """Create a registered app."""
    return Application.objects.create(
        name=name,
        client_type=Application.CLIENT_PUBLIC,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        redirect_uris="http://127.0.0.1:9/callback",
    )


def make_personal_token(
    user: User, name: str = "Script", scopes: Sequence[str] = MEMORY_SCOPES, approvals: Sequence[str] = ()
) -> str:
    """Create a personal token of `user` and return its value."""
    value, checksum = generate_personal_token()
    PersonalToken.objects.create(
        user=user, name=name, token_sha256=checksum, scopes=list(scopes), approvals=list(approvals)
    )
    return value


def make_access_token(
    user: User, scopes: str = ALL_SCOPES, app: Application | None = None, tags: Sequence[str] = ()
) -> str:
    """Create an access token of `user` for `app`, limited to memories with `tags` (none: all). Return its value."""
    app = app or make_app()
    save_consent(user, app, asked=scopes.split(), granted=scopes.split(), tags=tags)
    raw = mint(user_id=user.pk, client_id=app.client_id, scope=scopes)
    token = AccessToken(user=user, application=app, scope=scopes, expires=timezone.now() + timedelta(hours=1))
    set_token_value(token, raw)
    token.save()
    return raw


def actor_for(user: User) -> Actor:
    """Return the actor of the tests for all memories of `user`."""
    return Actor(View.whole(user.pk), "tests")


def quarantined(user: User, *tags: str, client: str = "guesser") -> Actor:
    """Return a quarantined app as actor, limited to memories of `user` with any of `tags` (none: all)."""
    return Actor(View(user.pk, tags), client, is_quarantined=True)


def owner_actor(user: User) -> Actor:
    """Return the actor of `user` on their own pages."""
    return Actor(View.whole(user.pk), "admin", is_owner=True)


def infer(actor: Actor, text: str, **details: Any) -> RememberOutcome:
    """Remember a text that `actor` inferred, and return the outcome."""
    return remember(actor, RememberRequest(Draft(text, capture_mode=Memory.CaptureMode.INFERRED, **details)))


def make_memory(user: User, text: str, **details: Any) -> Memory:
    """Create a memory of `user`."""
    outcome = remember(actor_for(user), RememberRequest(Draft(text, **details), DedupPolicy.INSERT))
    return Memory.objects.get(pk=outcome.memory_id)


def make_expired(memory: Memory) -> Memory:
    """Let the memory expire, and return it."""
    # In PostgreSQL, now() is the start of the transaction, which may be the start of a long test.
    Memory.objects.filter(pk=memory.pk).update(expires_at=timezone.now() - timedelta(hours=1))
    memory.refresh_from_db()
    return memory


@dataclass
class Assistant:
    """An MCP client with a token, in the same process as the server."""

    token: str
    client: Client = field(default_factory=lambda: Client(headers={"host": HOST}))
    path: str = "/mcp"

    @classmethod
    def of(cls, user: User, scopes: str = ALL_SCOPES, app: Application | None = None, tags: Sequence[str] = ()) -> Self:
        """Return an assistant with a new connection to `user`, limited to memories with `tags` (none: all)."""
        return cls(make_access_token(user, scopes, app, tags))

    def post(self, body: object, headers: dict[str, str] | None = None) -> Any:
        """Post a raw body (bytes) or a JSON value, and return the HTTP response."""
        sent = {"authorization": f"Bearer {self.token}", **(headers or {})}
        return self.client.post(self.path, body, content_type="application/json", headers=sent)

    def request(self, method: str, params: dict[str, Any] | None = None, headers: dict[str, str] | None = None) -> Any:
        """Send a JSON-RPC request and return the HTTP response."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        return self.post(message, headers)

    def result(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method that must not fail, and return its result."""
        response = self.request(method, params)
        assert response.status_code == 200, response.content
        answer: dict[str, Any] = response.json()
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def rpc_error(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method that must fail, and return its JSON-RPC error."""
        answer: dict[str, Any] = self.request(method, params).json()
        assert "error" in answer, answer
        error: dict[str, Any] = answer["error"]
        return error

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its payload."""
        response = self.request("tools/call", {"name": tool, "arguments": arguments})
        assert response.status_code == 200, response.content
        result = response.json()["result"]
        assert result["isError"] is not result["structuredContent"]["ok"]
        payload: dict[str, Any] = result["structuredContent"]
        return payload

    def error_of(self, tool: str, **arguments: Any) -> dict[str, str]:
        """Call a tool that must fail, and return its error."""
        payload = self.call(tool, **arguments)
        assert payload["ok"] is False, payload
        error: dict[str, str] = payload["error"]
        return error
