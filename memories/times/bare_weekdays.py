"""Weekdays without a preposition in notes: "Friday dentist 10:30", "Zahnarzt Freitag", "je vois Paul vendredi".

The patterns of time phrases read a weekday only after a word such as "on". Here, the text gets this word where the
weekday can hardly mean anything else: beside a word for something that happens once, such as an appointment. In doubt,
it stays as it is: many weekdays are parts of names or recur ("Black Friday", "yoga Tuesday"), and a wrong day is worse
than none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from common.lazy_pattern import lazy_pattern
from memories.times.occasions import is_of_occasion

MAX_WEEKDAYS = 2
"""Number of weekdays in a text that are read. More of them are a timetable."""

_NEAR_CHARS = 60
"""Number of characters before and after a weekday that decide about it."""

_FEWEST_LETTERS = 3
"""Number of letters of the word before a weekday. Shorter ones are prepositions and articles."""

_NAMES: Mapping[str, str] = {
    "on": "monday tuesday wednesday thursday friday saturday sunday",
    "am": "montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag",
    "pour": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "el": "lunes martes miercoles miércoles jueves viernes sabado sábado domingo",
    "per": "lunedì martedì mercoledì giovedì venerdì lunedi martedi mercoledi giovedi venerdi sabato domenica",
}
_ON = {name: on for on, names in _NAMES.items() for name in names.split()}
"""The word before each weekday that makes it a single day to come."""

_CLOCK = r"\d?\d(?:[:h][0-5]\d|\.[0-5][05]| ?(?:h|uhr|heures|ore|[ap]\.?m)\b)"
# "Friday 6/12" and "Friday the 6th" say more than the weekday.
_NO_DATE = rf"(?!,? (?:the |den |der |le |el |il )?(?!{_CLOCK})\d)"
# "Mon" is also a French word.
_SHORT = rf"(?-i:Mon|Tues?|Wed|Thu(?:rs)?|Fri)(?=,? {_CLOCK})"
_WEEKDAY = lazy_pattern(rf"(?<![\w'’-])(?:{'|'.join(_ON)}|{_SHORT})(?![\w'’-]|\.\w){_NO_DATE}", re.IGNORECASE)

# Few texts name a weekday, and looking for parts of the names is quicker.
_MAYBE = re.compile(
    "day|tag|woch|abend|di|dì|unes|artes|coles|ueves|iernes|bado|abato|omingo|omenica|imanche|Mon|Tue|Wed|Thu|Fri"
)

_PART_OF_DAY = (
    r"(?:morning|afternoon|evening|night|lunchtime|noon|früh|morgen|vormittag|mittag|nachmittag|abend|matin|midi"
    r"|après-midi|soir|por la (?:mañana|tarde|noche)|mattina|pomeriggio|sera)\b"
)
_AT = r"(?:at|around|um|gegen|à|vers|a las?|alle|verso le|ore|between|zwischen|entre)"
_TIMED = lazy_pattern(rf"(?: {_PART_OF_DAY})?,? (?:{_AT} \d|(?:{_AT} )?{_CLOCK})", re.IGNORECASE)
_INSTEAD = r"instead of|rather than|statt|anstatt|au lieu de|en vez del?|en lugar del?|invece di"
_CLAUSE_END = lazy_pattern(rf"(?: {_PART_OF_DAY})?\s*(?:$|[,;!)\n]|\.(?!\w)|(?<= )(?:{_INSTEAD})\b)", re.IGNORECASE)
# "Wird Samstag geliefert", "ich hole es Montag ab".
_GERMAN_END = lazy_pattern(r"(?: (?!hat|ist|war|sind|wird|heißt)[a-zäöüß]{2,16}){1,2}\s*(?:$|[.,;!)\n])")
_TOPIC_END = lazy_pattern(rf"(?: {_PART_OF_DAY})? ?[:,] \w", re.IGNORECASE)

# With these words after it, a weekday at the beginning is a subject, a name, or one of several.
_IS_SUBJECT = lazy_pattern(
    r" (?:is|are|was|were|ha[sd]|works?|suits?|would|could|can|may|and|or|to|till|until|through|of|the|in|next|last"
    r"|week|ist|sind|war|hat|und|oder|bis|passt|wäre|kann|der|den|est|était|et|ou|au|me|saint|en|de|du|prochain|dernier"
    r"|es|fue|y|o|a|hasta|santo|que|del?|próximo|è|e|di|scorso|prossimo|che)(?!\w)",
    re.IGNORECASE,
)
# "Monday clinic is full", but not "Monday we are at the clinic".
_IS_OF_ALL = lazy_pattern(r"(?<! we)(?<! they)(?<! you)(?<! he)(?<! she) (?:is|are) ", re.IGNORECASE)
_CAPITALIZED = lazy_pattern(r" [A-ZÀ-Þ][a-zß-ÿ]")
_LOWER_CASE_NAMES = ("pour", "el", "per")
"""Languages in which a weekday with a capital inside a sentence is the name of a person."""

# Dots also end titles such as "Dr.".
_START = r"(?:^|\n|(?<=\w\w\w)(?<!Prof)\.|[!?;])\s*(?:[-*•–>] ?)?$"
_LINE_START = lazy_pattern(_START)
_CLAUSE_START = lazy_pattern(rf"{_START}|, (?:and |und |et |y |e )?$| (?:and|und|et|e) $")
_WORD_BEFORE = lazy_pattern(r"(?<![\w'’-])([^\W\d_][\w'’-]*)([:,]?) $")
_TO_PLACE = lazy_pattern(r"\b(?:to|in|from|at|à|en|a) $")
_OF_NAME = lazy_pattern(r"(?:\b(?:with|mit|bei|von|für|an|ist|sind|war|heiß?t|heisst) |\w\. )$")
_EXCLUDING = """
the this next last every any some one most first second third other black good cyber ash easter palm whit holy
maundy shrove super casual happy man girl and but not than from until till before after since for except only i'm it's
that's him her love loves like likes hate hates prefer prefers called named works worked are was were been being
der die das den dem ein eine einen ersten zweiten letzten nächsten jeden mein kein vom von bis seit vor nach zum
für statt auf und oder nicht nur außer ist sind war mag liebe hasse heißt heisst nennt schwarze schwarzer
schwarzen herr herrn frau familie les des cet chaque sauf est était sont aime adore déteste préfère appelle dès
pour avant après depuis entre mais pas los las del para por sin hasta desde entre cada este aquel gusta prefiero
llama salvo pero santo plácido ogni del dal per fino entro prima dopo tra fra questo quel ama odio piace
preferisco chiama tranne non zia zio miss mrs prof monsieur madame señor señora don doña signor signora
"""
_OFF = lazy_pattern(
    r"\b(?:(?:I|we|you|he|she|they)(?:['’](?:m|re|s|ll be)| am| are| is| will be) (?:off|away|out of (?:the )?office"
    r"|on leave|not in)"
    r"|(?:have|has|take|takes|taking) (?:the |a )?day off|take[sn]? off"
    r"|(?:suis|est|sommes|sont) (?:absente?s?|en congé|de repos)"
    r"|sono (?:via|in ferie|assente|in permesso)"
    r"|(?:ich|er|sie|wir) (?:habe|hab|hat|haben|bin|ist|sind))$",
    re.IGNORECASE,
)
"""Words right before a weekday on which somebody is off."""

_EVENT_IS = lazy_pattern(
    r"\b(?:(?:photo|sports?|inset|open|school|results?|moving|wedding) day|photos?|appointment|exam|test|interview"
    r"|viewing|deadline|concert|recital|flight|funeral|wedding|party|operation|scan|check-?up|trip|delivery|nativity|fair"
    r"|lunch|dinner|brunch|drinks|call|gig|match|barbecue|bbq"
    r"|elternabend|\w*termin|\w*prüfung|hochzeit|\w*fest|\w*ausflug|(?:foto|wander|projekt)tag|rendez-vous|examen"
    r"|mariage|fête|sortie|esame|matrimonio|festa|gita) (?:is|ist|est|è) $",
    re.IGNORECASE,
)
"""The subject of a sentence that only says on which weekday something is."""

_REGULAR = lazy_pattern(
    r"\b(?:standing|regular|usual|weekly|every|regelmäßig\w*|wöchentlich\w*|hebdomadaire|semanal|settimanale)\b",
    re.IGNORECASE,
)

_REPORT = lazy_pattern(
    r"(?:^\W*|[.!?\n] ?)(?:(?:I|we|user|the user) )?(?:saw|met|shot|went|had|finished|sent|visited|ran|did)\b"
    r"|\b(?:I|we|he|she|they) (?:saw|met|shot|went|finished|sent|visited)\b"
    r"|\b(?:j['’]ai|on a|nous avons|(?:il|elle) a) \w+(?:é|i|u|is|it|ert)\b"
    r"|\b(?:ho|ha|abbiamo|hanno) \w+(?:ato|uto|ito|sso|tto|so|rso|sto|rto)\b|\b(?:siamo|sono) andat[oaie]\b"
    r"|^\W*(?:vu|fini|envoyé|terminé|rencontré|livré|visto|incontrato|finito|spedito|consegnato) ",
    re.IGNORECASE,
)
"""Sentences in the past tense, in which a weekday at the end is the latest one."""

_HAVE = lazy_pattern(r"\b(?:have|has|got|take|takes|taking)(?: got)? $", re.IGNORECASE)
_ENGLISH_OFF = lazy_pattern(r" off(?:\s*(?:$|[,;!)\n]|\.(?!\w)))", re.IGNORECASE)
_GERMAN_OFF = lazy_pattern(r" (?:frei|weg|verreist|unterwegs|nicht da|nicht im büro)\b", re.IGNORECASE)
_NO_DAY = frozenset(_EXCLUDING.split()) | {*_ON}
"""Words before a weekday with which it is a name, one of many, or not the day of something."""


def with_weekdays(text: str) -> str:
    """Return the text with a preposition before each weekday that is a single day to come."""
    found = list(_WEEKDAY.finditer(text)) if _MAYBE.search(text) else []
    if len(found) > MAX_WEEKDAYS:
        return text
    for each in reversed(found):
        on = _ON.get(each[0].lower(), "on")
        before = text[max(0, each.start() - _NEAR_CHARS) : each.start()]
        after = text[each.end() : each.end() + _NEAR_CHARS]
        is_day = _begins_clause if _CLAUSE_START.search(before) else _ends_clause
        if (
            _is_day_off(on, before, after)
            or _is_day_of_event(before, after)
            or _is_day_of_report(before, each[0], after)
            or (is_day(on, before, each[0], after) and is_of_occasion(text, *each.span()))
        ):
            text = f"{text[: each.start()]}{on} {text[each.start() :]}"
    return text


def _is_day_off(on: str, before: str, after: str) -> bool:
    """Return whether a weekday is the one on which somebody is off: "I'm off Friday", "ich habe Freitag frei"."""
    if on == "on" and _HAVE.search(before) and _ENGLISH_OFF.match(after):
        return True
    is_end = _GERMAN_OFF.match(after) if on == "am" else _CLAUSE_END.match(after)
    return is_end is not None and _OFF.search(before.rstrip()) is not None


def _is_day_of_event(before: str, after: str) -> bool:
    """Return whether a weekday is the day of an event, as in "photo day is Tuesday"."""
    if _EVENT_IS.search(before) is None or _REGULAR.search(before):
        return False
    return bool(_CLAUSE_END.match(after) or _TIMED.match(after))


def _is_day_of_report(before: str, weekday: str, after: str) -> bool:
    """Return whether a weekday is the end of a clause that says what happened on it: "j'ai vu Paul mercredi"."""
    if _REPORT.search(before) is None or _CLAUSE_END.match(after) is None:
        return False
    # "Met Joe Friday" may be a name.
    found = _WORD_BEFORE.search(before)
    if found is None or found[2] or found[1].lower() in _NO_DAY:
        return False
    return weekday[0].islower() or not found[1][0].isupper()


def _begins_clause(on: str, before: str, weekday: str, after: str) -> bool:
    """Return whether a weekday at the beginning of a clause is the day of what follows."""
    if _TOPIC_END.match(after) or _TIMED.match(after):
        return True
    # Domingo is also a name, and in Spanish a sentence with a verb begins with "el domingo".
    if not after.strip() or _IS_SUBJECT.match(after) or weekday.lower() == "domingo":
        return False
    return after[0] == " " and (on == "am" or not (_CAPITALIZED.match(after) or _IS_OF_ALL.search(after)))


def _ends_clause(on: str, before: str, weekday: str, after: str) -> bool:
    """Return whether a weekday inside a sentence is the last word of what happens on it, but for the time of day."""
    found = _WORD_BEFORE.search(before)
    is_timed = _TIMED.match(after) is not None
    is_end = _CLAUSE_END.match(after) or (on == "am" and _GERMAN_END.match(after))
    if found is None or not (is_timed or is_end) or (on != "am" and _CAPITALIZED.match(after)):
        return False
    word, sign = found.groups()
    written = word.lower().replace("’", "'")
    if len(word) < _FEWEST_LETTERS or not _NO_DAY.isdisjoint((written, written.rpartition("'")[2])):
        return False
    if sign == "," and not is_timed:
        return False
    if on in _LOWER_CASE_NAMES and weekday[0].isupper():
        return False
    if not word[0].isupper() or word.isupper() or _LINE_START.search(before, 0, found.start()):
        return True
    if _TO_PLACE.search(before, 0, found.start()):
        return True
    # "Lunch with Joe Friday", "Petra Freitag".
    is_name = _OF_NAME.search(before, 0, found.start()) is not None
    return not is_name if on == "am" else is_timed
