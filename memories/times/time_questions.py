"""Questions about a time: the periods that they may ask about, and whether they ask about nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from common.lazy_pattern import lazy_pattern
from memories.times.cues import CUES
from memories.times.numeric_ranges import with_numeric_ranges
from memories.times.patterns import languages_of
from memories.times.periods import DAY, MAX_SPAN_DAYS, Direction, Period, midnight
from memories.times.phrases import fold, period_in, phrases_in

MOST_TIMES = 4
"""A memory that names a period this many times as long as the asked one may still answer."""

_PLANS = lazy_pattern(
    r"\b(?:plan(?:s|ned|ning)?|upcoming|coming up|scheduled|appointments?|geplant\w*|anstehen\w*|steht|vorhabe?n?"
    r"|termine?|prevue?s?|rendez-vous|planes|planead[oa]s?|previst[oaie]s?|citas?|programma|appuntament[oi])\b|\bvor\s*\?*\s*$"
)
"""Words of a question about what is to come: of the two Decembers that "in December" may mean, the next one."""

_INTENTIONS = lazy_pattern(
    r"\b(?:are|am|is|['’](?:m|re|s)) (?:we|i|you|they|he|she) (?:going|doing|seeing|visiting|having|flying|travel+ing"
    r"|driving|staying|meeting|hosting|celebrating)\b"
    r"|\b(?:fahren|fliegen|machen|gehen|reisen|feiern|treffen|besuchen) wir\b|\b(?:fahre|fliege|mache|gehe|reise) ich\b"
    r"|\b(?:allons|partons|faisons)-nous\b|\b(?:on|nous|je) (?:va|part|fait|allons|partons|faisons|vais|pars)\b"
    r"|\b(?:vamos|viajamos|hacemos|voy|iremos|andiamo|partiamo|facciamo|andremo|viaggiamo)\b"
)
"""What somebody is going to do, in the present tense: "where are we going at Christmas?"."""

_NEXT = lazy_pattern(r"(?:next|nachste[nrs]?|kommende[nrs]?|prochaine?s?|proxim[oa]s?|prossim[oaie])")
_OF_NEXT = frozenset(
    {"time", "see", "one", "schedule", "mal", "sehe", "sehen", "fois", "vois", "vez", "vemos", "veo", "volta", "vedo"}
    | {"quand", "wann", "cuando", "quando", "sara"}
)
"""Words of a question about the next of something that do not say of what, besides those of `_GENERIC`."""

_GENERIC_EVENTS = frozenset(
    {"appointment", "meeting", "event", "deadline", "termin", "rendez", "cita", "evento", "appuntamento"}
)

_WORDS = """
a ab abbiamo about accade add agenda ai ainsi al algo algun alguna all alla alle alles already als also am an and
anotado anstehen anstehende anstehenden anstehendes ansteht any anything appointment appointments appuntamenti
appuntamento are at au auf aura aus aux avait avevo avons be been bei between bin booked busy by c calendar can ce ces
che check ci cita citas coming como con cosa cose cual cuales cuando cui d da dal dans das date dates day days de
deadline deadlines debo dei del della delle dem den der des devo devons di dia diary dias did die do does doing dois
done dran du due during e ein eine einem einen el elle else en entre era ero es est esta este estos et etait etwas event
eventi evento eventos events everything fa facciamo faccio faire fais fait fallig fare fete fetes find for forget fra
free frei from fue fur gab ganz ganze ganzen gemacht geplant geschah get gibt gibts giorni giorno give gli going got ha
hab habe haben hacemos hacer had hago happen happened happening happens hare haremos has hast hat hatte hatten have hay
he heuer ho how i ich if il im impegni impegno in io irgendetwas irgendwas irgendwelche is ist ists it j je jour
kalender know kommt l la las le les liegt like list lo look looking looks los lot ma mach mache machen me meet meeting
meetings mein meine meinem meinen memories memory mes mi mia mich mie miei mio mir mis moi mon much muss mussen must my
n nachste nachsten need nel nella nelle new noch noi nos notre nous nuestra nuestro ocurre ocurrio of off on or ou our
over par para pasa paso passiert pendant per piani plan plane planeado planen planes planned planning plans please por
possible pour prevista previste previsti previsto prevu prevue prevues prevus program programado programm programma
programme programmi qu qualche qualcosa quale quali que quel quelle quelles quels qui quoi rdv recall remember remind
reminder reminders rendez rendezvous s schaut schedule scheduled se sei sein semaine sera show si sich sieht sind so
sobre soll sollte some something son sono sont sta stand stehen steht still stuff su succede successo sur t tag tage
tell tenemos tengo termin termine terminen that the there thing things tiene to toda todo tout toute tra tue tun tutta
tutto uber un una und une uns unser unsere up upcoming us user users va ver verplant vor vorhabe vorhaben vous war waren
was we week welche welcher welches wer werde werden were what whats when which whole wichtiges wie will wir wird with
woche wochen would y ya you your zu zum zur zwischen
"""
_GENERIC = frozenset(_WORDS.split())
"""Words of questions that ask only what is on at a time, folded, in all languages."""

# "Was ist …?" is not in the past.
_GERMAN_WAS = re.compile(
    r"\bwas (?=(?:ist|sind|steht|haben?|hab|gibt|kommt|machen?|muss|mussen|passiert|liegt|planen?|soll)\b)"
)
_WORD = re.compile(r"[^\W_]+")


def asked_periods(text: str, now: datetime) -> tuple[Period | None, list[Period]]:
    """Return the past period that a question asks about, if any, and all periods that it may ask about.

    "In June" may be past or to come. In a question about plans, and in one about nothing but a time that is not in the
    past tense, it is to come.

    `now` is in the time zone in which days begin.
    """
    text = with_numeric_ranges(text)
    is_past_tense = _is_past_tense(fold(text))
    past = period_in(text, now, is_report=is_past_tense)
    coming = period_in(text, now, Direction.COMING)
    is_to_come = coming is not None and coming.end > midnight(now) and asks_for_plans(text)
    if coming is not None and is_to_come:
        return None, [coming]
    is_report = is_past_tense and asks_only_for_time(text) and not _PLANS.search(fold(text))
    readings = [past] if past == coming or is_report else [past, coming]
    is_past = past is not None and past.end <= midnight(now) + DAY
    return past if is_past else None, [period for period in readings if period is not None]


def longest_named(periods: Iterable[Period]) -> int:
    """Return the number of days of the longest period that answers a question about one of these periods.

    "Turnover this year" says nothing about tomorrow, but something about the last three months.
    """
    asked = max((period.end - period.start for period in periods), default=DAY)
    return max(MAX_SPAN_DAYS, MOST_TIMES * asked.days)


def asks_only_for_time(text: str) -> bool:
    """Return whether a question asks what is on at a time and about nothing else: "What's on Monday?"."""
    folded = fold(with_numeric_ranges(text))
    phrases, _ = phrases_in(folded, with_seasons=True)
    for phrase in reversed(phrases):
        start, end = phrase.found.span()
        folded = f"{folded[:start]} {folded[end:]}"
    return bool(phrases) and all(word in _GENERIC for word in _WORD.findall(folded))


def asked_next(text: str) -> list[str]:
    """Return the words that say of what a question asks for the next one: "wedding" of "When's my next wedding?".

    None if it asks about something else, such as next week.
    """
    folded = fold(text)
    if not any(map(_NEXT.fullmatch, _WORD.findall(folded))) or phrases_in(folded, with_seasons=True)[0]:
        return []
    words = {word: fold(word) for word in _WORD.findall(text.lower())}
    particular = [
        word
        for word, plain in words.items()
        if plain not in _GENERIC and plain not in _OF_NEXT and not _NEXT.fullmatch(plain)
    ]
    return particular or [word for word, plain in words.items() if plain in _GENERIC_EVENTS]


def asks_for_plans(text: str) -> bool:
    """Return whether a question asks for what is to come."""
    folded = _GERMAN_WAS.sub("", fold(text))
    is_about_plans = _PLANS.search(folded) or _INTENTIONS.search(folded) or asks_only_for_time(text)
    return bool(is_about_plans) and not _is_past_tense(folded)


def _is_past_tense(folded: str) -> bool:
    return any(CUES[language.words.since].past.search(folded) for language, _ in languages_of(folded))
