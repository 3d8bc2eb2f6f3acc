"""The tool `count_memories`."""

from __future__ import annotations

from pydantic import Field

from common.scopes import READ
from mcpapi.calls.caller import Caller
from mcpapi.tools.arguments import Tags
from mcpapi.tools.base import Hints, Result, tool
from mcpapi.tools.reading.list_memories import FilterArgs
from memories.queries import selectors
from memories.queries.selectors import MemoryFilters


class CountMemoriesArgs(FilterArgs):
    """The filters of the count."""

    tags: Tags = Field([], description="Only memories with at least one of these tags.")
    source_provider: str | None = Field(None, description="Only memories from this assistant or app; case is ignored.")


class CountMemoriesResult(Result):
    """The number of memories."""

    count: int


@tool(title="Count memories", scope=READ, hints=Hints(read_only=True, idempotent=True))
def count_memories(caller: Caller, args: CountMemoriesArgs) -> CountMemoriesResult:
    """Count the memories that match the filters; without filters, all active ones."""
    return CountMemoriesResult(
        count=selectors.filtered_memories(caller.view, MemoryFilters(**args.model_dump())).count()
    )
