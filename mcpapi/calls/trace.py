"""What a call leaves behind for the records of activity and of recalls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from memories.recall.pipeline import Query, Recalled


@dataclass(slots=True)
class Trace:
    """Filled while a call is answered.

    `memory_ids` are those that were shown or changed, `query` what was searched for, `failure` the code of a tool that
    failed; `is_dry_run`: it only asked what would happen. `recall` is the question to the memories and what came of it.
    """

    memory_ids: list[int] = field(default_factory=list)
    query: str = ""
    failure: str = ""
    is_dry_run: bool = False
    recall: tuple[Query, Recalled] | None = None

    def touch(self, memory_ids: Iterable[int], query: str) -> None:
        """Add memories, and what they were found by."""
        self.memory_ids.extend(memory_ids)
        self.query = query
