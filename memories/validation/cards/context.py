"""Classification of a number by the words around it."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Sequence

from memories.validation.cards.words import (
    CARD,
    CARD_UNSPACED,
    FILLER,
    LINKS,
    ON_A_CARD,
    OTHER,
    OTHER_UNSPACED,
    PAYING,
    PEOPLE,
    VAGUE,
)

BEFORE_CHARS, BEFORE_WORDS = 60, 7
AFTER_CHARS, AFTER_WORDS = 40, 4
UNSPACED_CHARS = 12

_WORD = re.compile(r"[^\W\d_]+")
_CASE_CHANGE = re.compile(r"(?<=[a-z])(?=[A-Z])")
_IN_CASE = re.compile(r"\bin case\b", re.IGNORECASE)
_SERIAL = re.compile(r"\b[SP]/N\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?:[;!?]|(?<!\bno)(?<!\bnr)(?<!\bnum)(?<!\bref)(?<!\btel)\.)\s", re.IGNORECASE)
_SAID_TO_BE = re.compile(
    r"(?:\W{1,3}(?:is|was|as|ist|war|est|es|era)\W+(?:(?:the|my|our|your|his|her|its|an?)\W+)?|\s?\()", re.IGNORECASE
)
_SPEAKER = re.compile(r"\W*(\w+):\s*")
_EXPIRY = re.compile(r"\W{1,3}(?:0[1-9]|1[0-2]) ?[/-] ?(?:20)?[2-4][0-9](?![0-9/-])")


class Context(enum.Enum):
    """The kind of a number according to the words around it."""

    CARD = enum.auto()
    OTHER = enum.auto()
    NONE = enum.auto()


def context_of(text: str, start: int, end: int, *, is_grouped: bool) -> Context:
    """Classify `text[start:end]` by the words before and after it.

    A word for cards outweighs one for other things. Words for other things count only directly before the number, on
    its line: "order 4111…" names an order, "the order was paid with 4111…" does not. A number in groups, as cards are
    written, needs a less ambiguous word.
    """
    before = text[max(0, start - BEFORE_CHARS) : start]
    after = text[end : end + AFTER_CHARS].partition("\n")[0]
    words_before, words_after = _words(before)[-BEFORE_WORDS:], _words(after)[:AFTER_WORDS]
    if _has(CARD, words_before) or CARD_UNSPACED.search(before[-UNSPACED_CHARS:]) or _has(ON_A_CARD, words_after):
        return Context.CARD
    if _names_other(before.rpartition("\n")[2], is_grouped) or _is_said_to_be_other(after):
        return Context.OTHER
    if _has(CARD, words_after) or CARD_UNSPACED.search(after[:UNSPACED_CHARS]) or _EXPIRY.match(after):
        return Context.CARD
    return Context.NONE


def is_card_word(word: str) -> bool:
    """Return whether `word` names payment cards or something that is printed on them."""
    return _has(CARD, [word.casefold()]) or _has(ON_A_CARD, [word.casefold()])


def _has(pattern: re.Pattern[str], words: Iterable[str]) -> bool:
    return any(map(pattern.fullmatch, words))


def _words(text: str) -> list[str]:
    """Return the words in lower case. Identifiers such as cardNumber are split, names such as FedEx are not."""
    words: list[str] = []
    for word in _WORD.findall(_SERIAL.sub("serial ", text)):
        is_name = _has(OTHER, [word.casefold()]) or _has(CARD, [word.casefold()])
        words += [word] if is_name else _CASE_CHANGE.split(word)
    return [word.casefold() for word in words]


def _names_other(line: str, is_grouped: bool) -> bool:
    """Return whether the text before the number on its line names something else that has a number."""
    if OTHER_UNSPACED.search(line[-UNSPACED_CHARS:]):
        return True
    speaker = _SPEAKER.fullmatch(line)
    if speaker and _has(PEOPLE, [speaker[1].casefold()]):
        return False
    subject = _subject(_words(_IN_CASE.sub(" ", _SENTENCE_END.split(line)[-1])))
    return _has(OTHER, subject[-1:]) if is_grouped else _has(OTHER, subject) or _has(VAGUE, subject)


def _subject(words: Sequence[str]) -> Sequence[str]:
    """Return the last word that is not a filler; for a maker, also the thing before it: "the order from Amazon is"."""
    places = [place for place, word in enumerate(words) if not FILLER.fullmatch(word)]
    if not places or PAYING.fullmatch(words[places[-1]]):
        return ()
    is_maker = len(places) > 1 and words[places[-1] - 1] in LINKS
    return [words[place] for place in (places[-2:] if is_maker else places[-1:])]


def _is_said_to_be_other(after: str) -> bool:
    """Return whether the text after the number says that it is something else: "… is my order number"."""
    link = _SAID_TO_BE.match(after)
    words = [] if link is None else _words(after[link.end() :])[:2]
    return _has(OTHER, words) or _has(VAGUE, words)
