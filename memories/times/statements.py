"""The period for which a statement holds, by the time phrases in it: "dentist next Tuesday", "closed until 5 June"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import zip_longest

from memories.times.bare_days import with_days
from memories.times.bare_weekdays import with_weekdays
from memories.times.cues import CUES, CompiledCues, Role
from memories.times.details import BEFORE_DATE, is_about_journey, is_detail_of_journey
from memories.times.moved_dates import AGE, with_moved_dates
from memories.times.numeric_ranges import with_numeric_days
from memories.times.periods import DAY, MAX_SPAN_DAYS, Direction, Period, midnight
from memories.times.phrases import Phrase, fold, phrases_in, text_before
from memories.times.readings import (
    RELATIVE,
    read_ago,
    read_ahead,
    read_beginning,
    read_date,
    read_day,
    read_holiday,
    read_numeric_date,
    read_several,
)
from memories.times.records import is_of_record
from memories.times.reports import Report
from memories.times.side_clauses import MIN_WORDS, is_followed_by_other_clause, is_of_other_clause, says_more
from memories.times.vocabulary import UP_TO, Vocabulary

READ_CHARS = 2_000
"""Number of characters of a text in which dates are looked for: a bound on the cost."""

_LIMITS = (Role.UNTIL, Role.DEADLINE)
SECOND = timedelta(seconds=1)

# A dot after one or two letters is part of an abbreviation: "Dr. Amiri".
_SENTENCE_END = re.compile(r"(?:(?<=[^\W_]{3})\.|(?<=[^\w\s])\.|(?<=\d)\.|[;!?…])(?=\s|$)|\n")


_MAX_BETWEEN = 30
_NEGATION = re.compile(r"\b(?:not|nicht|pas|no|non|[a-z]+n't)\b")
_NEGATED = re.compile(
    r"\b(?:not|nicht|pas|no|non|instead of|rather than|statt|anstatt|anstelle|au lieu|en lugar|en vez|invece"
    rf"|al posto){BEFORE_DATE}\s*$"
)
_BUT = re.compile(rf"[^.;:]{{0,12}}? ?(?:but|sondern|mais|sino|ma|bensi){BEFORE_DATE}\s*$")
"""Signs that a date is not meant: "instead of Thursday", "not on Thursday but on Friday"."""

_IS_NOW = re.compile(
    r"(?:\b(?:it|they|that|this)(?: is| are| will be|['’](?:s|re|ll be)) now(?: going to be| happening| scheduled for)?"
    r"|\b(?:jetzt|nun)(?: (?:ist|sind|findet) (?:er|sie|es|das))?|\b(?:er|sie|es|das) (?:ist|findet) (?:jetzt|nun)"
    r"|\bc['’]est (?:maintenant|desormais|finalement)|\bce sera (?:finalement|plutot)"
    r"|\b(?:ahora|finalmente) (?:es|sera)"
    r"|\b(?:es|sera) (?:ahora|finalmente)|\b(?:ora|adesso|invece) (?:e|sara)|\b(?:e|sara) (?:ora|adesso|invece))"
    rf"{BEFORE_DATE}\s*$"
)
"""Words before the day to which something was moved: "it was rained off on the 8th, so it's now on 6 December"."""

_PER_YEAR = re.compile(
    r"(?:\b(?:(?:a|per|each) year|im jahr|pro jahr|par an|al ano|por ano|all['’]anno|per anno)"
    r"|/ ?(?:year|jahr|an|anno))\b"
)
"""Amounts for each year: what is due on a day without a year is due every year."""

_ENDS = re.compile(
    r"\b(?:ends?|expires?|runs? out|endet|lauft|expire|se termine|vence|caduca|termina|scade|finisce)\b[^.;!?]{0,12}$"
)
"""Words before an end that may be past already, in the present tense."""

_YEARLY = re.compile(
    r"\b(?:(?:every|each) (?:year|spring|summer|autumn|winter)|yearly|annually|birthdays?|anniversary|jedes jahr"
    r"|jahrlich|jede[nrs]? (?:fruhling|fruhjahr|sommer|herbst|winter)|geburtstag"
    r"|chaque (?:annee|ete|hiver|printemps|automne)|tous les ans|anniversaire|cada (?:ano|verano|invierno|primavera"
    r"|otono)|todos los anos|cumpleanos|ogni (?:anno|estate|inverno|primavera|autunno)|compleanno)\b"
)
"""Signs that a date without a year is that of every year."""

_UP_TO = re.compile(rf" ?(?:[-–]|(?:{UP_TO})\b)")
"""The middle of a range: "from Monday to Thursday"."""


@dataclass(frozen=True, slots=True)
class StatedPeriod:
    """The dates of a text.

    - `valid_from`, `valid_until`: the first and the last second for which the text holds; None if it does not say.
    - `days`: the spans of days that it names, each with its first day and the day after its last.
    - `phrases`: its time phrases, folded.
    """

    valid_from: datetime | None
    valid_until: datetime | None
    days: Sequence[tuple[date, date]]
    phrases: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Dated:
    """A date in a sentence. `holds`: the sentence holds only from or until this date. `is_range`: it has two ends."""

    role: Role
    period: Period
    holds: bool
    is_range: bool


def stated_period(text: str, said_at: datetime) -> StatedPeriod | None:
    """Return the dates of a text that was said at `said_at`; None if it names none.

    Days begin at midnight in the time zone of `said_at`. The text has an end only if each of its sentences has: one
    that also says something else stays true. See docs/dates.md.
    """
    folded = _readable(text)
    phrases, languages = phrases_in(folded)
    if not phrases:
        return None
    of_journey = is_about_journey(folded)
    sentences = [
        _dates_of(sentence.lstrip(" \n-*•–>"), is_question, of_sentence, languages, said_at)
        for sentence, is_question, of_sentence in _sentences(folded, phrases)
        if of_sentence or not (of_journey and _is_detail(sentence, languages))
    ]
    dated = [item for _, items in sentences for item in items]
    if not dated:
        return None
    holding = [item for item in dated if item.holds]
    is_limited = len(text) <= READ_CHARS and all(
        is_short or any(item.holds for item in items) for is_short, items in sentences
    )
    valid_from, valid_until = _limits_of(holding, said_at) if is_limited else (None, None)
    if valid_from and valid_until and valid_from > valid_until:
        valid_from = valid_until = None
    spans = [*(_span(item) for item in dated), *_lasting_span(valid_from, valid_until)]
    return StatedPeriod(
        valid_from,
        valid_until,
        sorted(_named({(start.date(), end.date()) for start, end in spans})),
        [phrase.found[0] for phrase in phrases],
    )


def _named(spans: Set[tuple[date, date]]) -> Set[tuple[date, date]]:
    """Return the spans without long ones that contain another: "12 December is the last wedding this year"."""
    return {
        (start, end)
        for start, end in spans
        if end - start <= MAX_SPAN_DAYS * DAY
        or not any(start <= first < end and (first, last) != (start, end) for first, last in spans)
    }


def next_yearly_day(text: str, now: datetime) -> date | None:
    """Return the next birthday or the like that a text names, or today; None if it names none."""
    folded = _readable(text)
    if not _YEARLY.search(folded):
        return None
    days = [phrase for phrase in phrases_in(folded)[0] if phrase.reading is read_date and phrase.found["day"]]
    periods = [phrase.period(now, Direction.COMING) for phrase in days if not phrase.found["year"]]
    return min((period.start.date() for period in periods if period), default=None)


def has_only_relative_dates(text: str) -> bool:
    """Return whether a text names days, and only relative to the time at which it was said, as in "next Tuesday"."""
    phrases, _ = phrases_in(_readable(text))
    return bool(phrases) and all(phrase.reading in RELATIVE for phrase in phrases)


def _readable(text: str) -> str:
    """Return the beginning of a text in the form that the patterns of time phrases read."""
    return with_moved_dates(fold(with_days(with_weekdays(with_numeric_days(text[:READ_CHARS])))))


def _sentences(folded: str, phrases: Sequence[Phrase]) -> Iterator[tuple[str, bool, Sequence[Phrase]]]:
    """Yield each sentence, whether it is a question, and its phrases. A dot in a phrase ends no sentence."""
    start = 0
    spans = [phrase.found.span() for phrase in phrases]
    ends = [
        found
        for found in _SENTENCE_END.finditer(folded)
        # A phrase may end with the dot of an abbreviation or ordinal.
        if not any(left <= found.start() < right for left, right in spans)
    ]
    for end, sign in [*((found.end(), found[0]) for found in ends), (len(folded), "")]:
        own = [phrase for phrase, (left, _) in zip(phrases, spans, strict=True) if start <= left < end]
        yield folded[start:end], sign == "?", own
        start = end


def _is_detail(sentence: str, languages: Sequence[Vocabulary]) -> bool:
    """Return whether a sentence without a date only gives a detail of a journey."""
    return is_detail_of_journey(sentence) and not any(CUES[words.since].verb.search(sentence) for words in languages)


def _dates_of(
    sentence: str, is_question: bool, phrases: Sequence[Phrase], languages: Sequence[Vocabulary], said_at: datetime
) -> tuple[bool, Sequence[_Dated]]:
    """Return whether the sentence is too short to say anything without a date, and its dates.

    The dates of a sentence that says something else before them do not hold.
    """
    is_short = len(sentence.split()) < MIN_WORDS
    if not phrases:
        return is_short, ()
    all_cues = [CUES[words.since] for words in languages]
    is_birthday = AGE.search(sentence) is not None
    meant = [phrase for phrase, following in zip_longest(phrases, phrases[1:]) if not _is_negated(phrase, following)]
    if not is_birthday and any(cues.recurring.search(sentence) for cues in all_cues):
        is_yearly = _PER_YEAR.search(sentence) or _YEARLY.search(sentence)
        return False, () if is_yearly else [item for phrase in meant if (item := _begun_later(phrase, said_at))]
    moved = [place for place, phrase in enumerate(meant) if _IS_NOW.search(text_before(phrase.found))]
    if moved:
        meant = meant[moved[0] :]
    is_past = not moved and any(cues.past.search(sentence) and not cues.coming.search(sentence) for cues in all_cues)
    is_lasting = is_question or is_birthday or any(cues.lasting.search(sentence) for cues in all_cues)
    is_change = not (is_past or is_lasting) and any(cues.change.search(sentence) for cues in all_cues)
    report = Report(all_cues, said_at)
    dated = [
        item
        for phrase in meant
        if (item := _dated(phrase, said_at, report if is_past or report.tells(phrase) else None, is_lasting))
    ]
    if is_change:
        dated = [_as_beginning(item, said_at) for item in dated]
    if _PER_YEAR.search(sentence) and not any(phrase.found.groupdict().get("year") for phrase in phrases):
        dated = [replace(item, holds=item.holds and item.role is Role.START) for item in dated]
    if not moved and any(item.holds for item in dated) and _is_partly_limited(sentence, phrases, dated, all_cues):
        dated = [replace(item, holds=False) for item in dated]
    return is_short and not dated, dated


def _is_partly_limited(
    sentence: str, phrases: Sequence[Phrase], dated: Sequence[_Dated], all_cues: Sequence[CompiledCues]
) -> bool:
    """Return whether a part of a sentence lasts longer than its dates."""
    starts = [sentence.find(phrase.found[0]) for phrase in phrases]
    last = max(starts)
    if says_more(sentence, starts, last + len(phrases[-1].found[0]), all_cues):
        return True
    after = sentence[last + len(phrases[-1].found[0]) :]
    if all(item.role in _LIMITS for item in dated) and is_followed_by_other_clause(after, all_cues):
        return True
    between = sentence[starts[0] + len(phrases[0].found[0]) : last]
    has_ends = len(dated) == len(phrases) > 1 and dated[0].role in _LIMITS and dated[0].period != dated[-1].period
    return has_ends and is_of_other_clause(between, all_cues)


def _is_negated(phrase: Phrase, following: Phrase | None) -> bool:
    """Return whether the text says that the date of a phrase is not meant, or gives a more certain one after it."""
    before = text_before(phrase.found)
    if _NEGATED.search(before):
        return True
    if following is None:
        return False
    end, start = phrase.found.end(), following.found.start()
    if start - end > _MAX_BETWEEN:
        return False
    if phrase.reading is read_ahead:
        parts = following.found.groupdict()
        return following.reading is read_numeric_date or (following.reading is read_date and bool(parts.get("day")))
    between = phrase.found.string[end:start] + (following.found.groupdict().get("lead") or "")
    return bool(_BUT.match(between)) and bool(_NEGATION.search(before))


def _dated(phrase: Phrase, said_at: datetime, report: Report | None, is_lasting: bool) -> _Dated | None:
    """Return the date that a phrase means; None if it means none. `report`: its sentence, if in the past tense."""
    role = _role_of(phrase)
    is_since = bool(phrase.found["since"]) and phrase.words.since_is_past
    is_limit = role in _LIMITS
    if is_since and role is Role.START:
        period = phrase.period(said_at, Direction.PAST)
    elif report is None:
        period = phrase.period(said_at, Direction.COMING if is_limit else Direction.NEAREST)
    else:
        period = report.period(phrase, is_limit=is_limit)
    if period is None:
        return None
    is_past = report is not None
    is_guess = is_past and period.end > said_at and not phrase.found.groupdict().get("year")
    holds = not (is_guess or (is_lasting and role is Role.ON)) and _holds(role, phrase, period, said_at, is_past)
    return _Dated(role, period, holds, is_range=bool(phrase.found.groupdict().get("first")))


def _begun_later(phrase: Phrase, said_at: datetime) -> _Dated | None:
    """Return the coming date on which something that recurs begins, as in "from 7 December, lessons on Mondays"."""
    item = _dated(phrase, said_at, None, is_lasting=False)
    if item is None or item.role is not Role.START or item.period.start <= said_at:
        return None
    return None if _UP_TO.match(phrase.found.string, phrase.found.end()) else item


def _as_beginning(item: _Dated, said_at: datetime) -> _Dated:
    """Return a coming day as the first of something that lasts from then on. A range of days stays as it is."""
    if item.role is not Role.ON or item.period.start <= midnight(said_at) or item.is_range:
        return item
    return replace(item, role=Role.START, holds=True)


def _role_of(phrase: Phrase) -> Role:
    parts = phrase.found.groupdict()
    if parts.get("first"):
        return Role.ON
    if parts["since"] or phrase.reading is read_beginning:
        return Role.START
    # "Open on Boxing Day" begins nothing.
    before = parts.get("lead") or "" if phrase.reading is read_holiday else text_before(phrase.found)
    return next((role for role, lead in CUES[phrase.words.since].roles if lead.search(before)), Role.ON)


def _holds(role: Role, phrase: Phrase, period: Period, said_at: datetime, is_past: bool) -> bool:
    """Return whether a sentence holds only from or until the date."""
    if role is Role.START:
        return not is_past or bool(phrase.found["since"])
    if period.end <= said_at:
        has_ended = role is Role.DEADLINE and _ENDS.search(text_before(phrase.found))
        return bool(has_ended and phrase.found.groupdict().get("year") and not is_past)
    if role is not Role.ON:
        return True
    if is_of_record(phrase.found, period, said_at, is_past=is_past):
        return False
    parts = phrase.found.groupdict()
    if phrase.reading is read_several and (parts["gone"] or not (parts["count"] or parts["count_before"])):
        return False
    is_today = phrase.reading is read_day and period.start == midnight(said_at)
    has_begun = period.start <= midnight(said_at)
    # "At Christmas we go to the sea" may be so every year.
    is_every_year = phrase.reading is read_holiday and not (parts.get("year") or parts.get("which"))
    is_vague = (
        phrase.reading is read_ago
        or is_every_year
        or (phrase.reading is read_date and not parts.get("day") and (has_begun or not parts.get("year")))
    )
    return not is_today and not is_vague and (period.end - period.start).days <= MAX_SPAN_DAYS


def _limits_of(holding: Sequence[_Dated], said_at: datetime) -> tuple[datetime | None, datetime | None]:
    """Return the first and the last second of the dates together."""
    if not holding:
        return None, None
    starts = [item.period.start for item in holding if item.role in (Role.START, Role.ON)]
    if all(item.role is Role.UNTIL for item in holding):
        starts = [midnight(said_at)]
    ends = [item.period.end for item in holding if item.role is not Role.START]
    is_open = any(item.role is Role.START for item in holding) and not any(item.role is Role.UNTIL for item in holding)
    return min(starts, default=None), None if is_open else max(ends) - SECOND


def _span(item: _Dated) -> tuple[datetime, datetime]:
    """Return the days that the date names: of a limit, the day on which something begins or ends."""
    start, end = item.period.start, item.period.end
    if item.role is Role.START:
        return start, start + DAY
    if item.role in _LIMITS:
        return end - DAY, end
    return midnight(start), max(midnight(end), midnight(start) + DAY)


def _lasting_span(valid_from: datetime | None, valid_until: datetime | None) -> list[tuple[datetime, datetime]]:
    """Return all days for which a text holds, unless these are many."""
    if valid_from is None or valid_until is None or valid_until - valid_from > MAX_SPAN_DAYS * DAY:
        return []
    return [(valid_from, valid_until + SECOND)]
