"""Tags with the numbers of memories and documents that have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memories.access import View
from memories.queries.selectors import list_tags
from memories.writing.tagged_documents import tag_counts


@dataclass(frozen=True, slots=True)
class TagUse:
    """A tag, and the numbers of memories and documents with it that are not forgotten."""

    tag: str
    memories: int
    documents: int


def tag_uses(view: View) -> Sequence[TagUse]:
    """Return the tags of the view, most used first, then by code point. Two queries."""
    memories, documents = dict(list_tags(view)), tag_counts(view)
    uses = [TagUse(tag, memories.get(tag, 0), documents.get(tag, 0)) for tag in {*memories, *documents}]
    return sorted(uses, key=lambda use: (-use.memories - use.documents, use.tag))
