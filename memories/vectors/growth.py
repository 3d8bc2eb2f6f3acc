"""Growth of the stored vectors: whether many are still being added, as during an import."""

from __future__ import annotations

import time
from typing import NamedTuple

from memories.corpus import Corpus

SETTLED_SECONDS = 50.0
"""Time without much growth after which an import is over: a little less than the minute between two calls."""

MUCH = 50
"""Difference of the newest ids that is growth, rather than daily use. Ids are counted for all owners."""


class Key(NamedTuple):
    """The vectors of an owner's items in a space, which one index covers."""

    corpus: Corpus
    owner_id: int
    space_id: int


class Growth:
    """The newest ids at earlier calls of `has_ended`, in the memory of one process. Call it about once a minute."""

    def __init__(self) -> None:
        self._seen: dict[Key, tuple[int, float]] = {}

    def has_ended(self, key: Key, newest_id: int) -> bool:
        """Return whether at most `MUCH` ids were added in the last `SETTLED_SECONDS`; `newest_id` is the newest now."""
        now = time.monotonic()
        seen_id, since = self._seen.get(key, (None, now))
        if seen_id is None or newest_id - seen_id > MUCH:
            self._seen[key] = newest_id, now
            return False
        return now - since >= SETTLED_SECONDS
