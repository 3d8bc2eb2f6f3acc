"""What a transport delivers with a message besides its body."""

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
    """The session and the revision that the transport names, None where it names none.

    `headers` is what mirrors the body, by case-insensitive name; None on a transport that mirrors nothing.
    `send_message` sends the client a message before the answer; None where that cannot be. `connection` names the
    connection that all of a client's messages come on, unguessably; empty on a transport without one. `session` is the
    one that the transport has begun itself: all that comes over it belongs to that, `initialize` included.
    """

    session_id: str | None = None
    protocol_version: str | None = None
    headers: Mapping[str, str] | None = None
    send_message: SendMessage | None = None
    connection: str = ""
    session: Session | None = None

    @classmethod
    def of_request(cls, request: HttpRequest, send_message: SendMessage | None = None) -> Self:
        """What the headers of an HTTP request say."""
        headers = request.headers
        return cls(headers.get(SESSION_HEADER), headers.get(VERSION_HEADER), headers, send_message)
