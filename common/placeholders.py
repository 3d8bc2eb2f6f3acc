"""Placeholders in texts: `{name}`, `{name:argument}` and `{name:"words"}`. Values are not searched for placeholders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

MAX_LITERAL_CHARS = 500

_TOKEN = re.compile(
    r"\{\{(?P<escaped>[^{}\n]*)\}\}"
    r"|\{(?P<name>[a-z][a-z0-9_]*(?:\.[A-Za-z0-9_-]+)*)"
    rf'(?::[ \t]*(?:"(?P<literal>[^"{{}}\n]{{1,{MAX_LITERAL_CHARS}}})"|(?P<argument>[a-z][a-z0-9_]*))[ \t]*)?\}}'
)


@dataclass(frozen=True, slots=True)
class Placeholder:
    """One placeholder: its name, which may have parts separated by dots, and what follows the colon, if anything.

    `argument` is a name, `literal` a text that was written in quotes. At most one of them is set.
    """

    name: str
    argument: str | None = None
    literal: str | None = None

    def __str__(self) -> str:
        words = f'"{self.literal}"' if self.literal is not None else self.argument
        return f"{{{self.name}}}" if words is None else f"{{{self.name}:{words}}}"


def placeholders_in(text: str) -> Iterator[Placeholder]:
    """Yield the placeholders of `text` in their order. `{{name}}` is none: it stands for `{name}`."""
    for found in _TOKEN.finditer(text):
        if found["escaped"] is None:
            yield _placeholder(found)


def fill_placeholders(text: str, value_of: Callable[[Placeholder], str]) -> str:
    """Return `text` with each placeholder replaced by its value, and `{{name}}` by `{name}`."""

    def replacement(found: re.Match[str]) -> str:
        escaped: str | None = found["escaped"]
        return value_of(_placeholder(found)) if escaped is None else f"{{{escaped}}}"

    return _TOKEN.sub(replacement, text)


def only_placeholder(text: str) -> Placeholder | None:
    """Return the placeholder that `text` consists of; None if there is anything else."""
    found = _TOKEN.fullmatch(text)
    return None if found is None or found["escaped"] is not None else _placeholder(found)


def unread_placeholder(text: str, names: str) -> str | None:
    """Return the beginning of a placeholder with one of `names` (alternatives of a regular expression) and a colon
    that cannot be read; None if there is none."""
    rest = _TOKEN.sub(" ", text)
    found = re.search(rf"\{{(?:{names})[ \t]*:[^\n]{{0,40}}", rest)
    return None if found is None else found[0]


def _placeholder(found: re.Match[str]) -> Placeholder:
    return Placeholder(found["name"], found["argument"], found["literal"])
