"""Patterns of time phrases in each language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from common.lazy_pattern import lazy_pattern
from memories.times.english import ENGLISH
from memories.times.french import FRENCH
from memories.times.german import GERMAN
from memories.times.holidays import AFTER_CHRISTMAS
from memories.times.italian import ITALIAN
from memories.times.readings import (
    UNIT_DAYS,
    Reading,
    read_ago,
    read_ahead,
    read_beginning,
    read_date,
    read_day,
    read_day_of_month,
    read_days_of_month,
    read_end,
    read_holiday,
    read_long_range,
    read_month_of_year,
    read_numeric_date,
    read_season,
    read_several,
    read_unit,
    read_weekday,
    read_weekday_later,
    read_weekday_of_week,
    read_weekend_of,
)
from memories.times.spanish import SPANISH
from memories.times.vocabulary import UP_TO, Vocabulary

LANGUAGES = (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN)

DATE_RANGE = "daterange"
"""The word before a range of dates in numbers in a changed text."""

_ARTICLE = r"(?: (?:the|dem|den|le|la|el|il)| l['’])?\s*$"
# "2026/11/27/report.pdf" and "27-11-2026-A" are names.
_DATE_END = r"(?![-/.]?\w)"
_AND = "to|and|und|et|au|y|al?|e"
_TOKEN = re.compile(r"[a-z]+|\d{4}")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern of time phrases in one language, and its reading.

    `kind`: a text without a word of this kind has no such phrase. All expressions have a group "since".
    """

    kind: str
    expression: re.Pattern[str]
    reading: Reading


@dataclass(frozen=True, slots=True)
class Language:
    """The vocabulary of a language and its patterns, the most certain first. `lead`: the cues before a date."""

    words: Vocabulary
    patterns: Sequence[Pattern]
    lead: re.Pattern[str]


def lead_pattern(cues: str) -> re.Pattern[str]:
    """Return a pattern for cues at the end of the text before a date."""
    return lazy_pattern(rf"\b(?:{cues}){_ARTICLE}")


def languages_of(folded: str) -> Iterator[tuple[Language, set[str]]]:
    """Yield the languages of which the text has time words, and the kinds of those words."""
    kinds: dict[int, set[str]] = {}
    for token in set(_TOKEN.findall(folded)):
        if token.isdigit():
            if token[:2] in ("19", "20"):
                for place in range(len(LANGUAGES)):
                    kinds.setdefault(place, set()).add("year")
        else:
            for place, kind in _KINDS.get(token, ()):
                kinds.setdefault(place, set()).add(kind)
    for place in sorted(kinds):
        yield _LANGUAGES[place], kinds[place]


def _any_of(words: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


def _patterns(words: Vocabulary) -> Iterator[tuple[str, str, Reading]]:
    """Yield the patterns of a language, the most certain first: the kind of their words, expression and reading."""
    after = words.which_after
    weekday = rf"(?P<weekday>{_any_of(words.weekdays)})\b"
    month = _month_pattern(words)
    day = r"(?P<day>[0-3]?\d)"
    year = r"(?P<year>(?:19|20)\d\d)\b"
    of = rf"(?: (?:{words.of}))?"
    ordinal = rf"(?:{words.ordinal})?"
    up_to = rf"(?: ?[-–] ?| (?:{UP_TO}) )"
    first = rf"(?:(?P<first>[0-3]?\d){ordinal}{up_to})?"
    spans = _any_of(word for word, unit in words.units.items() if unit != "day")
    lengths = _any_of(word for word, unit in words.units.items() if unit in UNIT_DAYS)
    length = rf"(?P<count>\d{{1,3}}|{_any_of(words.numbers)}) (?P<unit>{lengths})"
    since = rf"\b(?:(?P<since>{words.since})\s*)?"
    on_day = rf"(?:(?:{_any_of(words.weekdays)})\b[.,]?,? (?:the |den |dem |le |el |il )?)?"
    which = rf"(?P<which>{_any_of(words.which)})(?: |(?<=['’]))"
    unit = rf"(?P<unit>{spans})\b"
    yield from (
        (
            "bare",
            rf"\b(?P<since>(?!))?{DATE_RANGE} (?P<first>\d\d?)\.(?P<first_month>\d\d?)"
            rf"-{day}\.(?P<month>\d\d?)(?:\.{year})?",
            read_long_range,
        ),
        ("unit", _weekend_of(words), read_weekend_of),
    )
    yield "year", rf"{since}\b(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])-(?P<day>[0-3]\d)\b", read_date
    yield "year", rf"{since}\b{day}\.\s?(?P<month>0?[1-9]|1[0-2])\.\s?{year}", read_date
    yield (
        "year",
        rf"{since}(?<![\w/.-])(?P<year>(?:19|20)\d\d)(?P<sign>[/.])(?P<month>0?[1-9]|1[0-2])(?P=sign)"
        rf"{day}{_DATE_END}",
        read_date,
    )
    yield (
        "year",
        rf"{since}(?<![\w/.-])(?P<number1>[0-3]?\d)(?P<sign>[/-])(?P<number2>[0-3]?\d)(?P=sign)"
        rf"(?P<year>(?:19|20)\d\d){_DATE_END}",
        read_numeric_date,
    )
    first_month = rf"(?P<first>[0-3]?\d){ordinal}{of} (?P<first_month>{_any_of(words.months)})\b\.?"
    yield (
        "month",
        rf"{since}{on_day}{first_month}{up_to}{on_day}{day}{ordinal}{of} {month},?(?:{of} {year})?",
        read_long_range,
    )
    yield "month", rf"{since}{on_day}{first}{day}{ordinal}{of} {month},?(?:{of} {year})?", read_date
    if words.month_first:
        yield "month", rf"{since}{on_day}{month} {first}{day}{ordinal}\b,?(?: {year})?", read_date
    name = rf"(?P<month>{_any_of(words.months)})\b"
    yield "month", rf"{since}{name} {words.of_unit}{which}{unit}", read_month_of_year
    if after:
        yield "month", rf"{since}{name} {words.of_unit}{unit} (?P<which>{_any_of(after)})\b", read_month_of_year
    yield (
        "month",
        rf"{since}\b(?:{words.end_of})(?: (?:{words.in_month}|{words.of}|de|di))? {month},?(?:{of} {year})?",
        read_end,
    )
    yield "month", rf"{since}{month},?{of} {year}", read_date
    yield "day", rf"{since}(?P<day>{_any_of(words.days)})\b", read_day
    for phrase in words.week_later:
        yield "weekday", rf"{since}{phrase.replace('WEEKDAY', weekday)}\b", read_weekday_later
    yield from (
        *_holiday_patterns(words),
        ("unit", rf"{since}\b(?:{words.end_of}) {words.of_unit}(?:{which})?{unit}", read_end),
    )
    yield "weekday", rf"{since}{weekday},? {words.of_unit}{which}{unit}", read_weekday_of_week
    yield "weekday", rf"{since}{which}{unit},? (?:on |am )?{weekday}", read_weekday_of_week
    if after:
        following = rf"(?P<which>{_any_of(after)})\b"
        yield "weekday", rf"{since}{weekday},? {words.of_unit}{unit} {following}", read_weekday_of_week
        yield "unit", rf"{since}{unit} {following}", read_unit
        yield "weekday", rf"{since}{weekday} {following}", read_weekday
    yield "unit", _several_units(words), read_several
    yield "unit", rf"{since}{which}{unit}", read_unit
    yield "weekday", rf"{since}{which}{weekday}", read_weekday
    yield "weekday", rf"\b(?P<since>{words.since}) {weekday}", read_weekday
    yield (
        "unit",
        (rf"{since}{words.ago} {length}\b" if words.ago_first else rf"{since}{length} {words.ago}\b"),
        read_ago,
    )
    yield "unit", rf"{since}\b(?:{words.ahead}) {length}\b", read_ahead
    yield from _short_patterns(words)


def _holiday_patterns(words: Vocabulary) -> Iterator[tuple[str, str, Reading]]:
    """Yield the patterns of holidays and seasons. These need a word before them, or a year after them."""
    which, after = rf"(?P<which>{_any_of(words.which)})(?: |(?<=['’]))", _any_of(words.which_after)
    following = rf"(?P<which>{after})\b" if after else r"(?P<which>(?!))"
    year = r"(?P<year>(?:19|20)\d\d)\b"
    since = rf"\b(?P<since>{words.since})(?: |(?<=['’]))"
    none = r"(?P<since>(?!))?"
    for kind, names, lead, reading in (
        ("holiday", words.holidays, words.at_holiday, read_holiday),
        ("season", words.seasons, words.in_season, read_season),
    ):
        name = rf"(?P<{kind}>{_any_of(names)})\b(?!{words.of_holiday})"
        yield kind, rf"{none}\b{name},? (?:(?:{words.in_year}) )?{year}", reading
        yield kind, rf"{none}\b{which}{name}", reading
        yield kind, rf"{none}\b{name} {following}", reading
        yield kind, rf"{since}{name}", reading
        yield kind, rf"{none}\b(?P<lead>{lead})(?: |(?<=['’])){name}", reading
    between = _any_of(name for name, holiday in words.holidays.items() if holiday is AFTER_CHRISTMAS)
    yield "holiday", rf"{none}\b(?P<holiday>{between})\b", read_holiday


def _weekend_of(words: Vocabulary) -> str:
    """Return the pattern of a weekend by one of its days, as in "the weekend of 12 December" or "week-end du 12"."""
    weekend = _any_of(word for word, unit in words.units.items() if unit == "weekend")
    ordinal, of = rf"(?:{words.ordinal})?", rf"(?: (?:{words.of}))?"
    month = rf"{ordinal}{of} {_month_pattern(words)},?(?:{of} (?P<year>(?:19|20)\d\d)\b)?"
    return (
        rf"\b(?P<since>(?!))?(?:{weekend}) (?:of|around|vom|um|um den|am|du|autour du|del|intorno al) (?:the )?"
        rf"(?P<day>[0-3]?\d)(?:{month}|(?:st|nd|rd|th)\b(?! (?:and|to|or)\b)|(?=[\s.,;!?]*(?:$|[,;!?\n.])))(?!\d)"
    )


def _several_units(words: Vocabulary) -> str:
    """Return the pattern of several units from today, as in "the next two weeks" or "les deux prochaines semaines"."""
    count = rf"\d{{1,3}}|{_any_of(words.numbers)}"
    return (
        rf"\b(?:(?P<since>{words.since})\s*)?\b(?:(?P<count_before>{count}) )?"
        rf"(?:(?P<gone>{words.gone})|{words.coming})"
        rf"(?: (?:few|paar|couple of|(?P<count>{count})))? (?P<unit>{words.several})\b"
    )


def _short_patterns(words: Vocabulary) -> Iterator[tuple[str, str, Reading]]:
    """Yield the patterns of months, years, weekdays and numbers that mean a time only after certain words."""
    weekday = rf"(?P<weekday>{_any_of(words.weekdays)})\b"
    month = _month_pattern(words)
    day, year = r"(?P<day>[0-3]?\d)", r"(?P<year>(?:19|20)\d\d)\b"
    on_day = rf"(?:(?:{_any_of(words.weekdays)})\b[.,]?,? (?:den |dem )?)?"
    from_month = rf"\b(?P<since>(?!))?(?:{words.from_month})(?: |(?<=['’]))"
    coming = _any_of(word for word, which in words.which.items() if which == "next")
    no_range = rf"(?!(?: ?[-–] ?| (?:{_AND}) )(?:{_any_of(words.months)})\b)"
    yield "month", rf"{from_month}(?:(?:{coming}) )?{month}{no_range}", read_beginning
    yield "year", rf"{from_month}{year}(?! ?(?:[$€£%]|(?:eur|uhr|h|m|km|kg)\b|euro|dollar)|[-/.,:]\d)", read_beginning
    yield "month", rf"\b(?:(?P<since>{words.since})|{words.in_month}) {month}", read_date
    yield "month", rf"\b(?P<since>(?!))?(?P<lead>{words.cues.until}|{words.cues.deadline}) {month}", read_date
    yield "year", rf"\b(?:(?P<since>{words.since})|{words.in_year}) {year}", read_date
    yield "year", rf"\b(?P<since>(?!))?(?P<lead>{words.cues.until}|{words.cues.deadline}) {year}(?![/.]\d)", read_date
    if words.numeric:
        yield (
            "numeric",
            rf"\b(?P<since>(?!))?(?P<lead>{words.numeric}) {on_day}{day}\.\s?(?P<month>0?[1-9]|1[0-2])\.(?!\d)",
            read_date,
        )
    yield (
        "bare",
        r"\b(?P<since>(?!))?dayofmonth (?P<first>[0-3]?\d)-(?P<day>[0-3]?\d)\b",
        read_days_of_month,
    )
    yield "bare", r"\b(?P<since>(?!))?dayofmonth (?P<day>[0-3]?\d)\b", read_day_of_month
    yield "weekday", rf"(?:\b|(?<=:))(?P<since>(?!))?(?P<lead>{words.on_weekday})\s*{weekday}", read_weekday


def _month_pattern(words: Vocabulary) -> str:
    return rf"(?P<month>{_any_of(words.months)})\b(?!\.? (?:{words.to_come}))(?:\.(?=,? ?\d))?"


def _words_by_kind(words: Vocabulary) -> Iterator[tuple[str, str]]:
    """Yield the longest part of each time word, with its kind: a text with the word has this part."""
    tables: Mapping[str, Iterable[str]] = {
        "month": words.months,
        "weekday": words.weekdays,
        "day": words.days,
        "unit": words.units,
        "holiday": words.holidays,
        "season": words.seasons,
        "bare": ["dayofmonth", DATE_RANGE],
        "numeric": re.findall(r"[a-z]+", re.sub(r"\(.*?\)\??", "", words.numeric)),
    }
    for kind, table in tables.items():
        for word in table:
            yield kind, max(_TOKEN.findall(word), key=len)


def _kinds() -> dict[str, set[tuple[int, str]]]:
    """Return the places of the languages, and the kinds, of each time word."""
    kinds: dict[str, set[tuple[int, str]]] = {}
    for place, words in enumerate(LANGUAGES):
        for kind, token in _words_by_kind(words):
            kinds.setdefault(token, set()).add((place, kind))
    return kinds


_KINDS = _kinds()
_LANGUAGES = [
    Language(
        words,
        [Pattern(kind, lazy_pattern(pattern), reading) for kind, pattern, reading in _patterns(words)],
        lead_pattern(f"{words.cues.until}|{words.cues.deadline}|{words.cues.start}"),
    )
    for words in LANGUAGES
]
