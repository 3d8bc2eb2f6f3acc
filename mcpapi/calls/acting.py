"""The agents that a caller may act as."""

from __future__ import annotations

from agents import selectors
from mcpapi.calls.caller import Caller


def has_agent(caller: Caller, name: str) -> bool:
    """Return whether the caller's owner has an enabled agent of this name. One query."""
    return selectors.has_agent(caller.principal.owner_id, name)
