"""Front matter: the properties at the beginning of a Markdown file, or of each block of one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

_MAX_CHARS: Final = 64 * 1024
MAX_TAGS: Final = 20
"""Most tags that are taken from the front matter. Some assistants list all words by which a note can be found."""

_BLOCK = re.compile(
    r"^---[ \t]*+\n(?P<properties>(?:[A-Za-z_][\w -]*+:.*\n(?:-?[ \t].*\n)*+)++)---[ \t]*+(?:\n|\Z)", re.MULTILINE
)
_LINE = re.compile(r"^([A-Za-z_][\w -]*+)[ \t]*+:(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a file with its properties, whose names are in lower case. `first_line` counts from 1."""

    text: str
    first_line: int = 1
    properties: dict[str, Any] = field(default_factory=dict)

    def value(self, *names: str) -> str | None:
        """Return the first of the named properties that is a text and not empty."""
        found = (self.properties.get(name) for name in names)
        return next((value.strip() for value in found if isinstance(value, str) and value.strip()), None)

    def tags(self) -> list[str]:
        """Return the tags: a list, or words in a text that are separated by commas or blanks, with or without `#`."""
        found: list[str] = []
        for name in ("tags", "tag", "keywords", "categories"):
            value = self.properties.get(name)
            if isinstance(value, str):
                found += value.strip("[]").split(",") if "," in value else value.strip("[]").split()
            elif isinstance(value, list):
                found += [each for each in value if isinstance(each, str)]
        return [part for tag in found for part in tag.strip(" \"'#").split("/") if part.strip()][:MAX_TAGS]


def sections(text: str) -> Iterator[Section]:
    """Yield the sections of a file: each block of properties begins one. Text before the first one has none."""
    start, first_line, properties = 0, 1, dict[str, Any]()
    for block in _BLOCK.finditer(text):
        if text[start : block.start()].strip() or properties:
            yield Section(text[start : block.start()], first_line, properties)
        first_line += text.count("\n", start, block.end())
        start, properties = block.end(), _parsed(block["properties"])
    yield Section(text[start:], first_line, properties)


def begins_with_properties(text: str) -> bool:
    """Whether a text begins with front matter."""
    return _BLOCK.match(text) is not None


def _parsed(text: str) -> dict[str, Any]:
    """Parse the properties. Lines that are not YAML, such as the patterns of Cursor's rules, are texts."""
    try:
        # BaseLoader makes every scalar a text: no date of a note can be invalid, and nothing is constructed.
        found = yaml.load(text[:_MAX_CHARS], Loader=yaml.BaseLoader)  # noqa: S506 - it creates texts, lists and dicts only
    except (yaml.YAMLError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        found = {line[1].rstrip(): line[2].strip(" \t") for line in _LINE.finditer(text)}
    lowered = {str(key).strip().lower(): value for key, value in found.items()}
    nested = lowered.get("metadata")
    return {str(key).lower(): value for key, value in nested.items()} | lowered if isinstance(nested, dict) else lowered
