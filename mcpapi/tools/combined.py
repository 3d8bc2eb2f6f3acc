"""Searches in memories and documents together, and the ids of both."""

from __future__ import annotations

import heapq
import itertools
import uuid
from collections.abc import Iterable
from dataclasses import dataclass

from documents.search import FoundPassage, SearchOutcome, search_documents
from documents.selectors import has_documents
from mcpapi.calls.caller import Caller
from mcpapi.tools.arguments import parse_memory_id
from mcpapi.tools.recall_support import NO_SCORES, NOTHING_KNOWN, ONLY_KEYWORDS, run_recall
from memories.errors import InvalidInput
from memories.recall.matches import Match
from memories.recall.pipeline import Mode, Query, RecallOutcome, checked_recall_limit

MEMORY_SOURCE = "memory"
"""The source of memories, in the terms of documents."""

NO_RECALL = RecallOutcome([])
NO_SEARCH = SearchOutcome((), 0.0, only_keywords=False)


@dataclass(frozen=True, slots=True)
class CombinedOutcome:
    """Memories and passages of documents, most relevant first, and why the search is incomplete or empty, if it is."""

    items: list[Match | FoundPassage]
    notice: str = ""


def run_combined(caller: Caller, query: Query, source: str | None = None) -> CombinedOutcome:
    """Search the memories and documents that the caller may see, and record the recall and the documents.

    Each of the two keeps its own order; the one with the higher relevance comes first. A document is found once, by its
    best passage, since its id is what `fetch` and `get` take. `source`: only that one. Raises the errors of `recall`.
    """
    recalled = run_recall(caller, query) if source in {None, MEMORY_SOURCE} else NO_RECALL
    # Most owners have no documents: one query instead of four.
    is_searched = source != MEMORY_SOURCE and has_documents(caller.view)
    searched = search_documents(caller.view, query, source, per_document=1) if is_searched else NO_SEARCH
    found: list[Iterable[Match | FoundPassage]] = [recalled.matches, searched.passages]
    merged = heapq.merge(*found, key=lambda item: -item.relevance)
    items = list(itertools.islice(merged, checked_recall_limit(query.limit)))
    caller.record_documents(item.chunk.document_id for item in items if isinstance(item, FoundPassage))
    if recalled.only_keywords or searched.only_keywords:
        return CombinedOutcome(items, NO_SCORES if query.mode is Mode.KEYWORD else ONLY_KEYWORDS)
    return CombinedOutcome(items, "" if items else NOTHING_KNOWN)


def parse_item_id(text: str) -> int | uuid.UUID:
    """Return the id of a memory, a number, or of a document, a UUID. Raises InvalidInput for any other text."""
    memory_id = parse_memory_id(text)
    if memory_id is not None:
        return memory_id
    try:
        return uuid.UUID(text)
    except ValueError:
        raise InvalidInput("must be an id returned by search, such as 12.", argument="id") from None
