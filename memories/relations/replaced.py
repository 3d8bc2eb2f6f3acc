"""What a statement says that it replaces: "double quotes instead of single quotes", "quartz in the end"."""

from __future__ import annotations

from typing import Final

from common.lazy_pattern import lazy_pattern
from memories.relations.numbers import with_digits
from memories.relations.statements import CHANGE_CHARS, Statement, stem
from memories.relations.vocabulary import FUNCTION_WORDS

MIN_COUNTER_COSINE: Final = 0.6
"""Least cosine of two statements about the same counter: "the latest invoice is R-052", "the counter is at R-055"."""

_PAIR = 2

_WORDS = (
    r"((?:(?!(?:in|of|for|with|by|because|to|as|on|at|and|or|but|due|after|since|from|until|when|so|it|is|was)\b)"
    r"[a-z][\w'-]*(?: |$|(?=\W))){1,3})"
)
_DETERMINER = r"(?:the |my |our |his |her |their |an? )?"
_DROPPED = lazy_pattern(
    r"\b(?:instead of|rather than|in place of|(?:switched|moved|changed|migrated) (?:[\w'-]+ ){0,3}?from"
    r"|(?:dropped|ditched|scrapped|abandoned|replaced|swapped)(?=[^.,;:!?\n]{1,40} (?:in favou?r of|for|with|by)\b))"
    rf" {_DETERMINER}{_WORDS}"
)
_REJECTED = lazy_pattern(rf"\b(?:rather than|instead of|in place of|decided against|but not) {_DETERMINER}{_WORDS}")
_CHOSEN = lazy_pattern(
    r"\b(?:(?:gone|went|going) (?:for|with)|opted for|settled on|decided (?:on|for)|chose|chosen)"
    rf" {_DETERMINER}{_WORDS}"
)
_DROPPED_NUMBER = lazy_pattern(r"\b(?:rather than|instead of|and not|, not) (?:at |on |the )?(\d+(?:[.:]\d\d)?)\b")


def names_what_it_replaces(newer: Statement, older: Statement) -> bool:
    """Return whether the newer statement names what it replaces, and the older one is about that: two words, a name, or
    a word and something else in common. Or the newer one chooses what the older one rejects.
    """
    dropped = _stems(_DROPPED.findall(newer.lowered[:CHANGE_CHARS]))
    if dropped and dropped <= older.subject_words:
        others = (newer.subject_words & older.subject_words) - dropped - newer.change_words
        is_name = not dropped.isdisjoint(newer.capitalized_words & older.capitalized_words)
        if len(dropped) >= _PAIR or is_name or others - newer.capitalized_words:
            return True
    rejected = _stems(_REJECTED.findall(older.lowered))
    return not rejected.isdisjoint(_stems(_CHOSEN.findall(newer.lowered[:CHANGE_CHARS])))


def replaces_a_number(newer: Statement, older: Statement) -> bool:
    """Return whether the newer statement names a number of the older one that is not right any more: "at 1 pm rather
    than 11".
    """
    dropped = _DROPPED_NUMBER.findall(with_digits(newer.lowered[:CHANGE_CHARS]))
    return any(number.removesuffix(":00") in older.numbers for number in dropped)


def counts_on(newer: Statement, older: Statement, cosine: float) -> bool:
    """Return whether both say which number of a series is the latest, and that of the newer one is higher."""
    if cosine < MIN_COUNTER_COSINE:
        return False
    return any(newer.counters[kind] > older.counters[kind] for kind in newer.counters.keys() & older.counters.keys())


def _stems(phrases: list[str]) -> frozenset[str]:
    words = (word.strip(".,;:!?'\"()") for phrase in phrases for word in phrase.split())
    return frozenset(stem(word) for word in words if len(word) > 1 and word not in FUNCTION_WORDS)
