"""Values cached in the process with a time to live."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Generic, TypeVar

from django.db import connection

Value = TypeVar("Value")


class TtlValue(Generic[Value]):
    """A cached value that is looked up on demand, and again once it is older than `seconds`. Thread-safe.

    A value looked up inside a transaction is not cached, because the transaction may be rolled back.
    """

    def __init__(self, look_up: Callable[[], Value], seconds: float) -> None:
        self._look_up = look_up
        self._seconds = seconds
        self._known: tuple[Value, float] | None = None

    def get(self) -> Value:
        """Return the value. Raises the errors of `look_up`."""
        # Read once, because another thread may invalidate it between two reads.
        known = self._known
        if known is not None and time.monotonic() < known[1]:
            return known[0]
        value = self._look_up()
        if not connection.in_atomic_block:
            self._known = value, time.monotonic() + self._seconds
        return value

    def invalidate(self) -> None:
        """Drop the cached value. The next `get` looks it up."""
        self._known = None
