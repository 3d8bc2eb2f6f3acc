"""The registry of all tools."""

from __future__ import annotations

from mcpapi.tools.base import Tool
from mcpapi.tools.reading.briefing import briefing
from mcpapi.tools.reading.build_context_prompt import build_context_prompt
from mcpapi.tools.reading.count_memories import count_memories
from mcpapi.tools.reading.export_memories import export_memories
from mcpapi.tools.reading.fetch import fetch
from mcpapi.tools.reading.find_near_duplicates import find_near_duplicates
from mcpapi.tools.reading.get_memory import get_memory
from mcpapi.tools.reading.list_memories import list_memories
from mcpapi.tools.reading.list_tags import list_tags
from mcpapi.tools.reading.memory_search import memory_search
from mcpapi.tools.reading.memory_stats import memory_stats
from mcpapi.tools.reading.ping import ping
from mcpapi.tools.reading.recall import recall, search_memory
from mcpapi.tools.reading.search import search
from mcpapi.tools.reading.text_search import text_search
from mcpapi.tools.writing.confirm import confirm
from mcpapi.tools.writing.forget import forget
from mcpapi.tools.writing.forget_batch import forget_batch
from mcpapi.tools.writing.remember import remember
from mcpapi.tools.writing.remember_batch import remember_batch
from mcpapi.tools.writing.update_memory import update_memory
from mcpapi.tools.writing.update_memory_batch import update_memory_batch

TOOLS: tuple[Tool, ...] = (
    remember,
    remember_batch,
    recall,
    search_memory,
    briefing,
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
"""The listed tools, in the order of `tools/list`."""

UNLISTED: tuple[Tool, ...] = (memory_search,)
"""Tools that can be called, but are not listed."""
