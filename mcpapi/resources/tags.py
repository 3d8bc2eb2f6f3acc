"""The memories of a tag as one document."""

from __future__ import annotations

from mcpapi.calls.caller import Caller
from mcpapi.resources.base import TEXT, Contents, NoSuchMember, Template
from mcpapi.resources.memories import PAGE_SIZE, listing
from memories.errors import MemoriesError
from memories.queries import selectors
from memories.queries.selectors import MemoryFilters


def _read(caller: Caller, value: str) -> Contents:
    try:
        found = selectors.list_memories(caller.view, MemoryFilters(tags=[value]), limit=PAGE_SIZE)
    except MemoriesError:
        found = []
    if not found:
        raise NoSuchMember
    caller.record_memories(memory.pk for memory in found)
    return {"text": listing(found, f"The memories with this tag, at most {PAGE_SIZE}, newest first.")}


def complete_tag(caller: Caller, beginning: str) -> list[str]:
    """Return the tags that begin with `beginning`, then those that contain it; most used first in each part.

    One query.
    """
    sought = beginning.strip().lower()
    tags = [tag for tag, _ in selectors.list_tags(caller.view)]
    # False sorts before True, and sorting keeps the order of equals.
    return sorted((tag for tag in tags if sought in tag), key=lambda tag: not tag.startswith(sought))


TAG = Template(
    prefix="ownsona://tags/",
    variable="tag",
    name="tag",
    title="Memories with a tag",
    description="The memories with this tag, one per line, newest first.",
    mime_type=TEXT,
    read=_read,
    complete=complete_tag,
)
