"""The aspect of the owner that a text is about: name, health, family, home, work, answers or preferences."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from common.lazy_pattern import lazy_pattern
from memories.aspects.names import as_statement_of_owner, introduces_owner
from memories.aspects.vocabulary import CLAUSE_START, EXPRESSIONS

READ_CHARS = 300
"""Number of characters of a text that are read. Such statements come first in a text."""

MAX_SENTENCES = 4
"""Number of sentences that are read."""


NAME_SIGN = ":"
"""Separator between an aspect and the name of the person whom the text is about."""


class Aspect(StrEnum):
    """Something about the owner that every assistant needs to know. The first one decides about a text with several."""

    NAME = "name"
    HEALTH = "health"
    FAMILY = "family"
    HOME = "home"
    WORK = "work"
    ANSWERS = "answers"
    PREFERENCES = "preferences"


_PATTERNS = {aspect: lazy_pattern(rf"(?:{'|'.join(EXPRESSIONS[aspect])})") for aspect in Aspect}
# In "am 22. Mai", no sentence ends.
_SENTENCE_END = lazy_pattern(r"(?:[!?;\n]|\.(?!\s(?i:jan|jän|feb|mär|apr|mai\b|jun|jul|aug|sep|okt|nov|dez)\w*))\s+")
_START = lazy_pattern(CLAUSE_START)

# Assistants write "She gets migraines" about the owner. About others, somebody is named before.
_PRONOUN = lazy_pattern(r"[\s\-*•–>\"'(]{0,8}(She|He|Her|His) ")
_OF_PRONOUNS = (Aspect.HEALTH, Aspect.FAMILY)


def aspect_of(text: str) -> str | None:
    """Return the aspect of the owner, or of people close to them, that a text is about; None for most texts.

    If the text is about somebody by name, the name follows: "home:elin" for "Elin lives in Graz". Whether Elin is the
    owner depends on other memories, which may be stored later.

    English, German, French, Spanish and Italian. Only the beginnings of sentences are compared: "my wife is called Ada"
    is about the family, "a book about my wife" is not.
    """
    start = text[:READ_CHARS].replace("’", "'")
    sentences = [each for each in _SENTENCE_END.split(start, MAX_SENTENCES)[:MAX_SENTENCES] if each]
    if any(introduces_owner(sentence) for sentence in sentences) and not start.rstrip().endswith("?"):
        return Aspect.NAME
    if aspect := _aspect_in(sentence.lower() for sentence in sentences):
        return aspect
    if (found := _PRONOUN.match(start)) and (aspect := _aspect_in([_about_the_user(found, start)])) in _OF_PRONOUNS:
        return aspect
    for sentence in sentences:
        if (named := as_statement_of_owner(sentence)) and (aspect := _aspect_in([named[1]])):
            return f"{aspect}{NAME_SIGN}{named[0]}"
    return None


def _about_the_user(pronoun: re.Match[str], text: str) -> str:
    """Return the first sentence of a text in lower case, with "the user" in place of its first word, a pronoun."""
    first = _SENTENCE_END.split(text[pronoun.end() :], 1)[0]
    subject = "the user's" if pronoun[1] in ("Her", "His") else "the user"
    return f"{subject} {first}".lower()


def _aspect_in(sentences: Iterable[str]) -> Aspect | None:
    """Return the first aspect that one of some sentences in lower case tells of the owner."""
    beginnings = [sentence[found.end() :] for sentence in sentences if (found := _START.match(sentence))]
    for aspect, pattern in _PATTERNS.items():
        for beginning in beginnings:
            if pattern.match(beginning) and not beginning.rstrip().endswith("?"):
                return aspect
    return None
