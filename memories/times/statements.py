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
from memories.times.details import BEFORE_DATE, is_about_event, is_about_journey, is_detail_of_journey
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
from memories.times.vocabulary import UP_TO, Vocabulary

READ_CHARS = 2_000
"""Number of characters of a text in which dates are looked for: a bound on the cost."""

MIN_WORDS = 3
"""Number of words from which a sentence without a date says something that lasts."""

SECOND = timedelta(seconds=1)

# A dot after one or two letters is part of an abbreviation: "Dr. Amiri".
_SENTENCE_END = re.compile(r"(?:(?<=[^\W_]{3})\.|(?<=[^\w\s])\.|(?<=\d)\.|[;!?…])(?=\s|$)|\n")


_CLAUSE_END = re.compile(r", | (?:and|but|und|aber|et|mais|y|pero|ma) ")
_MAX_CLAUSES = 4
_MAX_BETWEEN = 30
_SUBORDINATE = re.compile(
    r"\W*(?:if|when|as|because|since|while|although|wenn|weil|da|falls|obwohl|wahrend|als|si|quand|comme|cuando|porque|se"
    r"|quando|perche)\b"
)
_CLAUSE_OF_ITS_OWN = re.compile(
    r"(?:, | )(?:and |but |und |aber )?(?:it|they|he|she|er|sie|es)(?:'s)? \w"
    r"|,? (?:that|which|who) (?:must|needs?|has|have|is|are|should|will|expires?|ends?|runs?|goes)\b"
    r"|, (?:der|die|das|dem|den) [^,]{0,40}$"
)
"""The beginning of a clause about something that the clause before it has named."""

_NEGATION = re.compile(r"\b(?:not|nicht|pas|no|non|[a-z]+n't)\b")
_NEGATED = re.compile(
    r"\b(?:not|nicht|pas|no|non|instead of|rather than|statt|anstatt|anstelle|au lieu|en lugar|en vez|invece"
    rf"|al posto){BEFORE_DATE}\s*$"
)
_BUT = re.compile(rf"[^.;:]{{0,12}}? ?(?:but|sondern|mais|sino|ma|bensi){BEFORE_DATE}\s*$")
"""Signs that a date is not meant: "instead of Thursday", "not on Thursday but on Friday"."""

_DUE = re.compile(
    r"\b(?:due|deadline|expir\w+|fallig|frist|abgabe|ablauf|echeance|date limite|vence|caduca|plazo|fecha limite|scade"
    r"|scadenza)\b"
)
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
        _dates_of(sentence, is_question, of_sentence, languages, said_at)
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
    valid_from, valid_until = _limits(holding, said_at) if is_limited else (None, None)
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
    is_past = any(cues.past.search(sentence) and not cues.coming.search(sentence) for cues in all_cues)
    is_lasting = is_question or is_birthday or any(cues.lasting.search(sentence) for cues in all_cues)
    is_change = not (is_past or is_lasting) and any(cues.change.search(sentence) for cues in all_cues)
    dated = [item for phrase in meant if (item := _dated(phrase, said_at, is_past, is_lasting))]
    if is_change:
        dated = [_as_beginning(item, said_at) for item in dated]
    if _PER_YEAR.search(sentence) and not any(phrase.found.groupdict().get("year") for phrase in phrases):
        dated = [replace(item, holds=item.holds and item.role is not Role.DEADLINE) for item in dated]
    if any(item.holds for item in dated) and _says_more(sentence[: sentence.find(phrases[0].found[0])], all_cues):
        dated = [replace(item, holds=False) for item in dated]
    return is_short and not dated, dated


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


def _says_more(before: str, all_cues: Sequence[CompiledCues]) -> bool:
    """Return whether the part of a sentence before its first date has a clause besides the one of the date.

    As in "my dentist is Dr. Amiri, the next check-up is on 4 June" and "I own a bike that is due on 4 June", but not in
    "if it rains, the trip is on 4 June".
    """
    if _SUBORDINATE.match(before) or is_about_event(before):
        return False
    clause = _CLAUSE_OF_ITS_OWN.search(before)
    if clause and len(before[: clause.start()].split()) >= MIN_WORDS:
        return True
    return any(
        len(before[: found.start()].split()) >= MIN_WORDS
        and any(
            cues.verb.search(before, 0, found.start())
            and (cues.verb.search(before, found.end()) or _DUE.search(before, found.end()))
            for cues in all_cues
        )
        for found in list(_CLAUSE_END.finditer(before))[-_MAX_CLAUSES:]
    )


def _dated(phrase: Phrase, said_at: datetime, is_past: bool, is_lasting: bool) -> _Dated | None:
    """Return the date that a phrase means; None if it means none."""
    role = _role_of(phrase)
    is_since = bool(phrase.found["since"]) and phrase.words.since_is_past
    if is_past or (is_since and role is Role.START):
        direction = Direction.PAST
    else:
        direction = Direction.COMING if role in (Role.UNTIL, Role.DEADLINE) else Direction.NEAREST
    period = phrase.period(said_at, direction)
    if period is None:
        return None
    holds = not (is_lasting and role is Role.ON) and _holds(role, phrase, period, said_at, is_past)
    return _Dated(role, period, holds, is_range=bool(phrase.found.groupdict().get("first")))


def _begun_later(phrase: Phrase, said_at: datetime) -> _Dated | None:
    """Return the coming date on which something that recurs begins, as in "from 7 December, lessons on Mondays"."""
    item = _dated(phrase, said_at, is_past=False, is_lasting=False)
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


def _limits(holding: Sequence[_Dated], said_at: datetime) -> tuple[datetime | None, datetime | None]:
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
    if item.role in (Role.UNTIL, Role.DEADLINE):
        return end - DAY, end
    return midnight(start), max(midnight(end), midnight(start) + DAY)


def _lasting_span(valid_from: datetime | None, valid_until: datetime | None) -> list[tuple[datetime, datetime]]:
    """Return all days for which a text holds, unless these are many."""
    if valid_from is None or valid_until is None or valid_until - valid_from > MAX_SPAN_DAYS * DAY:
        return []
    return [(valid_from, valid_until + SECOND)]
