"""Form of a language's time words. All of them are in lower case and without accents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memories.times.holidays import Holiday

Unit = Literal["day", "week", "weekend", "month", "year"]
Which = Literal["last", "this", "next", "after next"]

UP_TO = "to|and|until|till|through|bis(?: zum)?|und|au|et|jusqu'au|al?|y|hasta el|e"
"""Words between the first and the last day of a range, in all languages, since some share the names of months."""


def numbered(names: str, start: int) -> dict[str, int]:
    """Return the number of each name; spellings of one name are separated by bars."""
    return {spelling: number for number, name in enumerate(names.split(), start) for spelling in name.split("|")}


@dataclass(frozen=True, slots=True)
class Cues:
    """Regular expressions for words of a statement that decide how its dates count.

    Before a date:

    - `until`: it is the last day of something that lasts already.
    - `deadline`: it is the last day for something.
    - `start`: it is the first day of something that stays.

    Anywhere in a sentence:

    - `past`: it reports what happened.
    - `recurring`: its dates recur, such as birthdays.
    - `coming`: it announces something, so that a word of `past` may be a participle, as in "will be painted".
    - `change`: from its date on, something else is true, as in "moves to Graz on 4 June". The date is the first day.
    - `lasting`: it states something that lasts longer than its dates.
    - `occasion`: it is about something that happens once. A weekday or a day of a month counts without a preposition
      or a month only beside one of these words.
    - `routine`: in spite of them, it is about something that happens every week.

    On both sides of a comma, `and` or `but`:

    - `verb`: the sides are clauses of their own.
    """

    until: str
    deadline: str
    start: str
    past: str
    coming: str
    recurring: str
    change: str
    lasting: str
    verb: str
    occasion: str
    routine: str


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of one language.

    - `months`: number of each month; January is 1.
    - `weekdays`: number of each weekday; Monday is 0.
    - `days`: words for a day, and how many days ago it is; negative for days to come.
    - `which`, `which_after`: words for "last", "this" and "next" before their noun, and those after it.
    - `holidays`: names of holidays. `seasons`: names of seasons, and the months in which they begin.
    - `units`: words for units of time.
    - `numbers`: words for numbers.
    - `cues`: see `Cues`.

    Regular expressions:

    - `at_holiday`: words before a holiday that make it a time. `of_holiday`: words that follow the name of a holiday if
      something else is named by it. `in_season`: words before a season in a question.
    - `since`: words for "since". `since_is_past`: they never mean "from", which may be in the future.
    - `from_month`: words before a month or a year on its own that make its first day the beginning of something.
    - `in_month`, `in_year`: words before a month or a year on its own.
    - `on_weekday`: words before the name of a weekday that make it a single day to come.
    - `of`: words between the parts of a date.
    - `of_unit`: words between the end and the unit that ends, or between a weekday and its week.
    - `end_of`: words for "end of".
    - `ordinal`: suffixes of a day.
    - `ago`: words for "ago", after a length of time, or before it if `ago_first`.
    - `ahead`: words for "in" before a length of time.
    - `coming`, `gone`: forms of "next" and "last" before several units of time; `several`: those units.
    - `to_come`: words after a month that put it in the future.
    - `week_later`: phrases for a week after the next such weekday, with "WEEKDAY" in its place.
    - `numeric`: words before a date that is written in numbers without a year.

    `month_first`: the month may also come first in a date with a day.
    """

    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    days: Mapping[str, int]
    which: Mapping[str, Which]
    holidays: Mapping[str, Holiday]
    seasons: Mapping[str, int]
    units: Mapping[str, Unit]
    numbers: Mapping[str, int]
    cues: Cues
    at_holiday: str
    in_season: str
    since: str
    from_month: str
    in_month: str
    in_year: str
    on_weekday: str
    of_unit: str
    end_of: str
    ago: str
    ahead: str
    coming: str
    gone: str
    several: str
    to_come: str
    which_after: Mapping[str, Which]
    of: str = ""
    of_holiday: str = "(?!)"
    ordinal: str = ""
    numeric: str = ""
    week_later: Sequence[str] = ()
    ago_first: bool = False
    month_first: bool = False
    since_is_past: bool = True
