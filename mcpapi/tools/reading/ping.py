"""The tool `ping`."""

from __future__ import annotations

from django.conf import settings
from pydantic import Field

from common.scopes import READ
from mcpapi.calls.caller import Caller
from mcpapi.tools.base import Args, Hints, Result, tool
from memories.validation.text import check_storable

SERVER_NAME = "ownsona"


class PingArgs(Args):
    """The message to echo."""

    message: str | None = Field(None, max_length=1000, description="Returned unchanged.")


class PingResult(Result):
    """The echoed message, and the server's name and version."""

    message: str = Field(description="The message that was sent, or pong.")
    server: str
    version: str


@tool(title="Check the connection", scope=READ, hints=Hints(read_only=True, idempotent=True))
def ping(caller: Caller, args: PingArgs) -> PingResult:
    """Check that the connection to OwnSona works."""
    message = "pong" if args.message is None else args.message
    check_storable("message", message)
    return PingResult(message=message, server=SERVER_NAME, version=settings.VERSION)
