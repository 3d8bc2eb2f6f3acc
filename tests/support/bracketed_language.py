"""A made-up language in which each translated text is in brackets, and what a page shows without brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path

import polib
from django.conf import settings
from django.test import override_settings
from django.utils.translation import trans_real

LANGUAGE = "qb"
OPEN, CLOSE = "⟦", "⟧"
SPOKEN = ("aria-label", "placeholder", "title", "alt")
SILENT = {"script", "style", "svg", "code", "pre", "kbd"}
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
WORD = re.compile(r"[^\W\d_]{2,}")


@contextmanager
def bracketed_language(folder: Path) -> Iterator[None]:
    """Make the language available, in `folder`, with the texts of the German catalogue."""
    catalogue = polib.pofile(str(settings.CATALOGUES / "de.po"))
    for entry in catalogue:
        entry.msgstr = "" if entry.msgid_plural else f"{OPEN}{entry.msgid}{CLOSE}"
        if entry.msgid_plural:
            entry.msgstr_plural = {0: f"{OPEN}{entry.msgid}{CLOSE}", 1: f"{OPEN}{entry.msgid_plural}{CLOSE}"}
    target = folder / LANGUAGE / "LC_MESSAGES"
    target.mkdir(parents=True)
    catalogue.save_as_mofile(str(target / "django.mo"))
    languages = [*settings.LANGUAGES, (LANGUAGE, "Bracketed")]
    with override_settings(LANGUAGES=languages, LOCALE_PATHS=[folder]):
        trans_real._translations = {}  # type: ignore[attr-defined]  # loaded without this language
        try:
            yield
        finally:
            trans_real._translations = {}  # type: ignore[attr-defined]


class _Unmarked(HTMLParser):
    """Collects texts outside brackets. A text may have elements inside its brackets."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._silent: list[str] = []
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in SILENT:
            self._silent.append(tag)
        for name, value in attrs:
            if value and name in SPOKEN and not self._silent and tag != "time":
                self._add(_outside(value, 0)[0])

    def handle_endtag(self, tag: str) -> None:
        if self._silent and tag == self._silent[-1]:
            self._silent.pop()

    def handle_data(self, data: str) -> None:
        text, self._depth = _outside(data, self._depth)
        if not self._silent:
            self._add(text)

    def _add(self, text: str) -> None:
        if WORD.search(text):
            self.found.append(" ".join(text.split()))


def _outside(text: str, depth: int) -> tuple[str, int]:
    """Return the parts of `text` outside brackets, and how many are open at its end."""
    kept = []
    for character in text:
        if character == OPEN:
            depth += 1
        elif character == CLOSE:
            depth -= 1
        elif depth == 0:
            kept.append(character)
    return "".join(kept), depth


def unmarked_texts(page: str) -> list[str]:
    """Return the texts of a page that are in no brackets."""
    parser = _Unmarked()
    parser.feed(page)
    return parser.found
