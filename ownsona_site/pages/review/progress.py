"""The progress of the owner's review today, and the cards that were put off. Kept in the session of the browser."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from django.http import HttpRequest
from django.utils import timezone

_KEY = "review"
_CARD = re.compile("[mpf][0-9]{1,18}|a[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""The key of a card. A form may have sent another one."""

MOST_PUT_OFF = 200
MOST_DECIDED = 200
"""Number of decided cards that are kept. Earlier ones are only counted."""


class Progress:
    """The cards that were decided today, and those that were put off for today, by their keys."""

    def __init__(self, request: HttpRequest) -> None:
        self._session = request.session
        stored: dict[str, Any] = self._session.get(_KEY) or {}
        is_of_today = stored.get("day") == timezone.localdate().isoformat()
        self._earlier: int = stored.get("done", 0) if is_of_today else 0
        self._decided: list[str] = list(stored.get("decided", ())) if is_of_today else []
        self.later: list[str] = list(stored.get("later", ())) if is_of_today else []

    def count(self, key: str) -> None:
        """Count the decision about a card."""
        decided = [*(each for each in self._decided if each != key), key]
        self._earlier += len(decided[:-MOST_DECIDED])
        self._decided = decided[-MOST_DECIDED:]
        self._store()

    def done(self, waiting: Collection[str]) -> int:
        """Return the number of cards that were decided and do not wait again, as after an undo."""
        return self._earlier + sum(key not in waiting for key in self._decided)

    def put_off(self, key: str) -> None:
        """Leave a card for tomorrow."""
        self.later = [*(each for each in self.later if each != key), key][-MOST_PUT_OFF:]
        self._store()

    def take_back(self, key: str) -> None:
        """Show a card that was put off."""
        self.later = [each for each in self.later if each != key]
        self._store()

    def put_off_ids(self, kind: str) -> list[str]:
        """Return the ids of the cards of a kind that were put off. The kind is the first letter of a key."""
        return [key[1:] for key in self.later if key[:1] == kind and _CARD.fullmatch(key)]

    def show_all(self) -> None:
        """Show what was put off."""
        self.later = []
        self._store()

    def without_later(self, keys: Sequence[str]) -> list[str]:
        """Return the keys that were not put off."""
        return [key for key in keys if key not in self.later]

    def _store(self) -> None:
        self._session[_KEY] = {
            "day": timezone.localdate().isoformat(),
            "done": self._earlier,
            "decided": self._decided,
            "later": self.later,
        }
