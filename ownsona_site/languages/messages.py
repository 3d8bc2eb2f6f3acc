"""Translations of messages that were made in English, with values inside: stored reasons, and errors for apps, too.

See docs/languages.md. A catalogue has their templates with the context MESSAGE, such as "%(path)s cannot be read." A
text is compared with the templates, and the values that it has in their places are put into the translation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

import polib
from django.utils.formats import date_format, number_format
from django.utils.safestring import SafeData
from django.utils.translation import get_language, gettext

from ownsona_site.languages.available import ENGLISH
from ownsona_site.languages.compiled import compiled_path

MESSAGE = "message"
"""The context of templates in catalogues."""

MAX_CHARS = 2_000
"""Longer texts are not messages, and are shown as they are."""

MAX_SENTENCES = 10
MAX_DEPTH = 4
"""Number of messages that can be inside of each other."""

MIN_LITERAL_CHARS = 4
"""Shorter templates, such as "It %(problem)s", also match what an app has written. A value must be a message, too."""

_PLACEHOLDER = re.compile(r"%\((\w+)\)s")
_LABEL = re.compile(r"(?P<label>[\w.\[\]-]+(?:, [\w.\[\]-]+)*): (?P<rest>.+)", re.DOTALL)
"""A message after the name of the argument or setting that it is about."""

_ABOUT_ARGUMENT = re.compile(r"(?:%\((?:number|isoformat|most_pinned|max_open_plans)\)s )?[a-z].*\.", re.DOTALL)
"""An error after the name of its argument, such as "must not be empty."
"""

_SENTENCE = re.compile(r"[A-Z][^{}<>]*%\(\w+\)s[^{}<>]*\.", re.DOTALL)
"""An error of the domain with a value, such as "There is no memory with id 7." Those without one are texts of pages."""

_WITH_ARTICLE = re.compile(r"an? .+")
"""A value that is a term of the catalogues, such as "a PIN"; names and texts of owners are none."""

_BETWEEN_SENTENCES = re.compile(r"(?<=[.?!]) (?=[A-Z“])")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_NUMBER = re.compile(r"(\d{1,3}(?:,\d{3})+)( \w+)?")
"""A number with thousands separators, which may have a unit."""


@dataclass(frozen=True, slots=True)
class _Template:
    """A message with values, as a pattern. `literal` is its longest part without a value, `translation` has places."""

    literal: str
    pattern: re.Pattern[str]
    translation: str


def shown_message(text: object) -> str:
    """Return a label, or a message that was written in English, in the language of the page.

    What is in this language already stays as it is.
    """
    english = str(text or "")
    if not english or isinstance(english, SafeData):
        return english
    shown = gettext(english)
    return shown if shown != english else translated_message(english, get_language() or ENGLISH)


def translated_message(text: str, language: str) -> str:
    """Return a message in `language`. What no catalogue has is returned as it is."""
    if language == ENGLISH or not text or len(text) > MAX_CHARS:
        return text
    return _Messages.of(language).translated(text) or text


class _Messages:
    """The messages of one catalogue."""

    def __init__(self, entries: list[tuple[str, str]]) -> None:
        self._whole = {text: translation for text, translation in entries if not _PLACEHOLDER.search(text)}
        templates = [_template(text, translation) for text, translation in entries if _PLACEHOLDER.search(text)]
        # The most specific first: "X is not valid JSON" is also "X is Y".
        self._templates = sorted(templates, key=lambda template: -len(template.pattern.pattern))

    @staticmethod
    @lru_cache(maxsize=8)
    def of(language: str) -> _Messages:
        """Return the messages of a language; none for one without a catalogue."""
        path = compiled_path(language)
        entries = polib.mofile(str(path)) if path.exists() else []
        return _Messages([(entry.msgid, entry.msgstr) for entry in entries if _is_message(entry)])

    def translated(self, text: str, depth: int = 0) -> str | None:
        """Return the translation of a text, or None."""
        ways: tuple[Callable[[str, int], str | None], ...] = (self._one, self._after_label, self._sentences)
        return next((found for way in ways if (found := way(text, depth)) is not None), None)

    def _one(self, text: str, depth: int) -> str | None:
        """Translate one message. Its first letter may have been made a capital one, its full stop added or removed."""
        variants = list(_variants(text))
        whole = (finish(self._whole[shown]) for shown, finish in variants if shown in self._whole)
        filled = (finish(found) for shown, finish in variants if (found := self._filled(shown, depth)) is not None)
        return next(whole, None) or next(filled, None)

    def _filled(self, text: str, depth: int) -> str | None:
        """Translate a message with values."""
        for template in self._templates:
            if template.literal in text and (match := template.pattern.fullmatch(text)):
                given = match.groupdict()
                values = {name: self._value(value, depth + 1) for name, value in given.items()}
                if len(template.literal.strip()) >= MIN_LITERAL_CHARS or values != given:
                    return template.translation % values
        return None

    def _value(self, value: str, depth: int) -> str:
        if number := _NUMBER.fullmatch(value):
            return number_format(int(number[1].replace(",", "")), force_grouping=True) + (number[2] or "")
        if _DAY.fullmatch(value) and (day := _day(value)):
            return str(date_format(day))
        if _WITH_ARTICLE.fullmatch(value) and (term := gettext(value)) != value:
            return term
        return (self.translated(value, depth) if depth < MAX_DEPTH else None) or value

    def _after_label(self, text: str, depth: int) -> str | None:
        match = _LABEL.fullmatch(text)
        rest = self.translated(match["rest"], depth + 1) if match and depth < MAX_DEPTH else None
        return f"{match['label']}: {rest}" if match and rest else None

    def _sentences(self, text: str, depth: int) -> str | None:
        """Translate messages that were put after each other. At least one of them must be known."""
        parts = _BETWEEN_SENTENCES.split(text)
        if not 1 < len(parts) <= MAX_SENTENCES:
            return None
        for count in range(len(parts) - 1, 0, -1):
            if (first := self._one(" ".join(parts[:count]), depth)) is not None:
                rest = " ".join(parts[count:])
                return f"{first} {self.translated(rest, depth) or rest}"
        found = self.translated(" ".join(parts[1:]), depth)
        return f"{parts[0]} {found}" if found else None


def _is_message(entry: polib.MOEntry) -> bool:
    """Return whether a text is a message, or an error that may be one.

    Errors are translated when a page raises them, but are English if a job or an app's call does.
    """
    if entry.msgctxt or entry.msgid_plural:
        return bool(entry.msgctxt == MESSAGE)
    return bool(_ABOUT_ARGUMENT.fullmatch(entry.msgid) or _SENTENCE.fullmatch(entry.msgid))


def _day(value: str) -> date | None:
    """Return the day in ISO form; None for one that no calendar has, such as 2026-02-30."""
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


def _template(text: str, translation: str) -> _Template:
    pieces = _PLACEHOLDER.split(text.replace("%%", "%"))
    names: set[str] = set()
    pattern = ""
    for number, piece in enumerate(pieces):
        if number % 2:
            pattern += f"(?P={piece})" if piece in names else f"(?P<{piece}>.+?)"
            names.add(piece)
        else:
            pattern += re.escape(piece)
    return _Template(max(pieces[::2], key=len), re.compile(pattern, re.DOTALL), translation)


def _variants(text: str) -> Iterator[tuple[str, Callable[[str], str]]]:
    """Yield the forms that a message may have had before a page put it into a sentence, each with the way back."""
    yield text, str
    if text.endswith("."):
        yield text[:-1], lambda translation: f"{translation}."
    if text[:1].isupper():
        start = f"{text[0].lower()}{text[1:]}"
        yield start, _capitalized
        if text.endswith("."):
            yield start[:-1], lambda translation: f"{_capitalized(translation)}."


def _capitalized(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
