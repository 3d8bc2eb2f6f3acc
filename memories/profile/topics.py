"""The topic of a text that says who the owner is."""

from __future__ import annotations

from enum import StrEnum

from common.lazy_pattern import lazy_pattern
from memories.profile.vocabulary import CLAUSE_START, EXPRESSIONS

READ_CHARS = 300
"""Number of characters of a text that are read. Such statements come first in a text."""

MAX_SENTENCES = 4
"""Number of sentences that are read."""


class ProfileTopic(StrEnum):
    """A topic of which every assistant needs to know, in the order in which they decide about a text with several."""

    NAME = "name"
    HEALTH = "health"
    FAMILY = "family"
    HOME = "home"
    WORK = "work"


# One search for most texts, which have no topic. The names of the groups are those of the topics.
_PATTERNS = {topic: lazy_pattern(rf"(?:{'|'.join(EXPRESSIONS[topic])})") for topic in ProfileTopic}
_SENTENCE_END = lazy_pattern(r"[.!?;\n]\s+")
_START = lazy_pattern(CLAUSE_START)


def profile_topic(text: str) -> ProfileTopic | None:
    """Return the topic of a text that says who the owner is, or who is close to them; None for most texts.

    English, German, French, Spanish and Italian. Only the beginnings of sentences are compared: "my wife is called Ada"
    is about the family, "a book about my wife" is not.
    """
    start = text[:READ_CHARS].lower().replace("’", "'")
    sentences = [each for each in _SENTENCE_END.split(start, MAX_SENTENCES)[:MAX_SENTENCES] if each]
    beginnings = [sentence[found.end() :] for sentence in sentences if (found := _START.match(sentence))]
    for topic, pattern in _PATTERNS.items():
        for beginning in beginnings:
            if pattern.match(beginning) and not beginning.rstrip().endswith("?"):
                return topic
    return None
