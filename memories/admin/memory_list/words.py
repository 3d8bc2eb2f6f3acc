"""The words of a search, and the memories that have them: in the text, or as a tag."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Q

from memories.models import Memory
from memories.validation.text import clean_tag

MAX_WORDS = 20
"""Number of words that a memory must have to be found by them."""


@dataclass(frozen=True, slots=True)
class Words:
    """The typed words, each with the canonical tag that it names, which is empty if it cannot be one."""

    tags: Mapping[str, str]

    def with_synonyms(self, synonyms: Mapping[str, str]) -> Words:
        """Return the same words with the canonical tags in place of variants."""
        return Words({word: synonyms.get(tag, tag) for word, tag in self.tags.items()})

    @property
    def in_text(self) -> Q:
        """The condition that a text contains each of the words."""
        condition = Q()
        for word in self.tags:
            condition &= Q(text__icontains=word)
        return condition

    @property
    def only_with_tags(self) -> Q:
        """The condition that a memory has each of the words, and at least one of them only as a tag."""
        # The first part is implied by the others. It can use the index of tags.
        condition = Q(tags__overlap=[tag for tag in self.tags.values() if tag]) & ~self.in_text
        for word, tag in self.tags.items():
            condition &= Q(text__icontains=word) | Q(tags__contains=[tag])
        return condition

    def are_in_text(self, memory: Memory) -> bool:
        """Return whether the text of `memory` contains each of the words."""
        text = memory.text.casefold()
        return all(word.casefold() in text for word in self.tags)

    def are_in(self, memory: Memory) -> bool:
        """Return whether `memory` has each of the words, in its text or as a tag."""
        text = memory.text.casefold()
        return all(word.casefold() in text or tag in memory.tags for word, tag in self.tags.items())


def words_of(typed: str) -> Words:
    """Return the words of what was typed, each with the tag as which it would be stored without synonyms."""
    return Words({word: clean_tag(word) for word in typed.split()[:MAX_WORDS]})
