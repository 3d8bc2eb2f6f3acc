"""Plain ways to find passages, for comparison: chunks of 500 characters, ranked by cosine or by BM25."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memories.embeddings import get_embedder

FIXED_CHARS = 500
BATCH = 64
K1, B = 1.2, 0.75
"""Usual constants of BM25 (Robertson and Zaragoza 2009)."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The characters from `start` to `end` of a document's text."""

    document: str
    start: int
    end: int
    text: str


def fixed_passages(texts: Mapping[str, str]) -> list[Passage]:
    """Divide each text every FIXED_CHARS characters."""
    return [
        Passage(name, start, min(start + FIXED_CHARS, len(text)), text[start : start + FIXED_CHARS])
        for name, text in texts.items()
        for start in range(0, len(text), FIXED_CHARS)
    ]


class Cosine:
    """A ranking of passages by the cosine of the passage to the question, with the configured model."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages
        vectors: list[npt.NDArray[np.float32]] = []
        self._owners: list[int] = []
        for start in range(0, len(passages), BATCH):
            embedded = get_embedder().embed([passage.text for passage in passages[start : start + BATCH]])
            for number, embedding in enumerate(embedded, start=start):
                vectors.extend(embedding.windows)
                self._owners.extend([number] * len(embedding.windows))
        self._vectors = np.array(vectors)

    def best(self, question: str, count: int) -> list[Passage]:
        """Return the nearest passages, nearest first."""
        order = np.argsort(-(self._vectors @ get_embedder().embed_query(question)), kind="stable")
        found = dict.fromkeys(self._owners[row] for row in order[: 4 * count])
        return [self._passages[number] for number in list(found)[:count]]


class Words:
    """A ranking of passages by BM25, without stemming or stop words."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages
        self._counts = [Counter(_words(passage.text)) for passage in passages]
        self._lengths = [sum(counts.values()) for counts in self._counts]
        self._mean = sum(self._lengths) / len(self._lengths)
        self._holders = Counter(word for counts in self._counts for word in counts)

    def best(self, question: str, count: int) -> list[Passage]:
        """Return the passages with the highest scores, highest first."""
        words = set(_words(question))
        order = sorted(range(len(self._passages)), key=lambda number: -self._score(number, words))
        return [self._passages[number] for number in order[:count]]

    def _score(self, number: int, words: set[str]) -> float:
        counts, total = self._counts[number], len(self._passages)
        norm = K1 * (1 - B + B * self._lengths[number] / self._mean)
        return sum(
            math.log(1 + (total - self._holders[word] + 0.5) / (self._holders[word] + 0.5))
            * counts[word]
            * (K1 + 1)
            / (counts[word] + norm)
            for word in words
            if word in counts
        )


def _words(text: str) -> Iterator[str]:
    return (found[0] for found in re.finditer(r"\w+", text.lower()))
