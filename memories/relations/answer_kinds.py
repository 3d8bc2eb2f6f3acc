"""Kinds of answers: what a question such as "when" asks for, and what a text can answer, by its words.

English, German, French, Spanish and Italian. In other languages, only times and numbers in digits are recognized.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from enum import IntFlag

from common.lazy_pattern import lazy_pattern
from memories.relations.vocabulary import DATE_NAMES, NUMBER_WORDS


class AnswerKind(IntFlag):
    """A kind of answer. A question can ask for several, and a text can tell several."""

    TIME = 1
    NUMBER = 2
    PERSON = 4
    PLACE = 8


_DAY_WORDS = """
    yesterday today tonight tomorrow ago last next now since until soon recently daily weekly
    day days week weeks weekend weekends month months year years morning mornings evening evenings afternoon afternoons
    night nights spring summer autumn winter christmas easter birthday birthdays
    mondays tuesdays wednesdays thursdays fridays saturdays sundays am pm
    gestern heute morgen letzte letzten letztes nächste nächsten nächstes seit bis tag tage tagen woche wochen monat
    monate jahr jahre jahren abends nachts frühling sommer herbst weihnachten ostern geburtstag uhr
    hier demain depuis jour jours semaine semaines mois an ans année années matin soir noël
    ayer hoy mañana desde hasta día días semana semanas mes meses año años navidad
    ieri oggi domani fino giorno giorni settimana settimane mese mesi anno anni sera natale
"""
TIME_WORDS = frozenset(_DAY_WORDS.split()) | DATE_NAMES
_YEAR_OR_CLOCK = lazy_pattern(r"(?:19|20)\d\d$|\d{1,2}:\d\d")

_COUNTED = """
    one once couple few several half hundred zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig hundert
    deux trois quatre cinq sept huit neuf dix onze douze vingt cent dos tres cuatro cinco seis siete ocho nueve diez
    doce veinte cien due tre quattro cinque sei sette otto nove dieci undici dodici venti cento
"""
COUNTING_WORDS = frozenset(_COUNTED.split()) | NUMBER_WORDS.keys()

_PEOPLE = """
    he she they we mother father mom mum dad sister sisters brother brothers son sons daughter daughters wife husband
    partner friend friends girlfriend boyfriend boss colleague colleagues neighbour neighbours neighbor neighbors aunt
    uncle cousin cousins grandma grandpa grandmother grandfather doctor coach teacher kid kids child children parents
    family dr mr mrs ms
    mère père sœur soeur frère fils fille mari femme ami amie amis elle
    madre padre hermana hermano hijo hija hijos marido esposa esposo amiga amigo amigos tía tío abuela abuelo ella
    sorella fratello figlio figlia figli moglie marito amica amico amici zia zio nonna nonno lui lei
"""
PEOPLE = frozenset(_PEOPLE.split())

_PREPOSITIONS = """
    in at to from near on by into around behind under inside
    im am bei beim nach aus zum zur auf neben unter hinter
    à au aux en dans chez sur sous près del desde cerca al nel nella dal dalla sul sulla presso
"""
PREPOSITIONS = frozenset(_PREPOSITIONS.split())
"""Words that come before places, but also before other things: most texts with a place have one, and so do many
without."""

# The beginning of a sentence, and what may come before the word that asks: "So tell me, until when …". In the middle,
# "when" and "who" mostly ask for nothing. Possessive quantifiers (*+) do not give characters back: otherwise a question
# of commas and spaces would take seconds.
_BEGINNING = (
    r"(?:^\W*+|(?<=\w)(?=\W*?[.!?:;,]\s)\W++)"
    r"(?:(?:so|and|but|und|et|y|e|ok|hey|now|do you (?:know|remember)|(?:can you )?tell me|remind me|weißt du|sais-tu"
    r"|sabes|sai)\s+)*"
    r"(?:(?:on|by|until|since|from|at|in|with|to|for|ab|bis|seit|um|an|mit|von|für|bei|à|de|depuis|avec|pour|chez|a|con"
    r"|desde|hasta|para|per|da|di)\s+)?"
)
_ASKING = {
    AnswerKind.TIME: lazy_pattern(
        _BEGINNING + r"(?:when\b|(?:what|which) (?:\w+ )?(?:days?|dates?|time|years?|months?|weeks?|weekend)\b"
        r"|how (?:long|often|recently|soon)\b|wann\b|welche[mnrs]? (?:tag|datum|monat|jahr|woche|uhrzeit)\b"
        r"|wie (?:lange|oft|spät)\b|(?:um )?wie ?viel uhr\b|quand\b|quel(?:le)? (?:jour|heure|date|mois|année)\b"
        r"|combien de temps\b|cuándo\b|qué (?:día|hora|fecha|mes|año)\b|cuánto tiempo\b|quando\b"
        r"|che (?:ora|giorno|data|mese|anno)\b|quanto tempo\b)",
        re.IGNORECASE,
    ),
    AnswerKind.NUMBER: lazy_pattern(
        r"\bhow (?:many|much|old|big|tall|high|far|fast|large|long|wide|heavy)\b|\b(?:number|price|size|age|cost)s?\b"
        r"|\bwie (?:viele?|alt|hoch|groß|weit|schnell|teuer|schwer|lang)\b|\b\w*(?:nummer|preis|größe)\b|\bkoste[nt]\b"
        r"|\bcombien\b|\bquel âge\b|\bcuánt[oa]s?\b|\bqué (?:edad|talla|número)\b|\bquant[oaie]\b|\bche età\b",
        re.IGNORECASE,
    ),
    AnswerKind.PERSON: lazy_pattern(
        _BEGINNING
        + r"(?:who(?:m|se)?\b|(?:which|what) (?:person|people|friends?|colleagues?)\b|we[rmn]\b|wessen\b|qui\b"
        r"|quién(?:es)?\b|chi\b)",
        re.IGNORECASE,
    ),
    AnswerKind.PLACE: lazy_pattern(
        _BEGINNING + r"(?:where\b|(?:which|what) (?:city|cities|countr(?:y|ies)|towns?|places?|street|address|room)\b"
        r"|wo(?:hin|her)?\b|welche[mnrs]? (?:stadt|ort|land|straße|adresse|raum)\b|où\b|quelle (?:ville|rue|adresse)\b"
        r"|quel (?:pays|endroit)\b|(?:a|de)?dónde\b|qué (?:ciudad|país|lugar|calle)\b|dove\b|dov'è"
        r"|che (?:città|paese|posto|via)\b)",
        re.IGNORECASE,
    ),
}


def asked_kinds(question: str) -> AnswerKind:
    """Return the kinds of answers that a question asks for; none for most questions, such as "What did he say?"."""
    asked = AnswerKind(0)
    for kind, pattern in _ASKING.items():
        if pattern.search(question):
            asked |= kind
    return asked


def told_kinds(words: Iterable[str], names: Collection[str]) -> AnswerKind:
    """Return the kinds of answers that a text can give, by its words in lower case and the names in it."""
    distinct = frozenset(words)
    numbers = [word for word in distinct if word[0].isdigit()]
    told = AnswerKind(0)
    if not distinct.isdisjoint(TIME_WORDS) or any(map(_YEAR_OR_CLOCK.match, numbers)):
        told |= AnswerKind.TIME
    if numbers or not distinct.isdisjoint(COUNTING_WORDS):
        told |= AnswerKind.NUMBER
    if names or not distinct.isdisjoint(PEOPLE):
        told |= AnswerKind.PERSON
    if not distinct.isdisjoint(PREPOSITIONS):
        told |= AnswerKind.PLACE
    return told
