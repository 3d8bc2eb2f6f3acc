"""What a process has looked up in the database and need not look up again for a while."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Generic, TypeVar

from django.db import connection

Value = TypeVar("Value")


class TtlValue(Generic[Value]):
    """A value that is looked up when it is asked for, and again once it is older than `seconds`. Thread-safe.

    What is seen inside a transaction may be rolled back: it is not kept.
    """

    def __init__(self, look_up: Callable[[], Value], seconds: float) -> None:
        self._look_up = look_up
        self._seconds = seconds
        self._known: tuple[Value, float] | None = None

    def get(self) -> Value:
        """The value, or what `look_up` raises."""
        # Another thread may forget it between two looks.
        known = self._known
        if known is not None and time.monotonic() < known[1]:
            return known[0]
        value = self._look_up()
        if not connection.in_atomic_block:
            self._known = value, time.monotonic() + self._seconds
        return value

    def invalidate(self) -> None:
        """Look it up the next time."""
        self._known = None
