"""The progress of the owner's review today, and the cards that were put off. Kept in the session of the browser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest
from django.utils import timezone

_KEY = "review"
MOST_PUT_OFF = 200


class Progress:
    """The number of decisions made today, and the keys of the cards that were put off until tomorrow."""

    def __init__(self, request: HttpRequest) -> None:
        self._session = request.session
        stored: dict[str, Any] = self._session.get(_KEY) or {}
        is_of_today = stored.get("day") == timezone.localdate().isoformat()
        self.done: int = stored.get("done", 0) if is_of_today else 0
        self.later: list[str] = list(stored.get("later", ())) if is_of_today else []

    def count(self) -> None:
        """Count a decision."""
        self.done += 1
        self._store()

    def put_off(self, key: str) -> None:
        """Leave a card for tomorrow."""
        self.later = [*(each for each in self.later if each != key), key][-MOST_PUT_OFF:]
        self._store()

    def show_all(self) -> None:
        """Show what was put off."""
        self.later = []
        self._store()

    def without_later(self, keys: Sequence[str]) -> list[str]:
        """Return the keys that were not put off."""
        return [key for key in keys if key not in self.later]

    def _store(self) -> None:
        self._session[_KEY] = {"day": timezone.localdate().isoformat(), "done": self.done, "later": self.later}
