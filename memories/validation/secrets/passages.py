"""Texts with the places of the words in them."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cache

from memories.validation.secrets.folding import fold
from memories.validation.secrets.languages.all_languages import words

REACH_CHARS = 140
"""Number of characters that are read before and after a place in a sentence: a bound on the cost of long texts."""

_BLANKS, _BREAKS = re.compile(r"[^\S\n]+"), re.compile(r"(?: ?\n)+ ?")
_ABBREVIATION = r"(?<!nr)(?<!\bno)(?<!\bn)(?<!\btel)"
_BEGINNING = re.compile(rf"(?:[!;?]|{_ABBREVIATION}\.)(?=\s)|\n")
_END = re.compile(rf"[;\n]|[!?](?=\s|$)|{_ABBREVIATION}\.(?=\s|$)")

_BLANK_RUN = re.compile(r"\s+")
_words = cache(words)


@dataclass(frozen=True, slots=True)
class Passage:
    """A text, its folded form of equal length, and where words of each field of `Vocabulary` begin."""

    text: str
    folded: str
    _starts: dict[str, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> Passage:
        """Return the passage for a text, with runs of blanks and of line breaks reduced to one."""
        reduced = _BREAKS.sub("\n", _BLANKS.sub(" ", text))
        return cls(reduced, fold(reduced))

    def has(self, field_name: str, start: int, end: int) -> bool:
        """Return whether a word of a field begins between two positions."""
        if field_name not in self._starts:
            self._starts[field_name] = [found.start() for found in _words(field_name).finditer(self.folded)]
        starts = self._starts[field_name]
        place = bisect_left(starts, start)
        return place < len(starts) and starts[place] < end

    def sentence(self, start: int, end: int) -> tuple[int, int]:
        """Return where the sentence around `start` to `end` begins and ends, up to a limit."""
        first = max(0, start - REACH_CHARS)
        for found in _BEGINNING.finditer(self.folded, first, start):
            first = found.end()
        last = _END.search(self.folded, end, end + REACH_CHARS)
        return first, last.start() if last else min(len(self.folded), end + REACH_CHARS)

    def is_one_sentence(self, start: int, end: int) -> bool:
        """Return whether no sentence ends between two positions."""
        return not _END.search(self.folded, start, end)


def positions_in(text: str) -> list[int]:
    """Return the position in `text` of each character of its passage, and at last the length of `text`."""
    positions: list[int] = []
    start = 0
    for blank in _BLANK_RUN.finditer(text):
        positions += range(start, blank.start() + 1)
        start = blank.end()
    return [*positions, *range(start, len(text) + 1)]


def end_of_sentence(folded: str, position: int) -> int:
    """Return where the sentence after a position of a folded text ends, up to a limit."""
    found = _END.search(folded, position, position + REACH_CHARS)
    return found.start() if found else min(len(folded), position + REACH_CHARS)
