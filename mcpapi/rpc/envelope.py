"""The metadata that a transport delivers with a message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from django.http import HttpRequest

from mcpapi.models import Session
from mcpapi.rpc.notifier import SendMessage

SESSION_HEADER = "Mcp-Session-Id"
VERSION_HEADER = "MCP-Protocol-Version"


@dataclass(frozen=True, slots=True)
class Envelope:
    """Metadata of a message: the session and the revision that the transport names, None if it names none.

    `headers` are those that repeat the body, by case-insensitive name; None on a transport without headers.
    `send_message` sends the client a message before the response; None if that is impossible. `connection` is an
    unguessable id of the connection that carries all messages of a client; empty on a transport without one. `session`
    is a session that the transport itself began: every message on that transport belongs to it, also `initialize`.
    """

    session_id: str | None = None
    protocol_version: str | None = None
    headers: Mapping[str, str] | None = None
    send_message: SendMessage | None = None
    connection: str = ""
    session: Session | None = None

    @classmethod
    def of_request(cls, request: HttpRequest, send_message: SendMessage | None = None) -> Self:
        """Read the envelope from the headers of an HTTP request."""
        headers = request.headers
        return cls(headers.get(SESSION_HEADER), headers.get(VERSION_HEADER), headers, send_message)
