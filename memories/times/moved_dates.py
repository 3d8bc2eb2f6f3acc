"""Dates to which something was moved, and days on which somebody reaches an age, in the form that the patterns read.

"Moved from Thursday to Friday 4 December" names one day, and "wurde … verschoben" reports nothing of the past: the text
is changed to "… will be on Friday 4 December". All texts are folded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from common.lazy_pattern import lazy_pattern
from memories.times.english import ENGLISH
from memories.times.french import FRENCH
from memories.times.german import GERMAN
from memories.times.italian import ITALIAN
from memories.times.spanish import SPANISH
from memories.times.vocabulary import Vocabulary

DAY_OF_MONTH = "dayofmonth"
"""The word before a day without a month in a changed text."""

_ANY_CHARS = r"[^;!?\n]"
# "The 3rd floor" is not a day: what follows a day without a month ends the clause.
_AFTER_DAY = (
    r"(?=\s*(?:$|[,;!?)]|\.(?:\s|$)|(?:at|around|because|instead|so|and|but|um|weil|statt|und|a las|alle|ore|y|et|e|a"
    r"|vers|verschoben|verlegt|vorverlegt|vorgezogen|umgebucht|verschieben|verlegen)\b)(?!\s*\.\d))"
)


@dataclass(frozen=True, slots=True)
class _Moving:
    """The words of a language for moving something to another day.

    - `verb`: what comes before the dates. `verb_after`: what may come after them instead.
    - `away`, `to`: words before the old date, and before the new one. `article`: what may follow the latter.
    - `mark`: what follows a day without a month; an expression that matches nothing if the words before it suffice.
    - `weekday`, `day`: what replaces the words before the new date, with a sign that it is to come.
    """

    words: Vocabulary
    verb: str
    away: str
    to: str
    article: str
    mark: str
    weekday: str
    day: str
    verb_after: str = ""


_MOVING = (
    _Moving(
        ENGLISH,
        verb=r"(?:moved|shifted|postponed|rescheduled|rearranged|pushed|put off|put back|brought forward|delayed"
        r"|rebooked|deferred|adjourned|changed|switched)(?: (?:back|forward|out))?",
        away="from",
        to="to|until|till|for",
        article="the ",
        mark="st|nd|rd|th",
        weekday="will be on",
        day="will be on",
    ),
    _Moving(
        GERMAN,
        verb=r"(?:verschoben|verlegt|vorverlegt|vorgezogen|umgebucht|verschiebt sich|verschieben wir|wir verschieben)",
        away="vom?|von dem",
        to="auf|zum",
        article="den |dem |kommenden |nachsten ",
        mark=r"\.",
        weekday="soll am",
        day="soll am",
        verb_after=r"\b(?:verschoben|verlegt|vorverlegt|vorgezogen|umgebucht|verschieben|verlegen)\b",
    ),
    _Moving(
        FRENCH,
        verb=r"(?:(?:deplace|reporte|repousse|avance|decale|ajourne|change)e?s?|remise?s?)",
        away="du|de|d['’]",
        to="au|a|pour(?: le)?",
        article="",
        mark="",
        weekday="sera ce",
        day="sera le",
    ),
    _Moving(
        SPANISH,
        verb=r"(?:(?:movid|aplazad|trasladad|adelantad|retrasad|cambiad|pasad|reprogramad|pospuest)[oa]s?"
        r"|se (?:aplaza|mueve|pasa|traslada|adelanta|pospone|cambia)n?)",
        away="del?|desde el",
        to="al?|para el",
        article="",
        mark="",
        weekday="sera el",
        day="sera el",
    ),
    _Moving(
        ITALIAN,
        verb=r"(?:spostat|rinviat|rimandat|posticipat|anticipat|cambiat|slittat)[oaie]",
        away="dal?|dall['’]|da",
        to="al?|all['’]|per",
        article="",
        mark="",
        weekday="sara questo",
        day="sara il",
    ),
)


def _pattern(moving: _Moving) -> re.Pattern[str]:
    months, weekdays = "|".join(moving.words.months), "|".join(moving.words.weekdays)
    of = r"(?:of |de |di )?"
    month_follows = rf"\d{{1,2}}(?:st|nd|rd|th|er|\.)? ?{of}(?:{months}|\d{{1,2}}\.)"
    month_first = rf"|(?:{months})\.? \d" if moving.words.month_first else ""
    bare = (
        rf"(?P<bare>[0-3]?\d)(?P<mark>{moving.mark})\b" if moving.mark != r"\." else r"(?P<bare>[0-3]?\d)(?P<mark>\.)"
    )
    coming = "|".join(word for word, which in moving.words.which.items() if which != "last")
    soon = "|".join(word for word, ago in moving.words.days.items() if ago < 0)
    new = (
        rf"(?:(?P<weekday>(?=(?:(?:{coming}) )?(?:{weekdays})\b))"
        rf"|(?P<dated>(?=(?:{soon})\b|{month_follows}{month_first}))"
        rf"|{bare}{_AFTER_DAY})"
    )
    dates = (
        rf"(?:\b(?:{moving.away}) ?{_ANY_CHARS}{{1,40}}? )?\b(?:{moving.to})(?: |(?<=['’]))"
        rf"(?:{moving.article or '(?!)'})?{new}"
    )
    before = rf"\b{moving.verb}\b[^.;!?\n]{{0,20}}?[ :]{dates}"
    if not moving.verb_after:
        return lazy_pattern(rf"(?P<lead>{before})")
    return lazy_pattern(rf"(?P<lead>{before})|{_renamed(dates)}(?={_ANY_CHARS}{{0,40}}{moving.verb_after})")


def _renamed(dates: str) -> str:
    """Return an expression whose groups have other names, since names must be unique."""
    return re.sub(r"\(\?P<(\w+)>", r"(?P<\g<1>2>", dates)


_PATTERNS = [(moving, _pattern(moving)) for moving in _MOVING]
_VERBS = lazy_pattern("|".join(f"(?:{each.verb})" for each in _MOVING) + "|verschieben|verlegen")

_AGE = r"(?:1[01]\d|\d{1,2})"
_NO_AGE = (
    r"(?!\d|[.:]\d|%| ?(?:[ap]\.?m\b|uhr|h\b|[€$£]|euro|grad|prozent|km|minut|stunde|tage|wochen|degrees|percent|people"
    r"|o'clock))"
)
_MONTH_NAMES = "|".join(sorted({name for each in _MOVING for name in each.words.months}, key=len, reverse=True))
AGE = lazy_pattern(
    rf"\bturn(?:s|ing|ed)? {_AGE}\b{_NO_AGE}|\b(?:will|'ll|to) (?:turn|be) {_AGE}\b{_NO_AGE}(?! ?(?:{_MONTH_NAMES}))"
    rf"|\bis {_AGE} on\b|\b{_AGE}(?:st|nd|rd|th) birthday\b"
    rf"|\b(?:wird|werde|werden)\b[^;!?\n]{{0,40}}?(?<!am )(?<!den )(?<!zum )(?<!ab )(?<!bis )(?<!um )\b{_AGE}"
    r"(?: jahre(?: alt)?)?(?=\s*(?:$|[,;!?)]|\.\s*$|und\b))"
    rf"|\b{_AGE} geburtstag\b"
    rf"|\b(?:aur(?:a|ai|ont)|fet\w{{1,5}})(?: (?:ses|mes|leurs))? {_AGE} ans\b|\bses {_AGE} ans\b"
    rf"|\b(?:cumple|cumplira|cumplo|cumplire) (?:los )?{_AGE}\b(?: anos)?"
    rf"|\b(?:compie|compira|compio|compiro|fa|fara) (?:i )?{_AGE} anni\b"
)
"""An age that somebody reaches: "turns 70 on Saturday", "wird am Samstag 70"."""

_GERMAN_BIRTHDAY = lazy_pattern(rf"\b({_AGE})\. geburtstag\b")
_ANY_WEEKDAY = "|".join(sorted({name for each in _MOVING for name in each.words.weekdays}, key=len, reverse=True))
_AGE_THEN_WEEKDAY = lazy_pattern(rf"(?:{AGE.pattern}) (?P<weekday>{_ANY_WEEKDAY})\b")
_ON: Mapping[str, str] = {
    name: on
    for words, on in ((ITALIAN, "questo"), (SPANISH, "el"), (FRENCH, "ce"), (GERMAN, "am"), (ENGLISH, "on"))
    for name in words.weekdays
}


def with_moved_dates(folded: str) -> str:
    """Return the text with only the new date of what was moved, and with a preposition before the day of an age."""
    if not any(map(str.isdigit, folded)) and not _VERBS.search(folded):
        return folded
    # A dot would end the sentence.
    folded = _GERMAN_BIRTHDAY.sub(r"\1 geburtstag", folded)
    if _VERBS.search(folded):
        for moving, pattern in _PATTERNS:
            folded = pattern.sub(lambda found, moving=moving: _moved(moving, found), folded)  # type: ignore[misc]
    return _AGE_THEN_WEEKDAY.sub(_with_preposition, folded)


def _moved(moving: _Moving, found: re.Match[str]) -> str:
    parts = found.groupdict()
    bare = parts["bare"] or parts.get("bare2")
    if bare:
        return f"{moving.day} {DAY_OF_MONTH} {bare}"
    is_weekday = parts["weekday"] is not None or parts.get("weekday2") is not None
    return f"{moving.weekday if is_weekday else moving.day} "


def _with_preposition(found: re.Match[str]) -> str:
    weekday = found["weekday"]
    return f"{found[0].removesuffix(weekday)}{_ON[weekday]} {weekday}"
