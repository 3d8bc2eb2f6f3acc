"""Tags of documents, whose app is above this one and provides these functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from common.provided import Provided
from memories.access import Actor, View


@dataclass(frozen=True, slots=True)
class TaggedDocuments:
    """Numbers of documents with some tags: those that are not forgotten, and the forgotten ones."""

    active: int = 0
    forgotten: int = 0

    @property
    def all(self) -> int:
        """Their number, forgotten ones included."""
        return self.active + self.forgotten


count_tagged: Provided[[Actor, Sequence[str]], TaggedDocuments] = Provided("the number of documents with tags")
"""Function that counts the documents that an actor may change and that have any of the tags."""

retag: Provided[[Actor, Sequence[str], str | None], TaggedDocuments] = Provided("other tags for documents")
"""Function that replaces tags of these documents by one, or removes them, and returns how many it changed.

It is called in a transaction, after the memories are locked.
"""

tag_counts: Provided[[View], Mapping[str, int]] = Provided("the tags of documents")
"""Function that returns the tags of the documents of a view that are not forgotten, with their numbers."""
