"""The tool `list_tags`."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel, Field

from common.scopes import READ
from mcpapi.calls.caller import Caller
from mcpapi.tools.arguments import Flag, Integer
from mcpapi.tools.base import Args, Hints, Result, tool
from memories.queries import selectors


class ListTagsArgs(Args):
    """The options of the tag list."""

    include_deleted: Flag = Field(False, description="Include forgotten memories.")
    limit: Integer | None = Field(None, ge=1, le=1_000_000, description="Maximum number of tags; by default all.")


class TagCount(BaseModel):
    """A tag and the number of memories with it."""

    tag: str
    count: int


class ListTagsResult(Result):
    """The tags, most used first."""

    tags: list[TagCount]


def shape_tags(counts: Iterable[tuple[str, int]]) -> list[TagCount]:
    """Return counts of tags in the shape of a result."""
    return [TagCount(tag=tag, count=count) for tag, count in counts]


@tool(title="List tags", scope=READ, hints=Hints(read_only=True, idempotent=True))
def list_tags(caller: Caller, args: ListTagsArgs) -> ListTagsResult:
    """List the tags in use with the number of memories for each, most used first. Use it to pick existing tags before
    inventing new ones."""
    found = selectors.list_tags(caller.view, include_deleted=args.include_deleted, limit=args.limit)
    return ListTagsResult(tags=shape_tags(found))
