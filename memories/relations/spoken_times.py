"""Times of day in words, in digits: "halb acht" and "half past seven" as "7:30", "las ocho menos cuarto" as "7:45".

The texts are in lower case. Words such as "abends" after the time are read later.
"""

from __future__ import annotations

from common.lazy_pattern import lazy_pattern

_HOUR_WORDS = {
    word: number
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "une deux trois quatre cinq six sept huit neuf dix onze douze",
        "una dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "una due tre quattro cinque sei sette otto nove dieci undici dodici",
    )
    for number, word in enumerate(words.split(), 1)
}
_HOUR = rf"({'|'.join(sorted(_HOUR_WORDS, key=len, reverse=True))}|1[0-2]|[1-9])"
_MINUTES = {
    **dict.fromkeys(("half past", "et demie", "et demi", "y media", "e mezza", "e mezzo"), 30),
    **dict.fromkeys(("quarter past", "quarter after", "viertel nach", "et quart", "y cuarto", "e un quarto"), 15),
    **dict.fromkeys(("quarter to", "viertel vor", "moins le quart", "menos cuarto", "meno un quarto"), -15),
    **dict.fromkeys(("halb",), -30),
    **dict.fromkeys(("dreiviertel",), -15),
}
"""Words for a part of an hour, and how many minutes it is after the hour that is named."""

# "Half an hour", "vor acht Jahren" and "sette ore e mezza" are not times of day.
_END = r"(?![\w:]|[.,]\d| ?%| (?:jahren?|tagen?|wochen|monaten?|stunden?|years|days|weeks|months|hours)\b)"
_BEFORE = lazy_pattern(
    r"\b(?:a )?(half past|quarter past|quarter after|quarter to|halb|dreiviertel|viertel nach|viertel vor) "
    rf"{_HOUR}{_END}"
)
_AFTER = lazy_pattern(
    rf"\b(à|vers|dès|avant|après|a la|las|alle|dalle|le) {_HOUR}(?: ?h| heures?)? "
    rf"(et demie?|et quart|moins le quart|y media|y cuarto|menos cuarto|e mezz[ao]|e un quarto|meno un quarto){_END}"
)
_SIGN = lazy_pattern(r"half |quarter |halb |viertel|demi| quart|media|cuarto|mezz")

PATTERNS = (_BEFORE, _AFTER)


def with_clock_times(lowered: str) -> str:
    """Return the text with digits for times of day in words."""
    if not _SIGN.search(lowered):
        return lowered
    lowered = _BEFORE.sub(lambda found: _time(found[2], found[1]), lowered)
    return _AFTER.sub(lambda found: f"{found[1]} {_time(found[2], found[3])}", lowered)


def _time(hour: str, part: str) -> str:
    minutes = (_HOUR_WORDS.get(hour) or int(hour)) * 60 + _MINUTES[part]
    return f"{minutes // 60 or 12}:{minutes % 60:02}"
