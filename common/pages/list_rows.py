"""Rows of the owner's lists: a text, and one quiet line below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise


@dataclass(frozen=True, slots=True)
class Flag:
    """An exception in the quiet line of a row. `kind` is a class of the stylesheet, or empty.

    `is_place` marks that a memory is in the inbox, which the inbox itself need not say.
    """

    text: str
    kind: str = ""
    is_place: bool = False


def in_a_line(text: str) -> str:
    """Return a text for the quiet line, with a small first letter. German nouns inside it keep their capitals."""
    return text[:1].lower() + text[1:]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a list: its text and its quiet line. The list knows its address.

    The quiet line has what is `said` about it, `at` as a relative time, and the flags. `app` is the name of the app
    whose monogram is in front, `symbol` a symbol of icons.svg in its place. `detail` is a second, longer text.
    """

    text: str
    said: Sequence[str] = ()
    at: datetime | None = None
    flags: Sequence[Flag] = ()
    app: str = ""
    symbol: str = ""
    detail: str = ""
    is_title: bool = False


@dataclass(frozen=True, slots=True)
class ListWords:
    """The words of a list: what it says when empty, above its rows, and on the button that adds one."""

    empty: str | Promise
    empty_hint: str | Promise = ""
    intro: str | Promise = ""
    add: str | Promise = ""
    symbol: str = "memories"
