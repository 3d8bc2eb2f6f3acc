"""Time phrases in texts: "in May 2023", "letzte Woche", "il y a trois jours", "next Tuesday", "hasta el viernes"."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime

from memories.times.patterns import Language, languages_of
from memories.times.periods import Direction, Period
from memories.times.readings import Reading, read_weekday
from memories.times.vocabulary import Vocabulary

# "Option 2 may be better", "we march 3 miles": without a capital these are months only in an unambiguous date.
_VERB_OR_MONTH = re.compile(
    r"(?P<date>\b(?i:in|on|of|by|since|until|during) (?:the )?(?:\d?\d )?|\d(?:st|nd|rd|th) )?\b(?:may|march|mar)\b"
    r"(?!(?: \d?\d)?,?(?: of)? (?:19|20)\d\d\b| \d?\d(?:st|nd|rd|th)\b)"
)
MAX_PHRASES = 16
"""Number of time phrases of a text that are read: the most certain."""

# "Morgen" with a capital is the noun, unless a time of day follows or it begins a text; "la mañana" is the morning.
_MORNING = re.compile(
    r"\bMorgen\b(?!(?<=^Morgen) (?!ist|war)[a-zäöü])"
    r"(?! (?:um|früh|Abend|abend|Vormittag|vormittag|Nachmittag|nachmittag|Mittag|mittag)\b)"
    r"|\b(?i:guten|jeden|jeder|am|gestern|heute) morgen\b|\b(?i:la|esta|una|cada|buena) mañana\b"
)
LEAD_CHARS = 40
"""Number of characters before a date in which the words that belong to it begin."""


def period_in(
    text: str, now: datetime, direction: Direction = Direction.PAST, *, is_report: bool = False
) -> Period | None:
    """Return the period that a known phrase in `text` means at the time `now`; None without such a phrase.

    Days begin at midnight in the time zone of `now`. Of several phrases the most certain counts, in the order of
    `_patterns`: a date before "yesterday". "3 to 5 May" is the days from the first to the last. In the past, a date
    without a year is the latest one that has begun, and a weekday alone means nothing unless the text is a report;
    otherwise both are to come. After "since" the period lasts until `now`.
    """
    folded = fold(text)
    for language, kinds in languages_of(folded):
        for pattern in language.patterns:
            if pattern.kind not in kinds:
                continue
            found = pattern.expression.search(folded)
            if found and direction is Direction.PAST and not is_report and _is_bare_weekday(pattern.reading, found):
                continue
            period = pattern.reading(language.words, found, now, direction) if found else None
            if found and period is not None:
                return Period(period.start, max(period.end, now)) if found["since"] else period
    return None


def _is_bare_weekday(reading: Reading, found: re.Match[str]) -> bool:
    return reading is read_weekday and not (found["since"] or found.groupdict().get("which"))


@dataclass(frozen=True, slots=True)
class Phrase:
    """A time phrase in a folded text, in the words of a language."""

    words: Vocabulary
    found: re.Match[str]
    reading: Reading

    def period(self, now: datetime, direction: Direction) -> Period | None:
        """Return the period that is meant, if any."""
        return self.reading(self.words, self.found, now, direction)


def text_before(found: re.Match[str]) -> str:
    """Return the text just before a date, with the words that its pattern needs before it."""
    start = found.start()
    return found.string[max(0, start - LEAD_CHARS) : start] + (found.groupdict().get("lead") or "")


def phrases_in(folded: str, *, with_seasons: bool = False) -> tuple[list[Phrase], list[Vocabulary]]:
    """Return the time phrases of a folded text in their order, and its likely languages.

    These are the languages of which it has most: some share names of months. The phrases are those of the first. Only
    in questions, seasons are times: "in summer we swim in the lake" is about every year.
    """
    by_score: dict[int, list[tuple[list[Phrase], Vocabulary]]] = {}
    for language, kinds in languages_of(folded):
        if phrases := _phrases_of(language, kinds if with_seasons else kinds - {"season"}, folded):
            score = sum(_score(language, phrase.found) for phrase in phrases)
            by_score.setdefault(score, []).append((phrases, language.words))
    if not by_score:
        return [], []
    best = by_score[max(by_score)]
    return best[0][0], [words for _, words in best]


def _score(language: Language, found: re.Match[str]) -> int:
    """Return the number of characters of a phrase and of the cues before it."""
    start, end = found.span()
    lead = language.lead.search(found.string, max(0, start - LEAD_CHARS), start)
    return end - start + (start - lead.start() if lead else 0)


def _phrases_of(language: Language, kinds: set[str], folded: str) -> list[Phrase]:
    """Return the phrases in one language, which do not overlap, in their order."""
    phrases: list[Phrase] = []
    taken: list[tuple[int, int]] = []
    for pattern in language.patterns:
        if pattern.kind not in kinds:
            continue
        for found in pattern.expression.finditer(folded):
            if len(phrases) == MAX_PHRASES:
                break
            start, end = found.span()
            if all(end <= left or start >= right for left, right in taken):
                taken.append((start, end))
                phrases.append(Phrase(language.words, found, pattern.reading))
    return sorted(phrases, key=lambda phrase: phrase.found.start())


def fold(text: str) -> str:
    """Return `text` in lower case and without accents, and without words that look like months or days."""
    if "may" in text or "mar" in text:
        text = _VERB_OR_MONTH.sub(lambda found: found[0] if found["date"] else "", text)
    if "orgen" in text or "añana" in text:
        text = _MORNING.sub("", text)
    if text.isascii():
        return text.lower()
    return "".join(
        letter for letter in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(letter)
    )
