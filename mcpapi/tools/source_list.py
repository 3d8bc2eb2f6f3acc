"""The sources that a caller may see: the built-in ones and the owner's."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, Field

from documents.drafts import ADDED
from documents.models import Source
from documents.sources.drafts import MEMORY
from documents.sources.selectors import count_documents, describe_state, health_problem, visible_sources
from documents.sources.stored_settings import configuration_problem
from mcpapi.calls.caller import Caller
from mcpapi.tools.shapes import UtcTime
from memories.queries.selectors import MemoryFilters, filtered_memories
from memories.vectors.spaces import embedding_problems

BUILT_IN = "built-in"


class SyncShape(BaseModel):
    """The last sync of a source: times, and numbers of items."""

    started_at: UtcTime
    finished_at: UtcTime | None = Field(description="null while it runs.")
    added: int = Field(0, description="The numbers, problem and skipped_items are those of the last finished sync.")
    changed: int = 0
    removed: int = 0
    skipped: int = 0
    unchanged: int = 0
    problem: str | None = None
    skipped_items: list[str] = Field([], description="Some of the skipped items, each with the reason.")


class SourceShape(BaseModel):
    """A source, as the caller may see it."""

    name: str
    kind: str = Field(description="built-in, folder, git, web or s3.")
    configured: bool
    healthy: bool = Field(description="Whether the settings are valid and the last sync succeeded.")
    notes: str | None = None
    documents: int | None = Field(None, description="The number of documents; not for memory.")
    tags: list[str] | None = Field(None, description="The tags that every document of the source gets.")
    interval_minutes: int | None = Field(None, description="The time between two syncs; 0: only manually.")
    paused: bool | None = None
    last_sync: SyncShape | None = None
    next_sync_at: UtcTime | None = None


def list_all_sources(caller: Caller) -> list[SourceShape]:
    """Return the sources of the caller's view, the built-in ones first. Three queries.

    An app that is limited to tags does not see numbers and names of items, some of which may be out of its view.
    """
    documents = count_documents(caller.view)
    show = _shape_source if caller.view.is_whole else _shape_for_limited_app
    owned = [show(source, documents) for source in visible_sources(caller.view)]
    return [_memory(caller), _added_documents(documents), *owned]


def _memory(caller: Caller) -> SourceShape:
    count = filtered_memories(caller.view, MemoryFilters()).count()
    is_healthy = not embedding_problems()
    notes = f"Active memories: {count}." + ("" if is_healthy else " Keyword search only.")
    return SourceShape(name=MEMORY, kind=BUILT_IN, configured=True, healthy=is_healthy, notes=notes)


def _added_documents(documents: Mapping[str, int]) -> SourceShape:
    count = documents.get(ADDED, 0)
    notes = f"Documents that were added one by one: {count}."
    return SourceShape(name=ADDED, kind=BUILT_IN, configured=True, healthy=True, notes=notes, documents=count)


def _shape_for_limited_app(source: Source, documents: Mapping[str, int]) -> SourceShape:
    return SourceShape(
        name=source.name,
        kind=source.kind,
        configured=not configuration_problem(source),
        healthy=not health_problem(source),
        notes=None,
        documents=documents.get(source.name, 0),
    )


def _shape_source(source: Source, documents: Mapping[str, int]) -> SourceShape:
    return SourceShape(
        name=source.name,
        kind=source.kind,
        configured=not configuration_problem(source),
        healthy=not health_problem(source),
        notes=describe_state(source),
        documents=documents.get(source.name, 0),
        tags=source.tags,
        interval_minutes=source.interval_minutes,
        paused=source.paused_at is not None,
        last_sync=_shape_sync(source),
        next_sync_at=None if source.paused_at else source.next_run_at,
    )


def _shape_sync(source: Source) -> SyncShape | None:
    if source.started_at is None:
        return None
    return SyncShape(
        started_at=source.started_at,
        finished_at=source.finished_at,
        added=source.added,
        changed=source.changed,
        removed=source.removed,
        skipped=source.skipped,
        unchanged=source.unchanged,
        problem=source.problem or None,
        skipped_items=source.notes,
    )
