"""Regular expressions that are compiled when they are first used.

Large ones, such as those of the time phrases of five languages, would take a quarter of the time in which a command
starts, and few commands use them.
"""

from __future__ import annotations

import re
from typing import Any, cast

_unused: set[LazyPattern] = set()


class LazyPattern:
    """A stand-in for a pattern that compiles it at the first access to an attribute, such as the method `search`."""

    def __init__(self, expression: str, flags: int) -> None:
        self._expression = expression
        self._flags = flags
        _unused.add(self)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the pattern, and keep all that patterns have, so that this is called only once."""
        pattern = re.compile(self._expression, self._flags)
        self.__dict__.update({each: getattr(pattern, each) for each in _ATTRIBUTES})
        _unused.discard(self)
        return getattr(pattern, name)


_ATTRIBUTES = [name for name in dir(re.Pattern) if not name.startswith("_")]


def lazy_pattern(expression: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when it is first used. It cannot be passed to functions of `re`."""
    return cast(re.Pattern[str], LazyPattern(expression, flags))


def compile_patterns() -> None:
    """Compile all patterns that are still unused: before a process forks, or before it has to be quick."""
    for pattern in list(_unused):
        _ = cast(re.Pattern[str], pattern).pattern
