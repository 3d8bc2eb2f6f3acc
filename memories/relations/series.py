"""Statements about parts of a series: "In week 6 I planted beans", "Chapter 28 is set in Oslo", "In 2024, …"."""

from __future__ import annotations

from functools import lru_cache

from common.lazy_pattern import lazy_pattern
from memories.relations.statements import CACHED_STATEMENTS, Statement
from memories.relations.vocabulary import NUMBER_WORDS

_KINDS = (
    "week|day|month|year|quarter|season|term|semester|chapter|page|part|volume|episode|lesson|lecture|unit|module|exercise"
    "|session|meeting|sprint|round|match|game|stage|lap|experiment|test|task|ticket|issue|room|floor|table|building"
    "|house|platform|gate|lane|bed|plot|row|group|class|grade|invoice|bill|receipt|order|delivery|claim|case|request"
    "|pull request|section|article|question|step|phase|level|batch|box|shelf|drawer|locker|door|apartment|flat|seat"
    "|desk|server|node|printer|machine|flight|train|bus|tram|line|route|exit|patient|sample|tank|greenhouse"
)
"""Things that a number tells apart. Versions are left out: a new version replaces the old one."""

_NUMBER_WORDS = {"one": "1", "first": "1", "second": "2", **NUMBER_WORDS}
_NUMBER = rf"\d+(?:st|nd|rd|th)?|{'|'.join(_NUMBER_WORDS)}"
_TOPIC = r"(?:[^\n:]{1,40}:\s)?\W{0,3}"
_LEAD = r"(?:(?:in|on|at|for|during|from|after|the|my|our|her|his|their)\s){0,3}"
_PART = lazy_pattern(
    rf"{_TOPIC}(?:{_LEAD}(?:(?P<kind>{_KINDS})\s(?:no\.?\s|number\s)?#?(?P<number>{_NUMBER})\b"
    rf"|(?P<rank>{_NUMBER})\s(?P<ranked>{_KINDS})\b)|in\s(?P<year>(?:19|20)\d\d)\b)"
)


def are_about_parts_of_a_series(first: Statement, second: Statement) -> bool:
    """Return whether two statements begin with the same kind of part and another number."""
    mine, others = _part(first.text), _part(second.text)
    return mine is not None and others is not None and mine[0] == others[0] and mine[1] != others[1]


@lru_cache(CACHED_STATEMENTS)
def _part(text: str) -> tuple[str, str] | None:
    """Return the kind and the number of the part with which a text begins."""
    found = _PART.match(text.lower())
    if found is None:
        return None
    number = found["number"] or found["rank"] or found["year"]
    return found["kind"] or found["ranked"] or "year", _NUMBER_WORDS.get(number, number.rstrip("stndrh"))
