"""Functions that a lower package calls and a higher package supplies."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_lock = threading.RLock()
_missing: list[Callable[[], None]] = []


def supply_when_needed(supply: Callable[[], None]) -> None:
    """Have `supply` provide its functions when the first of them is called: loading them takes time and memory."""
    _missing[:] = [supply]


def supply_now() -> None:
    """Supply the functions, unless that has happened."""
    with _lock:
        for supply in _missing:
            supply()
        _missing.clear()


class Provided(Generic[P, R]):
    """A function that `provide` supplies, so that no package imports a higher one."""

    def __init__(self, purpose: str) -> None:
        self._purpose = purpose
        self._function: Callable[P, R] | None = None

    def provide(self, function: Callable[P, R]) -> None:
        """Supply the function. It replaces one supplied before."""
        self._function = function

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function. Raises LookupError if none was supplied."""
        if self._function is None:
            supply_now()
        if self._function is None:
            raise LookupError(f"Nothing provides {self._purpose}.")
        return self._function(*args, **kwargs)
