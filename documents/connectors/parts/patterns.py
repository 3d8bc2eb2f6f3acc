"""Filters of paths by patterns in the format of .gitignore."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pathspec import GitIgnoreSpec

from common.texts import translatable

# pathspec refuses most invalid patterns itself, but not a reversed range such as [z-a].
INVALID = (ValueError, re.error)


class PathFilter:
    """Included and excluded relative paths. An excluded path is left out even if it is included.

    Raises ValueError for an invalid pattern.
    """

    def __init__(self, include: Sequence[str] = (), exclude: Sequence[str] = (), *, hidden: bool = False) -> None:
        self._include = _compiled(include) if include else None
        self._exclude = _compiled(exclude)
        self._hidden = hidden

    def matches(self, path: str) -> bool:
        """Return whether the file at `path`, with `/` between its parts, is to be read."""
        if self.rules_out(path):
            return False
        return self._include is None or self._include.match_file(path)

    def rules_out(self, path: str) -> bool:
        """Return whether `path` is excluded or hidden. With a `/` at the end, it is a folder with all of its files."""
        if not self._hidden and any(part.startswith(".") for part in path.split("/")):
            return True
        return self._exclude.match_file(path)


class IgnoreRules:
    """The ignore files of a folder and of the folders above it (gitignore(5)). Deeper files take precedence."""

    def __init__(self, specs: tuple[tuple[str, GitIgnoreSpec], ...] = ()) -> None:
        self._specs = specs

    def extended(self, folder: str, lines: Iterable[str]) -> IgnoreRules:
        """Return these rules with those of an ignore file in `folder`, whose path is empty or ends with `/`."""
        return IgnoreRules(((folder, _lenient(lines)), *self._specs))

    def ignore(self, path: str) -> bool:
        """Return whether `path` is ignored. The path of a folder ends with `/`."""
        for folder, spec in self._specs:
            decision = spec.check_file(path.removeprefix(folder)).include
            if decision is not None:
                return decision
        return False


def _compiled(patterns: Sequence[str]) -> GitIgnoreSpec:
    try:
        return GitIgnoreSpec.from_lines(patterns)
    except INVALID:
        raise ValueError(translatable("must contain patterns in the format of .gitignore only")) from None


def _lenient(lines: Iterable[str]) -> GitIgnoreSpec:
    """Return the valid patterns among `lines`: git ignores the others, too."""
    valid = []
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except INVALID:
            continue
        valid.append(line)
    return GitIgnoreSpec.from_lines(valid)
