"""Which tools a caller is shown. Every assistant pays for the whole list in every conversation, so it is kept short.

A profile only shapes the list: what it leaves out can be called all the same. What the owner allows an app by name
takes the profile's place, and is all that the app can call (`Principal.can_call`).
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from common.scopes import ADMIN
from mcpapi.calls.context import Caller
from oauthserver.resource_server.bearer import Principal

AUTOMATIC, ALL = "auto", "all"

CORE = frozenset(
    {
        "remember",
        "remember_batch",
        "recall",
        "list_memories",
        "text_search",
        "get_memory",
        "update_memory",
        "confirm",
        "forget",
        "list_tags",
        "search",
        "fetch",
    }
)
"""What daily use needs; `search` and `fetch` because ChatGPT uses no server without them."""

MAINTENANCE = frozenset(
    {
        "remember",
        "recall",
        "list_memories",
        "text_search",
        "get_memory",
        "update_memory",
        "update_memory_batch",
        "confirm",
        "forget",
        "forget_batch",
        "find_near_duplicates",
        "count_memories",
        "memory_stats",
        "list_tags",
        "export_memories",
    }
)
"""What tidying up needs."""

PROFILES: Mapping[str, Set[str]] = {"core": CORE, "maintenance": MAINTENANCE}
"""By name: the tools that a profile shows. Any other profile shows all."""


def tool_list_key(principal: Principal) -> tuple[object, ...]:
    """All that decides which tools `principal` is shown."""
    return principal.tools, principal.profile, principal.scopes


def is_shown(caller: Caller, tool: str, profiles: Mapping[str, Set[str]]) -> bool:
    """Whether `tools/list` shows the tool of this name to the caller."""
    if caller.principal.tools:
        return caller.principal.can_call(tool)
    shown = profiles.get(_profile_of(caller))
    return shown is None or tool in shown


def _profile_of(caller: Caller) -> str:
    """What the owner chose for the app; else everything to one that may do everything, and the core to others."""
    chosen = caller.principal.profile
    if chosen != AUTOMATIC:
        return chosen
    return ALL if ADMIN in caller.principal.scopes else "core"
