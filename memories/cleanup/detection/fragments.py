"""Texts that make no sense on their own: answers without their question, and pronouns without a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from common.lazy_pattern import lazy_pattern
from common.texts import translatable
from memories.cleanup.detection.found import ActiveMemory, FindingKind, Found
from memories.relations.statements import Statement

MAX_CHARS = 160
"""Longer texts say enough to be understood."""

_ANSWER = lazy_pattern(
    r"(?:yes|no|ok(?:ay)?|sure|thanks?|thank you|done|maybe|perhaps|true|false|correct|right|exactly|agreed"
    r"|same(?: here)?|me too|hi|hello|hey|bye|test(?:ing)?|todo|n/?a|none|nothing|nope|yep|yeah"
    r"|not sure|i agree|sounds good|great"
    r"|ja|nein|danke|genau|vielleicht|hallo|oui|non|merci|sí|gracias|sì|grazie)"
    r"(?:,? (?:please|that works|sure|thanks?|that(?:'s| is) (?:right|correct)|i (?:do|did|am|will)))?"
    r"[\s.!?…]*",
    re.IGNORECASE,
)
# "It is …" and "this year" often need nothing before them: it takes a verb that needs a subject.
_VERB = (
    r"(?:is|was|are|were|has|had|have|does|did|do|can|could|will|would|should|might|must|likes?|loves?|hates?|lives?"
    r"|works?|wants?|needs?|prefers?|moved|started|starts|costs?|looks?|seems?|went|came|said|told|bought|sold|made|got"
    r"|gave|took|left|agreed|decided|broke|failed|happened|belongs?|includes?|takes?|opens?|closes?|runs?|never|always"
    r"|also|still|often|usually|really)"
)
_PRONOUN = lazy_pattern(
    rf"(?:(?:he|she|they)(?:'(?:s|re|d|ll|ve)|\s)|(?:it|this|that|these|those) {_VERB}\b)", re.IGNORECASE
)
_POSSESSIVE = lazy_pattern(rf"(?:his|their) (?!own\b)[\w-]+(?: [\w-]+)? {_VERB}\b", re.IGNORECASE)
_WEATHER = lazy_pattern(
    r"(?:it|this|that) (?:is|was|will be|has been|takes?|costs?) (?:not )?(?:\w+ )?"
    r"(?:important|best|possible|forbidden|allowed|necessary|to|that|for|\d|about|raining|cold|warm|hot|\w+ to)\b",
    re.IGNORECASE,
)
_REFERENCE = lazy_pattern(
    r"\b(?:see above|as above|(?:as|like) (?:i )?(?:said|mentioned|discussed|described)(?: (?:before|above|earlier))?"
    r"|(?:the )?same as (?:before|above|last time|yesterday)|like last time|the (?:former|latter)"
    r"|(?:the|that|this) (?:first|second|third|last|other|previous|following|above) (?:one|option|thing|point|version)"
    r"|(?:option|variant|point|answer) (?:[a-d]|\d)(?= |\.|$)|siehe oben|wie (?:oben|gesagt|besprochen))\b",
    re.IGNORECASE,
)
_CONTINUATION = lazy_pattern(
    r"(?:and|but|because|or|so that|which|whose|although|instead of that|except|und|aber|weil|oder) ", re.IGNORECASE
)
_OPEN_END = lazy_pattern(r"(?:[:,;(]|\b(?:and|or|but|because|the|a|an|of|to|with|is|are))\s*$", re.IGNORECASE)


def find_fragments(memories: Iterable[ActiveMemory]) -> Iterator[Found]:
    """Yield the memories that make no sense on their own, each with the reason."""
    for memory in memories:
        if reason := why_fragment(memory.text):
            yield Found(FindingKind.FRAGMENT, [memory.id], reason, 1 / len(memory.text))


def why_fragment(text: str) -> str | None:
    """Return why a text makes no sense on its own; None if it may make sense."""
    if len(text) > MAX_CHARS or "\n" in text:
        return None
    if _ANSWER.fullmatch(text):
        return translatable("It is an answer without its question.")
    if _CONTINUATION.match(text) and text[0].islower():
        return translatable("It begins in the middle of a sentence.")
    if _OPEN_END.search(text):
        return translatable("It ends in the middle of a sentence.")
    if Statement.of(text).subjects:
        # Somebody or something has a name.
        return None
    if _REFERENCE.search(text):
        return translatable("It refers to something that it does not name.")
    if (_PRONOUN.match(text) and not _WEATHER.match(text)) or _POSSESSIVE.match(text):
        return translatable("It does not name whom or what it is about.")
    return None
