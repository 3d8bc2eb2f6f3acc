"""The registry of all tools."""

from __future__ import annotations

from mcpapi.tools.base import Tool
from mcpapi.tools.changes.list_changes import list_changes
from mcpapi.tools.changes.memory_history import memory_history
from mcpapi.tools.changes.undo import undo
from mcpapi.tools.cleanup.apply_cleanup import apply_cleanup
from mcpapi.tools.cleanup.list_cleanup_plans import list_cleanup_plans
from mcpapi.tools.cleanup.merge_memories import merge_memories
from mcpapi.tools.cleanup.propose_cleanup import propose_cleanup
from mcpapi.tools.cleanup.split_memory import split_memory
from mcpapi.tools.cleanup.tidy_next import tidy_next
from mcpapi.tools.documents.add_document import add_document
from mcpapi.tools.documents.forget_document import forget_document
from mcpapi.tools.documents.get_document import get_document
from mcpapi.tools.documents.list_documents import list_documents
from mcpapi.tools.documents.search_documents import search_documents
from mcpapi.tools.reading.briefing import briefing
from mcpapi.tools.reading.build_context_prompt import build_context_prompt
from mcpapi.tools.reading.count_memories import count_memories
from mcpapi.tools.reading.export_memories import export_memories
from mcpapi.tools.reading.fetch import fetch
from mcpapi.tools.reading.find_near_duplicates import find_near_duplicates
from mcpapi.tools.reading.get_memory import get_memory
from mcpapi.tools.reading.list_memories import list_memories
from mcpapi.tools.reading.list_sources import list_sources
from mcpapi.tools.reading.list_tags import list_tags
from mcpapi.tools.reading.memory_search import memory_search
from mcpapi.tools.reading.memory_stats import memory_stats
from mcpapi.tools.reading.ping import ping
from mcpapi.tools.reading.recall import recall, search_memory
from mcpapi.tools.reading.search import search
from mcpapi.tools.reading.text_search import text_search
from mcpapi.tools.tagging.manage_tags import manage_tags
from mcpapi.tools.workflows.run_workflow import run_workflow
from mcpapi.tools.writing.confirm import confirm
from mcpapi.tools.writing.forget import forget
from mcpapi.tools.writing.forget_batch import forget_batch
from mcpapi.tools.writing.remember import remember
from mcpapi.tools.writing.remember_batch import remember_batch
from mcpapi.tools.writing.sync_source import sync_source
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
    memory_history,
    list_changes,
    undo,
    merge_memories,
    split_memory,
    tidy_next,
    propose_cleanup,
    list_cleanup_plans,
    apply_cleanup,
    manage_tags,
    add_document,
    search_documents,
    get_document,
    list_documents,
    forget_document,
    search,
    fetch,
    list_sources,
    sync_source,
    run_workflow,
    ping,
)
"""The listed tools, in the order of `tools/list`."""

UNLISTED: tuple[Tool, ...] = (memory_search,)
"""Tools that can be called, but are not listed."""
