"""Changes of active memories, as PostgreSQL publishes them: `LISTEN ownsona_memories`.

A trigger on the table sends them, so every kind of write is covered, and nothing is sent for a transaction that is
rolled back. The payload is a JSON object with four members and none of a memory's words:

- `user`, `memory`: ids;
- `before`, `after`: a digest of each tag that the memory had before and has now; null while the memory is not active or
  does not exist.

A memory that expires is not written, so nothing is sent at that moment. See expiry.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

import orjson

from memories.access import View

CHANNEL = "ownsona_memories"
DIGEST_CHARS = 8

TagDigests = frozenset[str]
"""A digest of each tag of something."""


class ChangeKind(StrEnum):
    """The effect of a change on what a view contains."""

    ADDED = "appeared"
    UPDATED = "changed"
    REMOVED = "vanished"


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one memory. `before` and `after` are digests of its tags; None while it is not active."""

    owner_id: int
    memory_id: int
    before: TagDigests | None
    after: TagDigests | None

    @classmethod
    def read(cls, payload: str) -> Self:
        """Parse the payload of a notification."""
        told, before, after = read_payload(payload)
        return cls(told["user"], told["memory"], before, after)

    def kind(self, view: View) -> ChangeKind | None:
        """Return the effect of the change on `view`; None if the memory was and is not visible in it."""
        return kind_of_change(view, self.owner_id, self.before, self.after)


def read_payload(payload: str) -> tuple[Mapping[str, Any], TagDigests | None, TagDigests | None]:
    """Parse the payload of a notification, and return it with the digests before and after the change."""
    told = orjson.loads(payload)
    before, after = (None if told[side] is None else frozenset(told[side]) for side in ("before", "after"))
    return told, before, after


def kind_of_change(view: View, owner_id: int, before: TagDigests | None, after: TagDigests | None) -> ChangeKind | None:
    """Return the effect on `view` of a change of something of this owner; None if it was and is not visible in it.

    `before` and `after` are digests of its tags; None while no view shows it.
    """
    was_shown, is_shown = _is_shown(view, owner_id, before), _is_shown(view, owner_id, after)
    if was_shown and is_shown:
        return ChangeKind.UPDATED
    if is_shown:
        return ChangeKind.ADDED
    return ChangeKind.REMOVED if was_shown else None


def _is_shown(view: View, owner_id: int, tags: TagDigests | None) -> bool:
    if tags is None or view.owner_id != owner_id:
        return False
    return view.is_whole or not tags.isdisjoint(digests(view.only_tags))


def digests(tags: Iterable[str]) -> TagDigests:
    """Return the digests that represent `tags` in a change."""
    return frozenset(map(_digest, tags))


def _digest(tag: str) -> str:
    return hashlib.sha256(tag.encode()).hexdigest()[:DIGEST_CHARS]
