"""Sentences in which users speak of themselves, found by rule in English, German and Spanish.

The rule prefers to miss a statement: what it finds is stored as a memory without anybody reading it first.
"""

from __future__ import annotations

import re
from typing import Final

from common.lazy_pattern import lazy_pattern

MIN_WORDS: Final = 3
MAX_WORDS: Final = 40
MAX_CHARS: Final = 400

_FENCED = lazy_pattern(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_NOT_PROSE = lazy_pattern(r"^\s*(?:>|\||#|\$|[-*•]\s|\d+[.)]\s|\{|<|import |def |class |from )")
_SENTENCE_END = lazy_pattern(r"(?<=[.!?…])[\"'”»]?\s+(?=[\"'“„«¿¡]?[^\W\d_])")
_LEADS: Final = (
    *("and", "but", "so", "also", "well", "actually", "currently", "today", "now", "yes", "no", "hi", "hello", "hey"),
    *("thanks", "fyi", "by the way", "btw", "for context", "und", "aber", "also", "übrigens", "eigentlich", "zurzeit"),
    *("derzeit", "heute", "ja", "nein", "hallo", "y", "pero", "además", "actualmente", "hoy", "sí", "hola"),
    "por cierto",
)
"""Words before the subject of a sentence."""


def _any(*phrases: str) -> str:
    return f"(?:{'|'.join(phrases)})"


def _statement(*openings: str) -> re.Pattern[str]:
    """Return the pattern of sentences that begin with one of the openings, which are regular expressions."""
    return lazy_pattern(rf"^(?:{_any(*_LEADS)}[,:!]?\s+)*{_any(*openings)}\b", re.IGNORECASE)


_WORDS: Final = r"[\w'’-]+(?:\s+[\w'’-]+){0,3}"
"""One to four words, such as a noun with its attributes."""

_ENGLISH_STATES: Final = _any(
    *("trying", "getting", "looking", "wondering", "asking", "sure", "sorry", "not sure", "seeing", "curious"),
    *("confused", "stuck", "afraid", "going to", "about to", "guessing", "thinking", "writing", "having", "unable"),
)
"""The words after "I am" in sentences about the conversation."""

_ENGLISH_OPINIONS: Final = _any(
    "think", "guess", "need", "want", "wonder", "hope", "mean", "see", "would", "could", "tried"
)
_ENGLISH_VERBS: Final = _any(
    *(
        "live",
        "lived",
        "work",
        "worked",
        "study",
        "studied",
        "teach",
        "taught",
        "own",
        "drive",
        "speak",
        "play",
        "like",
    ),
    *(
        "love",
        "enjoy",
        "hate",
        "dislike",
        "prefer",
        "use",
        "eat",
        "drink",
        "had",
        "was",
        "was born",
        "grew up",
        "moved",
    ),
    *("run", "ran", "started", "quit", "retired", "married", "graduated", "collect", "practi[cs]e", "travel", "sleep"),
    *("wake up", "take", "wear", "smoke", "support", "believe in", "belong"),
    r"have(?!\s+(?:a question|to ask|the following|this|an error|no idea))",
)
_ENGLISH_ADVERBS: Final = _any(
    *(
        "always",
        "never",
        "usually",
        "often",
        "mostly",
        "really",
        "currently",
        "also",
        "still",
        "mainly",
        "only",
        "just",
    ),
    *("recently", "now", "no longer", "do not", "don['’]t"),
)
_ENGLISH_THINGS: Final = _any(
    *("question", "code", "script", "problem", "issue", "error", "guess", "point", "query", "request", "prompt"),
    *("function", "file"),
)
_ENGLISH: Final = _statement(
    rf"i(?:\s?['’]?m|\s+am)\s+(?!{_ENGLISH_STATES}\b)\S+",
    rf"i\s+(?:{_ENGLISH_ADVERBS}\s+)*{_ENGLISH_VERBS}",
    r"i['’]ve\s+(?:been|had|lived|worked|got|never|always)",
    rf"my\s+(?!{_ENGLISH_THINGS}\b){_WORDS}\s+"
    + _any("is", "are", "was", "were", "has", "have", "live", "work", "like", "turned", r"\w\w+s"),
    rf"i\s+(?!{_ENGLISH_OPINIONS}\b)\w+\s.*\b(?:every|each)",
    r"we\s+(?:live|have|own|moved|are married|got married|are expecting)",
)
_GERMAN: Final = _statement(
    r"ich\s+bin(?!\s+(?:mir nicht sicher|nicht sicher|gerade dabei|gespannt|verwirrt)\b)",
    r"ich\s+habe?(?!\s+(?:eine frage|folgende|(?:ein|das) problem|versucht|keine ahnung|(?:den|einen) fehler)\b)",
    r"ich\s+"
    + _any(
        *("war", "wohne", "lebe", "arbeite", "studiere", "lerne", "hatte", "heiße", "mag", "liebe", "hasse"),
        *("bevorzuge", "esse", "trinke", "spiele", "spreche", "fahre", "besitze", "benutze", "verwende", "trage"),
        *("sammle", "interessiere mich", "komme aus", "gehe (?:gern|oft|jeden|immer)", "wurde .* geboren"),
    ),
    rf"meine?\s+(?!(?:frage|code|problem|fehler|skript|datei)\b){_WORDS}\s+"
    + _any("ist", "sind", "waren?", "hat", "haben", "heiß(?:t|en)", "wohnt", "lebt", "arbeitet", "mag", "wird"),
    r"ich\s+\w+\s.*\b(?:jede[ns]?|immer)",
    r"wir\s+(?:wohnen|leben|haben|sind (?:verheiratet|umgezogen))",
)
_SPANISH: Final = _statement(
    r"(?:yo\s+)?tengo(?!\s+(?:una pregunta|un problema|una duda|un error|que)\b)",
    r"(?:yo\s+)?"
    + _any(
        *("soy", r"estoy (?:casad|solter|jubilad|viviendo|trabajando|estudiando)\w*", "vivo", "trabajo", "estudio"),
        *("prefiero", "odio", "uso", "no como", "bebo", "juego", "hablo", "conduzco", "nací", "crecí"),
        "me (?:llamo|gustan?|encantan?|mudé|jubilé|casé)",
    ),
    rf"mis?\s+(?!(?:pregunta|código|problema|error|duda|archivo)\b){_WORDS}\s+"
    + _any("es", "son", "eran?", "está", "están", "tienen?", "se llaman?", "viven?", "trabaja"),
    r"(?:nosotros\s+)?(?:vivimos|tenemos hijos|nos mudamos)",
)
_REQUEST: Final = lazy_pattern(
    r"\b"
    + _any(
        *("(?:can|could|would|will) you", "please", "help me", "tell me", "give me", "write me", "explain"),
        *("kannst du", "könntest du", "bitte", "hilf mir", "erkläre", "sag mir"),
        *("puedes", "podrías", "por favor", "ayúdame", "dime", "explica"),
    )
    + r"\b",
    re.IGNORECASE,
)
_REMEMBER: Final = lazy_pattern(
    r"^(?:please\s+|bitte\s+|por favor,?\s+)?"
    + _any(
        *("remember", "keep in mind", "note", "don['’]t forget", "merke? dir", "denke? daran", "vergiss nicht"),
        *("recuerda", "ten en cuenta", "no olvides"),
    )
    + r"(?:\s+(?:that|que)|[,:])?\s+",
    re.IGNORECASE,
)
"""The request to remember what follows."""


def statements_about_me(message: str) -> list[str]:
    """Return the sentences of a message in which its writer says something about themselves, without duplicates.

    Questions, requests, quotes, lists and code are not statements. "Remember that I eat no meat" becomes
    "I eat no meat".
    """
    prose = [line for line in _FENCED.sub("\n", message).splitlines() if not _NOT_PROSE.match(line)]
    sentences = (_remembered(sentence.strip()) for line in prose for sentence in _SENTENCE_END.split(line.strip()))
    return list(dict.fromkeys(sentence for sentence in sentences if _is_statement(sentence)))


def _remembered(sentence: str) -> str:
    """Return what a sentence asks to remember, as a sentence; another sentence as it is."""
    rest = _REMEMBER.sub("", sentence)
    return rest if rest == sentence else rest[:1].upper() + rest[1:]


def _is_statement(sentence: str) -> bool:
    if (
        len(sentence) > MAX_CHARS
        or sentence.endswith(("?", ":", "...", "…"))
        or "`" in sentence
        or _REQUEST.search(sentence)
    ):
        return False
    if not MIN_WORDS <= len(sentence.split()) <= MAX_WORDS:
        return False
    return any(language.match(sentence) for language in (_ENGLISH, _GERMAN, _SPANISH))
