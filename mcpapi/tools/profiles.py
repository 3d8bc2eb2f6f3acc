"""Profiles: the tools that are listed for a caller. A short list saves tokens in every conversation.

A profile only shapes the list: unlisted tools can still be called. The tools that the owner allows an app by name
replace the profile, and are all that the app can call (`Principal.can_call`).
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from common.scopes import ADMIN
from mcpapi.calls.caller import Caller
from oauthserver.resource_server.principal import Principal

AUTOMATIC, ALL = "auto", "all"

CORE = frozenset(
    {
        "remember",
        "remember_batch",
        "recall",
        "briefing",
        "list_memories",
        "text_search",
        "get_memory",
        "update_memory",
        "confirm",
        "forget",
        "list_tags",
        "add_document",
        "search_documents",
        "get_document",
        "search",
        "fetch",
    }
)
"""The tools of daily use; `search` and `fetch` because ChatGPT uses no server without them."""

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
        "memory_history",
        "list_changes",
        "undo",
        "merge_memories",
        "split_memory",
        "tidy_next",
        "propose_cleanup",
        "list_cleanup_plans",
        "apply_cleanup",
        "manage_tags",
    }
)
"""The tools for tidying up."""

PROFILES: Mapping[str, Set[str]] = {"core": CORE, "maintenance": MAINTENANCE}
"""By name: the tools that a profile lists. Any other profile lists all tools."""


def tool_list_key(principal: Principal) -> tuple[object, ...]:
    """Return a key of everything that decides which tools are listed for `principal`."""
    return principal.tools, principal.profile, principal.scopes


def is_shown(caller: Caller, tool: str, profiles: Mapping[str, Set[str]]) -> bool:
    """Return whether `tools/list` shows the tool of this name to the caller."""
    if caller.principal.tools:
        return caller.principal.can_call(tool)
    shown = profiles.get(_profile_of(caller))
    return shown is None or tool in shown


def is_custom_shown(caller: Caller, tool: str) -> bool:
    """Return whether `tools/list` shows the custom tool of this name to the caller.

    Owners write their tools for daily use, so every profile but `maintenance` lists them.
    """
    if caller.principal.tools:
        return caller.principal.can_call(tool)
    return _profile_of(caller) != "maintenance"


def _profile_of(caller: Caller) -> str:
    """Return the profile that the owner chose for the app; else all for an app with `memory:admin`, core for others."""
    chosen = caller.principal.profile
    if chosen != AUTOMATIC:
        return chosen
    return ALL if ADMIN in caller.principal.scopes else "core"
