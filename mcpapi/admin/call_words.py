"""The words of the owner's pages for the calls of apps: what was asked for, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext, gettext_noop

from mcpapi.models import AuditLine
from mcpapi.observability.audit import STREAM_ENDED, STREAM_OPENED, UNKNOWN

TOOL_TITLES: Mapping[str, str] = {
    "add_document": gettext_noop("Add a document"),
    "apply_cleanup": gettext_noop("Apply a clean-up plan"),
    "briefing": gettext_noop("Read the briefing"),
    "build_context_prompt": gettext_noop("Look up facts for a prompt"),
    "confirm": gettext_noop("Confirm a memory"),
    "count_memories": gettext_noop("Count memories"),
    "export_memories": gettext_noop("Export memories"),
    "fetch": gettext_noop("Read a memory or document"),
    "find_near_duplicates": gettext_noop("Look for memories that say the same"),
    "forget": gettext_noop("Forget a memory"),
    "forget_batch": gettext_noop("Forget many memories"),
    "forget_document": gettext_noop("Forget a document"),
    "get_document": gettext_noop("Read a document"),
    "get_memory": gettext_noop("Read a memory"),
    "list_changes": gettext_noop("Read the journal"),
    "list_cleanup_plans": gettext_noop("List clean-up plans"),
    "list_documents": gettext_noop("List documents"),
    "list_memories": gettext_noop("List memories"),
    "list_sources": gettext_noop("List sources"),
    "list_tags": gettext_noop("List tags"),
    "manage_tags": gettext_noop("Rename, merge or delete tags"),
    "memory.search": gettext_noop("Look up memories"),
    "memory_history": gettext_noop("Read the versions of a memory"),
    "memory_stats": gettext_noop("Show statistics"),
    "merge_memories": gettext_noop("Merge memories"),
    "ping": gettext_noop("Check the connection"),
    "propose_cleanup": gettext_noop("Propose a clean-up"),
    "recall": gettext_noop("Look up memories"),
    "remember": gettext_noop("Remember a fact"),
    "remember_batch": gettext_noop("Remember several facts"),
    "run_workflow": gettext_noop("Run a workflow"),
    "search": gettext_noop("Look up memories and documents"),
    "search_documents": gettext_noop("Look up documents"),
    "search_memory": gettext_noop("Look up memories"),
    "split_memory": gettext_noop("Split a memory"),
    "sync_source": gettext_noop("Sync a source"),
    "text_search": gettext_noop("Search memories for exact words"),
    "tidy_next": gettext_noop("Ask what to tidy up next"),
    "undo": gettext_noop("Undo changes"),
    "update_memory": gettext_noop("Correct a memory"),
    "update_memory_batch": gettext_noop("Correct several memories"),
}
"""By the name of a built-in tool. A custom tool has the name that its owner gave it."""

HARD_DELETE_TITLES: Mapping[str, str] = {
    "forget": gettext_noop("Delete a memory permanently"),
    "forget_document": gettext_noop("Delete a document permanently"),
}
"""By the name of a tool that deletes permanently if it is asked to."""

METHOD_TITLES: Mapping[str, str] = {
    "completion/complete": gettext_noop("Complete what you type"),
    "initialize": gettext_noop("Connect"),
    "prompts/get": gettext_noop("Use a prompt"),
    "prompts/list": gettext_noop("List prompts"),
    "resources/list": gettext_noop("List memories and documents"),
    "resources/read": gettext_noop("Read a memory or document"),
    "resources/subscribe": gettext_noop("Follow changes of a memory or document"),
    "resources/templates/list": gettext_noop("Ask how to read memories and documents"),
    "resources/unsubscribe": gettext_noop("Stop following changes"),
    "server/discover": gettext_noop("Ask what OwnSona can do"),
    "subscriptions/listen": gettext_noop("Follow changes"),
    "tools/list": gettext_noop("List tools"),
    STREAM_OPENED: gettext_noop("Start listening for changes"),
    STREAM_ENDED: gettext_noop("Stop listening for changes"),
}
"""By the method of a call that is not of a tool. Others are shown with their names."""

RESULTS: Mapping[str, str] = {
    "INVALID_INPUT": gettext_noop("wrong input"),
    "invalid_params": gettext_noop("wrong input"),
    "invalid_request": gettext_noop("wrong input"),
    "NOT_FOUND": gettext_noop("not found"),
    "not_found": gettext_noop("not found"),
    "resource_not_found": gettext_noop("not found"),
    "method_not_found": gettext_noop("unknown to OwnSona"),
    "SECRET_REJECTED": gettext_noop("refused: it looked like a secret"),
    "LIMIT_EXCEEDED": gettext_noop("too much at once"),
    "request_too_large": gettext_noop("too much at once"),
    "APPROVAL_TIMED_OUT": gettext_noop("asked for your approval"),
    "APPROVAL_REJECTED": gettext_noop("you rejected it"),
    "insufficient_scope": gettext_noop("refused: the app has no permission for it"),
    "tool_not_allowed": gettext_noop("refused: the app may not use this tool"),
    "budget_exceeded": gettext_noop("refused: the budget is used up"),
    "rate_limited": gettext_noop("refused: too many calls in a minute"),
    "tool_error": gettext_noop("the tool failed"),
    "timeout": gettext_noop("took too long"),
    "cancelled": gettext_noop("cancelled by the app"),
    "client_left": gettext_noop("the app did not wait for the answer"),
    "EMBEDDING_ERROR": gettext_noop("the search model failed"),
    "DATABASE_ERROR": gettext_noop("the database failed"),
    "INTERNAL_ERROR": gettext_noop("OwnSona failed"),
    "internal_error": gettext_noop("OwnSona failed"),
}
"""By the result of a call. Others are shown with their codes."""


def title_of_tool(name: str) -> str:
    """Return what a tool is for, in the words of the pages; the name of a custom tool."""
    return gettext(TOOL_TITLES[name]) if name in TOOL_TITLES else name


def title_of_call(line: AuditLine) -> str:
    """Return what the app asked for, with the question if it was stored."""
    called = line.tool or line.method
    if called == UNKNOWN:
        return gettext("Something that OwnSona does not know")
    if line.hard_delete and line.tool in HARD_DELETE_TITLES:
        return gettext(HARD_DELETE_TITLES[line.tool])
    title = title_of_tool(line.tool) if line.tool else gettext(METHOD_TITLES.get(line.method, line.method))
    return gettext("%(what)s: “%(question)s”") % {"what": title, "question": line.query} if line.query else title


def result_of(line: AuditLine) -> str:
    """Return why the call did not succeed; empty if it did."""
    if line.result == AuditLine.OK:
        return ""
    return gettext(RESULTS[line.result]) if line.result in RESULTS else line.result.replace("_", " ").lower()
