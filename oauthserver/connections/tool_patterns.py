"""Which tools a person lets an app call: names, or patterns of names such as `*_memory`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from django.core.exceptions import ValidationError

from oauthserver.connections.choices import tool_names

MAX_PATTERNS = 50
_PATTERN = re.compile(r"[a-z0-9_.*?]{1,64}")


def matches_any(tool: str, patterns: Sequence[str]) -> bool:
    """Whether one of `patterns` fits the name of a tool: `*` stands for any characters, `?` for one."""
    return any(fnmatchcase(tool, pattern) for pattern in patterns)


def read_patterns(typed: str) -> list[str]:
    """The patterns in `typed`, with commas or blanks between. Raises ValidationError for one that fits no tool."""
    patterns = list(dict.fromkeys(typed.replace(",", " ").split()))
    if len(patterns) > MAX_PATTERNS:
        raise ValidationError(f"{len(patterns)} patterns; at most {MAX_PATTERNS} are allowed.")
    names = tool_names()
    for pattern in patterns:
        if not _PATTERN.fullmatch(pattern) or not any(matches_any(name, [pattern]) for name in names):
            raise ValidationError(f"“{pattern[:64]}” fits no tool. There are: {', '.join(names)}.")
    return patterns
