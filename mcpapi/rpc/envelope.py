"""The metadata that a transport delivers with a message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from django.http import HttpRequest

from mcpapi.models import Session
from mcpapi.rpc.notifier import SendMessage
from oauthserver.resource_server.companion import Companion

SESSION_HEADER = "Mcp-Session-Id"
VERSION_HEADER = "MCP-Protocol-Version"
SESSION_META, VERSION_META = "HTTP_MCP_SESSION_ID", "HTTP_MCP_PROTOCOL_VERSION"
"""The two headers in `request.META`."""

SESSION_ROW = "ownsona.session_row"
"""In `request.META`: the row of the session that the request names, read with the token; None if it names none."""


class _Headers(Mapping[str, str]):
    """The headers of a request, which are collected when one of them is read. Most calls read none."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request

    def __getitem__(self, name: str) -> str:
        return self._request.headers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._request.headers)

    def __len__(self) -> int:
        return len(self._request.headers)


@dataclass(frozen=True, slots=True)
class Envelope:
    """Metadata of a message: the session and the revision that the transport names, None if it names none.

    `headers` are those that repeat the body, by case-insensitive name; None on a transport without headers.
    `send_message` sends the client a message before the response; None if that is impossible. `connection` is an
    unguessable id of the connection that carries all messages of a client; empty on a transport without one. `session`
    is a session that the transport itself began: every message on that transport belongs to it, also `initialize`.
    `session_row` is the row of the session with `session_id`, None if it has not been read yet.
    """

    session_id: str | None = None
    protocol_version: str | None = None
    headers: Mapping[str, str] | None = None
    send_message: SendMessage | None = None
    connection: str = ""
    session: Session | None = None
    session_row: Companion | None = None

    @classmethod
    def of_request(cls, request: HttpRequest, send_message: SendMessage | None = None) -> Self:
        """Read the envelope from the headers of an HTTP request."""
        meta = request.META
        return cls(
            meta.get(SESSION_META),
            meta.get(VERSION_META),
            _Headers(request),
            send_message,
            session_row=meta.get(SESSION_ROW),
        )
