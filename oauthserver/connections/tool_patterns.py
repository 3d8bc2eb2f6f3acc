"""Patterns of the tools that an app may call: names, or wildcards such as `*_memory`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from oauthserver.connections.provided_choices import tool_names

MAX_PATTERNS = 50
_PATTERN = re.compile(r"[a-z0-9_.*?]{1,64}")


def matches_any(tool: str, patterns: Sequence[str]) -> bool:
    """Return whether one of `patterns` matches the tool's name: `*` matches any characters, `?` matches one."""
    return any(fnmatchcase(tool, pattern) for pattern in patterns)


def read_patterns(user_id: int, typed: str) -> list[str]:
    """Parse the patterns in `typed`, separated by commas or blanks, without duplicates.

    Raises ValidationError when there are too many patterns or when one matches no tool of the user.
    """
    patterns = list(dict.fromkeys(typed.replace(",", " ").split()))
    if len(patterns) > MAX_PATTERNS:
        raise ValidationError(
            gettext("%(number)s patterns; at most %(most)s are allowed.")
            % {"number": len(patterns), "most": MAX_PATTERNS}
        )
    names = tool_names(user_id)
    for pattern in patterns:
        if not _PATTERN.fullmatch(pattern) or not any(matches_any(name, [pattern]) for name in names):
            raise ValidationError(
                gettext("“%(pattern)s” matches no tool. The tools are: %(names)s.")
                % {"pattern": pattern[:64], "names": ", ".join(names)}
            )
    return patterns
