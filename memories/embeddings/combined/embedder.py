"""The embedder of joined vectors: the first part is that of a model for English, the second one of many languages.

The dot product of the vectors of two texts is the mean of both cosines. Questions weigh the parts by their language.
See docs/decisions/combined-model.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np

from memories.embeddings.base import MINILM_AND_USE, Embedding, Matrix, Space, Vector
from memories.embeddings.combined.question_language import PartWeights, part_weights
from memories.embeddings.combined.sentence_encoder import DIMENSIONS, SentenceEncoder
from memories.embeddings.onnx import OnnxEmbedder


class CombinedEmbedder:
    """The embedder that joins the vectors of a sentence-transformer and of a sentence encoder."""

    def __init__(self, transformer: OnnxEmbedder, encoder: SentenceEncoder) -> None:
        self._transformer = transformer
        self._encoder = encoder
        self._space = Space("local", MINILM_AND_USE, transformer.space.dimensions + DIMENSIONS)

    @property
    def space(self) -> Space:
        return self._space

    def check(self) -> None:
        self._transformer.check()

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        first = self._transformer.embed(texts)
        windows = [text[span.start : span.end] for text, made in zip(texts, first, strict=True) for span in made.spans]
        second = iter(self._encoder.vectors(windows))
        return [
            Embedding(_joined(made.windows, np.stack(list(islice(second, len(made.spans))))), made.spans)
            for made in first
        ]

    def embed_query(self, text: str) -> Vector:
        return self.embed_queries([text])[0]

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        first, second = self._transformer.embed_queries(texts), self._encoder.vectors(texts)
        return [_weighted(*parts) for parts in zip(first, second, map(part_weights, texts), strict=True)]


def _joined(first: Matrix, second: Matrix) -> Matrix:
    """Return the rows of both, joined and of L2 norm 1."""
    joined: Matrix = np.hstack((first, second)) / np.float32(np.sqrt(2))
    return joined


def _weighted(first: Vector, second: Vector, weights: PartWeights) -> Vector:
    """Return the vector whose dot product with that of a text is the weighted mean of both cosines."""
    scale = np.float32(np.sqrt(2))
    weighted: Vector = np.concatenate((first * scale * weights.english, second * scale * weights.multilingual))
    return weighted
