"""The `fake` provider: instant, deterministic and without a model, for tests and benchmarks.

Texts with the same words and letters are near each other; their meaning does not count.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from memories.embeddings.base import EmbedderConfig, Embedding, Space, Vector
from memories.embeddings.vectors import mean_direction, unit_rows
from memories.embeddings.windows import Span, byte_windows

DEFAULT_DIMENSIONS = 64
OVERLAP_DIVISOR = 4
WORD = re.compile(r"\w+")

# Shares of a vector's length. The share common to all texts raises the cosine of texts that differ in one word of ten
# to 0.9 or more nine times in ten (0.92 in the mean); that of texts about other things stays below 0.5 as often.
COMMON, WORDS, TRIGRAMS = 0.5, 1.0, 0.3


def embedder(configuration: EmbedderConfig) -> FakeEmbedder:
    """Return the embedder that the settings name."""
    return FakeEmbedder(configuration.dimensions or DEFAULT_DIMENSIONS)


class FakeEmbedder:
    """An embedder by hashed bags of words and character trigrams (feature hashing, Weinberger et al. 2009).

    A text has one window, unless it has more than `window_bytes`; 0 means one window in any case.
    """

    def __init__(self, dimensions: int = DEFAULT_DIMENSIONS, window_bytes: int = 0) -> None:
        self._space = Space("fake", "hashed-words", dimensions)
        self._window_bytes = window_bytes

    @property
    def space(self) -> Space:
        return self._space

    def check(self) -> None:
        """Check nothing: there is no model."""

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        return [self._embedding(text) for text in texts]

    def embed_query(self, text: str) -> Vector:
        return self.embed_queries([text])[0]

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        return [mean_direction(embedding.windows) for embedding in self.embed(texts)]

    def _embedding(self, text: str) -> Embedding:
        if self._window_bytes:
            spans = byte_windows(text, self._window_bytes, self._window_bytes // OVERLAP_DIVISOR)
        else:
            spans = [Span(0, len(text))]
        return Embedding(unit_rows(np.stack([self._features(text[span.start : span.end]) for span in spans])), spans)

    def _features(self, text: str) -> npt.NDArray[np.float64]:
        folded = text.casefold()
        words = WORD.findall(folded) or folded.split()
        features = WORDS * self._hashed(_word_hashes(words)) + TRIGRAMS * self._hashed(_trigram_hashes(words))
        features[0] += COMMON
        return features

    def _hashed(self, hashes: npt.NDArray[np.uint32]) -> npt.NDArray[np.float64]:
        """Return a vector of about unit length in which each hash adds or subtracts one at its position."""
        signs = 1.0 - 2.0 * (hashes >> 31)
        counts = np.bincount(hashes % self._space.dimensions, weights=signs, minlength=self._space.dimensions)
        hashed: npt.NDArray[np.float64] = counts / max(1.0, len(hashes)) ** 0.5
        return hashed


def _word_hashes(words: Sequence[str]) -> npt.NDArray[np.uint32]:
    return np.fromiter((zlib.crc32(word.encode("utf-8", "replace")) for word in words), np.uint32, len(words))


def _trigram_hashes(words: Sequence[str]) -> npt.NDArray[np.uint32]:
    """Return a hash of every three bytes in a row of the words, with a space around each (multiplicative, Knuth)."""
    letters = np.frombuffer(f" {' '.join(words)} ".encode("utf-8", "replace"), np.uint8).astype(np.uint32)
    packed = letters[:-2] << 16 | letters[1:-1] << 8 | letters[2:]
    mixed = packed * np.uint32(2_654_435_761)
    return (mixed ^ mixed >> np.uint32(15)).astype(np.uint32)
