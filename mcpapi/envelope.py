"""What a transport delivers with a message besides its body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from django.http import HttpRequest

SESSION_HEADER = "Mcp-Session-Id"
VERSION_HEADER = "MCP-Protocol-Version"


@dataclass(frozen=True, slots=True)
class Envelope:
    """The session and the revision that the transport names, None where it names none.

    `headers` is what mirrors the body, by case-insensitive name; None on a transport that mirrors nothing.
    """

    session_id: str | None = None
    protocol_version: str | None = None
    headers: Mapping[str, str] | None = None

    @classmethod
    def of_request(cls, request: HttpRequest) -> Self:
        """What the headers of an HTTP request say."""
        headers = request.headers
        return cls(headers.get(SESSION_HEADER), headers.get(VERSION_HEADER), headers)
