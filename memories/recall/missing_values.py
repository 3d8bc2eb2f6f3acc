"""Values that a question asks for and a text lacks: no text without a number says what something cost.

English and German.
"""

from __future__ import annotations

from collections.abc import Callable

from common.lazy_pattern import lazy_pattern
from memories.relations.statements import Statement
from memories.relations.vocabulary import NUMBER_WORDS

_PHONE_NUMBER = lazy_pattern(r"\d{3}")
_SUM = lazy_pattern(rf"[£$€¥]|(?<![\w.])\d|\b(?:{'|'.join(NUMBER_WORDS.keys() - {'one', 'first', 'a', 'an'})})\b")
"""A sum of money. "One of two" and "a Z8" are none."""

_AMOUNT = lazy_pattern(
    r"\b(?:born|birthday|half|several|few|couple|both|single|only|no|none|never|each|every|an?|geboren|geburtstag|halb"
    r"|mehrere|paar|beide|kein\w*|jede\w*|ein\w*)\b"
)
_TIME_OF_DAY = lazy_pattern(
    r"noon|midnight|morning|evening|afternoon|lunch|breakfast|night|dawn|early|late|mittag|morgen|abend|nacht|früh|spät"
)
_ASKS_FOR_A_PHONE_NUMBER = lazy_pattern(
    r"\b(?:phone|mobile|telephone|cell(?:phone)?) number\b|\b(?:telefon|handy)nummer\b"
)
_ASKS_FOR_AN_EMAIL_ADDRESS = lazy_pattern(r"\be-?mail[ -]?(?:address|adresse)\b")
_ASKS_FOR_A_SUM = lazy_pattern(
    r"\bhow much (?:does|did|do|is|are|was|were|will|would|have|has|had)\b.*"
    r"\b(?:cost|pay|paid|spend|spent|owes?|earns?|charged?|rent|price|salary|fee)\b"
    r"|\bwhat (?:does|did|do) .*\b(?:cost|charge)\b|\bprice of\b|\bwie ?viel (?:kostet|kosten|zahl\w+|schulde\w*)\b"
)
_ASKS_FOR_AN_AMOUNT = lazy_pattern(r"\bhow (?:old|tall|heavy|far|many)\b|\bwie (?:alt|groß|schwer|weit|viele)\b")
_ASKS_FOR_A_TIME_OF_DAY = lazy_pattern(r"\b(?:at )?what time\b|\bum wie ?viel uhr\b")


def _tells_phone_number(text: Statement) -> bool:
    return _PHONE_NUMBER.search(text.text) is not None


def _tells_email_address(text: Statement) -> bool:
    return "@" in text.text


def _tells_sum(text: Statement) -> bool:
    return _SUM.search(text.lowered) is not None


def _tells_amount(text: Statement) -> bool:
    return bool(text.numbers) or _AMOUNT.search(text.lowered) is not None


def _tells_time_of_day(text: Statement) -> bool:
    return bool(text.numbers) or _TIME_OF_DAY.search(text.lowered) is not None


_VALUES = (
    (_ASKS_FOR_A_PHONE_NUMBER, _tells_phone_number),
    (_ASKS_FOR_AN_EMAIL_ADDRESS, _tells_email_address),
    (_ASKS_FOR_A_SUM, _tells_sum),
    (_ASKS_FOR_AN_AMOUNT, _tells_amount),
    (_ASKS_FOR_A_TIME_OF_DAY, _tells_time_of_day),
)


def tests_for_values(question: Statement) -> list[Callable[[Statement], bool]]:
    """Return tests of a text, one for each kind of value that a question asks for: whether the text may tell it."""
    return [told for asking, told in _VALUES if asking.search(question.lowered)]
