"""Vocabulary of time phrases in each language, in lower case and without accents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Unit = Literal["day", "week", "weekend", "month", "year"]
Which = Literal["this", "last"]

UP_TO = "to|and|until|through|bis|und|au|et|al?|y|e"
"""Words between the first and the last day of a range, in all languages, since some share the names of months."""


def _numbered(names: str, start: int) -> dict[str, int]:
    """Return the number of each name; spellings of one name are separated by bars."""
    return {spelling: number for number, name in enumerate(names.split(), start) for spelling in name.split("|")}


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of one language.

    - `months`: number of each month; January is 1.
    - `weekdays`: number of each weekday; Monday is 0.
    - `days`: words for a day, and how many days ago it is.
    - `which`: words for "this" and "last".
    - `units`: words for units of time.
    - `numbers`: words for numbers.

    Regular expressions:

    - `since`: words for "since".
    - `in_month`, `in_year`: words before a month or a year on its own.
    - `of`: words between the parts of a date.
    - `ordinal`: suffixes of a day.
    - `ago`: words for "ago", after a length of time, or before it if `ago_first`.
    - `to_come`: words after a month that put it in the future.

    `month_first`: the month may also come first in a date with a day. `last_follows`: the words for "last" follow their
    noun.
    """

    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    days: Mapping[str, int]
    which: Mapping[str, Which]
    units: Mapping[str, Unit]
    numbers: Mapping[str, int]
    since: str
    in_month: str
    in_year: str
    ago: str
    to_come: str
    of: str = ""
    ordinal: str = ""
    ago_first: bool = False
    month_first: bool = False
    last_follows: bool = False


ENGLISH = Vocabulary(
    months=_numbered(
        "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sep|sept october|oct "
        "november|nov december|dec",
        1,
    ),
    weekdays=_numbered("monday tuesday wednesday thursday friday saturday sunday", 0),
    since="since(?: the)?",
    in_month="in|during|of",
    # "A budget of 2000 dollars" names no year.
    in_year=r"in|during|of(?= \d{4}\b(?! ?[\w$€£]))",
    of="of",
    days={"today": 0, "yesterday": 1, "last night": 1, "day before yesterday": 2},
    which={"this": "this", "last": "last", "past": "last"},
    units={
        "day": "day", "days": "day", "week": "week", "weeks": "week", "weekend": "weekend", "month": "month",
        "months": "month", "year": "year", "years": "year",
    },
    numbers={
        "a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "three": 3, "a few": 3, "four": 4, "five": 5, "six": 6,
        "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
    },
    ago="ago",
    to_come="(?:of )?next",
    ordinal="st|nd|rd|th",
    month_first=True,
)  # fmt: skip

_GERMAN_LAST = [stem + ending for stem in ("letzt", "vorig", "vergangen") for ending in ("e", "en", "er", "es", "em")]

GERMAN = Vocabulary(
    months=_numbered("januar|janner februar marz april mai juni juli august september oktober november dezember", 1),
    weekdays=_numbered("montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag", 0),
    since="seit(?: dem)?",
    in_month="im|vom",
    in_year="im jahr|in",
    days={"heute": 0, "gestern": 1, "vorgestern": 2},
    which={
        "diese": "this", "diesen": "this", "dieser": "this", "dieses": "this", "diesem": "this",
        **dict.fromkeys(_GERMAN_LAST, "last"),
    },
    units={
        "tag": "day", "tage": "day", "tagen": "day", "woche": "week", "wochen": "week", "wochenende": "weekend",
        "monat": "month", "monate": "month", "monaten": "month", "jahr": "year", "jahre": "year", "jahren": "year",
    },
    numbers={
        "ein": 1, "eine": 1, "einem": 1, "einer": 1, "zwei": 2, "drei": 3, "vier": 4, "funf": 5, "sechs": 6,
        "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "elf": 11, "zwolf": 12,
    },
    ago="vor",
    to_come="(?:des )?(?:nachste|kommende)",
    ordinal=r"\.",
    ago_first=True,
)  # fmt: skip

FRENCH = Vocabulary(
    months=_numbered("janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre", 1),
    weekdays=_numbered("lundi mardi mercredi jeudi vendredi samedi dimanche", 0),
    since="depuis(?: le| la| l['’])?",
    in_month="en|au mois de",
    in_year="en",
    # On its own, "hier" may be the German word for "here".
    days={"aujourd'hui": 0, "aujourd’hui": 0, "avant-hier": 2, "d'hier": 1, "d’hier": 1, "hier soir": 1},
    which={"cette": "this", "ce": "this", "dernier": "last", "derniere": "last", "passe": "last", "passee": "last"},
    units={
        "jour": "day", "jours": "day", "semaine": "week", "semaines": "week", "week-end": "weekend", "mois": "month",
        "an": "year", "ans": "year", "annee": "year", "annees": "year",
    },
    numbers={
        "un": 1, "une": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "sept": 7, "huit": 8, "neuf": 9,
        "dix": 10, "onze": 11, "douze": 12,
    },
    ago="il y a",
    to_come="(?:de l['’]an(?:nee)? )?prochain",
    ordinal="er",
    ago_first=True,
    last_follows=True,
)  # fmt: skip

SPANISH = Vocabulary(
    months=_numbered(
        "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre", 1
    ),
    weekdays=_numbered("lunes martes miercoles jueves viernes sabado domingo", 0),
    since="desde(?: el| la)?",
    in_month="en|durante",
    in_year="en|durante",
    of="del?",
    days={"hoy": 0, "ayer": 1, "anoche": 1, "anteayer": 2, "antes de ayer": 2},
    which={"esta": "this", "este": "this", "pasado": "last", "pasada": "last"},
    units={
        "dia": "day", "dias": "day", "semana": "week", "semanas": "week", "fin de semana": "weekend", "mes": "month",
        "meses": "month", "ano": "year", "anos": "year",
    },
    numbers={
        "un": 1, "una": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9,
        "diez": 10, "once": 11, "doce": 12,
    },
    ago="hace",
    to_come="(?:del? )?(?:ano )?(?:proximo|que viene)",
    ago_first=True,
    last_follows=True,
)  # fmt: skip

ITALIAN = Vocabulary(
    months=_numbered(
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre", 1
    ),
    weekdays=_numbered("lunedi martedi mercoledi giovedi venerdi sabato domenica", 0),
    since="(?:dal|dalla|dall['’]|da)",
    in_month="a|in|nel|del",
    in_year=r"nel|del(?= \d{4}\b(?! ?[\w$€£]))",
    days={"oggi": 0, "ieri": 1, "l'altro ieri": 2, "l’altro ieri": 2},
    which={"quest'": "this", "quest’": "this", "questa": "this", "questo": "this", "scorso": "last", "scorsa": "last"},
    units={
        "giorno": "day", "giorni": "day", "settimana": "week", "settimane": "week", "fine settimana": "weekend",
        "mese": "month", "mesi": "month", "anno": "year", "anni": "year",
    },
    numbers={
        "un": 1, "una": 1, "due": 2, "tre": 3, "quattro": 4, "cinque": 5, "sei": 6, "sette": 7, "otto": 8, "nove": 9,
        "dieci": 10, "undici": 11, "dodici": 12,
    },
    ago="fa",
    to_come="(?:dell['’]anno |del )?prossimo",
    last_follows=True,
)  # fmt: skip

LANGUAGES = (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN)
