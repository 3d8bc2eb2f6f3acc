"""Days of a month without the month: "the kids are back on the 9th", "am 9. zurück", "on rentre le 9".

They get the form that the patterns of time phrases read. In doubt, the text stays as it is: such numbers also count
floors, places and bus lines, and what is paid on such a day is paid every month.
"""

from __future__ import annotations

import re

from common.lazy_pattern import lazy_pattern
from memories.times.moved_dates import DAY_OF_MONTH
from memories.times.occasions import is_of_occasion

MAX_DAYS = 8
"""Number of days of a text that are read: a bound on the cost."""

_NEAR_CHARS = 10
"""Number of characters before a day that decide about it."""

_DIGIT = re.compile(r"\d")
_AT = r"(?:at|around|à|vers|a las?|alle|verso le) (?:\d|noon|midday|midi|mediodía|mezzogiorno)"
_PART_OF_DAY = (
    r"(?:(?:in the )?(?:morning|afternoon|evening)|au (?:matin|soir)|por la (?:mañana|tarde|noche)|di sera)\b"
)
# "The 3rd floor" is no day: after the day, the clause ends, or a time of day follows.
_TIMED = lazy_pattern(rf" (?:{_AT}|{_PART_OF_DAY})", re.IGNORECASE)
_END = rf"(?=\s*(?:$|[,;!)\n]|\.(?!\w))| (?:{_AT}|{_PART_OF_DAY}|(?:and|et|y|e) (?!(?:the |le |el |il )?\d)))"
_MONTHS = "januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember"
# In German a noun after the day is counted: "am 9. Platz".
_GERMAN_END = rf"\.(?=\s*(?:$|[,;!)\n])| (?-i:[a-zäöü]))(?! (?:und \d|oder|bis|de[rs]|{_MONTHS})\b)"
_DAY = lazy_pattern(
    rf"\b(?P<lead1>(?:until|till|by|on) )the (?P<day1>[0-3]?\d)(?:st|nd|rd|th){_END}"
    rf"|\b(?P<lead2>(?:bis zum|am) )(?P<day2>[0-3]?\d){_GERMAN_END}"
    rf"|\b(?P<lead3>(?:jusqu['’]au|fino al|entro il|hasta el|le|el(?: día)?|il(?: giorno)?) )(?P<day3>[0-3]?\d){_END}",
    re.IGNORECASE,
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
    if not (_DIGIT.search(text) and _DAY.search(text)) or _COUNTED.search(text):
        return text
    return _DAY.sub(_marked, text, MAX_DAYS)


def _marked(found: re.Match[str]) -> str:
    parts = found.groupdict()
    place = next(each for each in "123" if parts[f"day{each}"])
    lead, day = parts[f"lead{place}"], parts[f"day{place}"]
    text, before = found.string, found.string[max(0, found.start() - _NEAR_CHARS) : found.start()]
    is_date = lead.lower().startswith(_LIMITS) or is_of_occasion(text, *found.span())
    is_place = _BE.search(before) and not (_EVENT.search(text) or _TIMED.match(text, found.end()))
    if not is_date or is_place or _NOT_BEFORE.search(before):
        return found[0]
    return f"{lead}{DAY_OF_MONTH} {day}"
