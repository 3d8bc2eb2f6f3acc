"""What changes among the memories in force, as PostgreSQL tells whoever listens: `LISTEN ownsona_memories`.

A trigger on the table speaks, so no way of writing is left out, and nothing is heard of what is rolled back. The
payload is a JSON object of four members and none of a memory's words:

- `user`, `memory`: ids;
- `before`, `after`: a digest of each tag that the memory had before and has now; null while it is not in force, that is
  forgotten, expired, or not there.

That a memory expires is a matter of time, no change: nothing is sent then. See expiry.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

import orjson

from memories.access import View

CHANNEL = "ownsona_memories"
DIGEST_CHARS = 8


class ChangeKind(StrEnum):
    """What became of a memory, as one view sees it."""

    ADDED = "appeared"
    UPDATED = "changed"
    REMOVED = "vanished"


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one memory. `before` and `after` are digests of its tags; None while it is not in force."""

    owner_id: int
    memory_id: int
    before: frozenset[str] | None
    after: frozenset[str] | None

    @classmethod
    def read(cls, payload: str) -> Self:
        """The change that a notification tells of."""
        told = orjson.loads(payload)
        before, after = (None if told[side] is None else frozenset(told[side]) for side in ("before", "after"))
        return cls(told["user"], told["memory"], before, after)

    def kind(self, view: View) -> ChangeKind | None:
        """What it is to the holder of `view`; None where they see nothing of it."""
        was_shown, is_shown = self._is_among(view, self.before), self._is_among(view, self.after)
        if was_shown and is_shown:
            return ChangeKind.UPDATED
        if is_shown:
            return ChangeKind.ADDED
        return ChangeKind.REMOVED if was_shown else None

    def _is_among(self, view: View, tags: frozenset[str] | None) -> bool:
        if tags is None or view.owner_id != self.owner_id:
            return False
        return view.is_whole or not tags.isdisjoint(digests(view.only_tags))


def digests(tags: Iterable[str]) -> frozenset[str]:
    """What stands for `tags` in a change."""
    return frozenset(map(_digest, tags))


def _digest(tag: str) -> str:
    return hashlib.sha256(tag.encode()).hexdigest()[:DIGEST_CHARS]
