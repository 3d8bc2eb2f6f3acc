"""Days of a month without the month: "the kids are back on the 9th", "am 9. zurück", "away from the 3rd to the 9th".

They get the form that the patterns of time phrases read. In doubt, the text stays as it is: such numbers also count
floors, places and bus lines, and what is paid on such a day is paid every month.
"""

from __future__ import annotations

import re

from common.lazy_pattern import lazy_pattern
from memories.times.moved_dates import DAY_OF_MONTH
from memories.times.occasions import is_of_occasion
from memories.times.patterns import LANGUAGES
from memories.times.phrases import fold

MAX_DAYS = 8
"""Number of days of a text that are read: a bound on the cost."""

_NEAR_CHARS = 10
"""Number of characters before a day that decide about it."""

_SHORT_NAME = 3
"""Number of letters of abbreviated months, which are also words."""

_DIGIT = re.compile(r"\d")
_AT = r"(?:at|around|à|vers|a las?|alle|verso le) (?:\d|noon|midday|midi|mediodía|mezzogiorno)"
_PART_OF_DAY = (
    r"(?:(?:in the )?(?:morning|afternoon|evening)|au (?:matin|soir)|por la (?:mañana|tarde|noche)|di sera)\b"
)
# "The 3rd floor" is not a day: after the day, the clause ends, or a time of day follows.
_TIMED = lazy_pattern(rf" (?:{_AT}|{_PART_OF_DAY})", re.IGNORECASE)
_END = rf"(?=\s*(?:$|[,;!)\n]|\.(?!\w))| (?:{_AT}|{_PART_OF_DAY}|(?:and|et|y|e) (?!(?:the |le |el |il )?\d)))"
_MONTHS = "januar|jänner|februar|feber|märz|april|mai|juni|juli|august|september|oktober|november|dezember"
# In German a noun after the day is counted: "am 9. Platz".
_GERMAN_END = rf"\.(?=\s*(?:$|[,;!)\n])| (?-i:[a-zäöü]))(?! (?:und \d|oder|bis|de[rs]|{_MONTHS})\b)"
_DAY = lazy_pattern(
    rf"\b(?P<lead1>(?:until|till|by|on) )the (?P<day1>[0-3]?\d)(?:st|nd|rd|th){_END}"
    rf"|\b(?P<lead2>(?:bis zum|am) )(?P<day2>[0-3]?\d){_GERMAN_END}"
    rf"|\b(?P<lead3>(?:jusqu['’]au|fino al|entro il|hasta el|le|el(?: día)?|il(?: giorno)?) )(?P<day3>[0-3]?\d){_END}",
    re.IGNORECASE,
)
_RANGE = lazy_pattern(
    rf"\b(?:from the (?P<first1>[0-3]?\d)(?:st|nd|rd|th) (?:to|till|until|through) the "
    rf"(?P<last1>[0-3]?\d)(?:st|nd|rd|th){_END}"
    rf"|vom (?P<first2>[0-3]?\d)\. bis (?:zum )?(?P<last2>[0-3]?\d){_GERMAN_END}"
    rf"|(?:du (?P<first3>[0-3]?\d) (?:jusqu['’])?au|del (?P<first4>[0-3]?\d) al|dal (?P<first5>[0-3]?\d) al) "
    rf"(?P<last3>[0-3]?\d){_END})",
    re.IGNORECASE,
)
_STAY = lazy_pattern(
    r"\b(?:away|off|out of (?:the )?office|holidays?|vacation|leave|abroad|travel\w*|visit\w*|stay\w*|trip|conference"
    r"|verreist|weg|unterwegs|urlaub\w*|ferien|frei|besuch\w*|absente?s?|congés?|vacances|voyage|déplacement|fuera"
    r"|vacaciones|viaje|ausente|libr[eo]|via|ferie|vacanza|viaggio|assente|trasferta)\b",
    re.IGNORECASE,
)
"""Words for stays, which last some days."""

_MOVED = lazy_pattern(
    r"\b(?:mov|postpon|shift|resched|verschob|verleg|report|décal|déplacé|aplaz|pospuest|trasladad|spostat|rinviat)",
    re.IGNORECASE,
)
# "The February holidays are from the 14th to the 21st".
_MONTH = lazy_pattern(
    rf"\b(?:{'|'.join(month for words in LANGUAGES for month in words.months if len(month) > _SHORT_NAME)})\b"
)
_LIMITS = ("until", "till", "by", "bis", "jusqu", "fino", "entro", "hasta")
# "En el 3" is a place, and in Italian "le 9" is a time of day.
_NOT_BEFORE = lazy_pattern(r"\b(?:en|tra|fra|dopo|verso|per|e|sono) $", re.IGNORECASE)
# "The dentist is on the 3rd" is about a floor.
_BE = lazy_pattern(r"\b(?:is|are|sits?) $", re.IGNORECASE)
_EVENT = lazy_pattern(
    r"\b(?:appointment|test|scan|check-?up|viewing|handover|inspection|interview|exam|deadline|funeral|wedding|party"
    r"|concert|recital|flight|operation|delivery|evening)\b",
    re.IGNORECASE,
)
_PLACE_CHARS = 60
"""Number of characters before a day in which a place may be."""

_IN_PLACE = lazy_pattern(
    r"\b(?:(?:I['’]m|we['’]re|she['’]s|he['’]s|they['’]re|I am|we are|will be|['’]ll be)"
    r" (?:(?:over|up|down) )?(?:in|at|on|with)|\b(?:is|are) with"
    r"|(?:je (?:suis|serai)|on (?:est|sera)|nous (?:sommes|serons)) (?:à|au|en|chez)|est(?:oy|amos|aré|aremos) en"
    r"|(?:sono|siamo|sarò|saremo) (?:a|ad|in))(?: [^\W\d_][\w'’-]*){1,3} $",
    re.IGNORECASE,
)
_GERMAN_BE = lazy_pattern(r"\b(?:bin|sind)(?: ich| wir)? $", re.IGNORECASE)
_GERMAN_PLACE = lazy_pattern(r"\.? (?:in|bei|auf|an) ")
"""Parts of sentences about where somebody is on a day: "I'm in Leeds on the 2nd", "ich bin am 2. in Leeds"."""

_COUNTED = lazy_pattern(
    r"\b(?:rent|salary|wages?|pay\w{0,4}|bills?|subscription|mortgage|instal+ments?|debit|renews?|charged?|insurance|miete"
    r"|gehalt|lohn|raten?|abo|bucht|abgebucht|versicherung|loyer|salaire|factures?|abonnement|prélev\w{1,6}|assurance"
    r"|alquiler|sueldo|nómina|salario|recibo|factura|suscripción|hipoteca|cuota|seguro|affitto|stipendio|bolletta"
    r"|abbonamento|rata|mutuo|assicurazione|floor|office|room|flat|desk|live[sd]?|hole|bus|autobús|autobus|tram\w{0,3}"
    r"|métro|metro|ligne|línea|linea|louis|pren\w{1,5})\b",
    re.IGNORECASE,
)
"""Monthly payments, and things that have numbers, such as floors and buses."""


def with_days(text: str) -> str:
    """Return the text with the days of a month in the form that the patterns read."""
    if not _DIGIT.search(text) or _COUNTED.search(text):
        return text
    if _RANGE.search(text) and _STAY.search(text) and not _MOVED.search(text) and not _MONTH.search(fold(text)):
        text = _RANGE.sub(_marked_range, text, MAX_DAYS)
    return _DAY.sub(_marked, text, MAX_DAYS)


def _marked_range(found: re.Match[str]) -> str:
    first, last = (number for number in found.groups() if number)
    return f"{DAY_OF_MONTH} {first}-{last}"


def _marked(found: re.Match[str]) -> str:
    parts = found.groupdict()
    place = next(each for each in "123" if parts[f"day{each}"])
    lead, day = parts[f"lead{place}"], parts[f"day{place}"]
    text, before = found.string, found.string[max(0, found.start() - _NEAR_CHARS) : found.start()]
    is_date = (
        lead.lower().startswith(_LIMITS)
        or _IN_PLACE.search(text[max(0, found.start() - _PLACE_CHARS) : found.start()]) is not None
        or (_GERMAN_BE.search(before) is not None and _GERMAN_PLACE.match(text, found.end()) is not None)
        or is_of_occasion(text, *found.span())
    )
    is_place = _BE.search(before) and not (_EVENT.search(text) or _TIMED.match(text, found.end()))
    if not is_date or is_place or _NOT_BEFORE.search(before):
        return found[0]
    return f"{lead}{DAY_OF_MONTH} {day}"
