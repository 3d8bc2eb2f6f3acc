"""Every tool that clients can call."""

from __future__ import annotations

from mcpapi.tools.base import Tool
from mcpapi.tools.build_context_prompt import build_context_prompt
from mcpapi.tools.confirm import confirm
from mcpapi.tools.count_memories import count_memories
from mcpapi.tools.export_memories import export_memories
from mcpapi.tools.fetch import fetch
from mcpapi.tools.find_near_duplicates import find_near_duplicates
from mcpapi.tools.forget import forget
from mcpapi.tools.forget_batch import forget_batch
from mcpapi.tools.get_memory import get_memory
from mcpapi.tools.list_memories import list_memories
from mcpapi.tools.list_tags import list_tags
from mcpapi.tools.memory_search import memory_search
from mcpapi.tools.memory_stats import memory_stats
from mcpapi.tools.ping import ping
from mcpapi.tools.recall import recall, search_memory
from mcpapi.tools.remember import remember
from mcpapi.tools.remember_batch import remember_batch
from mcpapi.tools.search import search
from mcpapi.tools.text_search import text_search
from mcpapi.tools.update_memory import update_memory
from mcpapi.tools.update_memory_batch import update_memory_batch

TOOLS: tuple[Tool, ...] = (
    remember,
    remember_batch,
    recall,
    search_memory,
    build_context_prompt,
    list_memories,
    update_memory,
    update_memory_batch,
    confirm,
    forget,
    forget_batch,
    find_near_duplicates,
    text_search,
    get_memory,
    count_memories,
    memory_stats,
    list_tags,
    export_memories,
    search,
    fetch,
    ping,
)
"""In the order in which `tools/list` shows them."""

UNLISTED: tuple[Tool, ...] = (memory_search,)
"""Answered, but shown nowhere."""
