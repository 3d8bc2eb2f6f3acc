"""The embedder of joined vectors: the first part is that of a model for English, the others those of many languages.

The dot product of the vectors of two texts is the mean of the cosines of their parts. Questions weigh the parts by
their language. See docs/decisions/combined-model.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import numpy as np

from memories.embeddings.base import Embedding, Matrix, Space, Vector
from memories.embeddings.combined.encoder import Encoder
from memories.embeddings.combined.question_language import QuestionLanguage, question_language
from memories.embeddings.onnx import OnnxEmbedder

PartWeights = Mapping[QuestionLanguage, Sequence[float]]
"""The weights of the parts of a question's vector, by its language. Those of a language sum to 1."""


SHORT_CHARS = 250
"""Length up to which a text is expected to be one window."""


class CombinedEmbedder:
    """The embedder that joins the vectors of a sentence-transformer and of encoders, in this order."""

    def __init__(
        self, model: str, transformer: OnnxEmbedder, encoders: Sequence[Encoder], weights: PartWeights
    ) -> None:
        self._transformer = transformer
        self._encoders = encoders
        self._scale = np.sqrt(1 + len(encoders))
        self._weights = {
            language: [np.float32(self._scale * weight) for weight in parts] for language, parts in weights.items()
        }
        dimensions = transformer.space.dimensions + sum(encoder.dimensions for encoder in encoders)
        self._space = Space("local", model, dimensions)

    @property
    def space(self) -> Space:
        return self._space

    def check(self) -> None:
        self._transformer.check()

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        if len(texts) == 1 and len(texts[0]) <= SHORT_CHARS and (short := self._embed_one_window(texts[0])):
            return [short]
        first = self._transformer.embed(texts)
        windows = [text[span.start : span.end] for text, made in zip(texts, first, strict=True) for span in made.spans]
        others = [iter(encoder.vectors(windows)) for encoder in self._encoders]
        return [
            Embedding(
                self._joined([made.windows, *(np.stack(list(islice(rows, len(made.spans)))) for rows in others)]),
                made.spans,
            )
            for made in first
        ]

    def _embed_one_window(self, text: str) -> Embedding | None:
        """Return the embedding of a text, or None if it has several windows.

        Somebody waits for a single text: a second core may calculate the last part, which takes the longest.
        """
        *others, last = self._encoders
        with ThreadPoolExecutor(1, "embedding") as pool:
            last_part = pool.submit(last.vectors, [text])
            [first] = self._transformer.embed([text])
            if [text[span.start : span.end] for span in first.spans] != [text]:
                return None
            parts = [first.windows, *(np.stack(encoder.vectors([text])) for encoder in others)]
            parts.append(np.stack(last_part.result()))
        return Embedding(self._joined(parts), first.spans)

    def embed_query(self, text: str) -> Vector:
        # As for a single text, a second core may calculate the last part.
        with ThreadPoolExecutor(1, "embedding") as pool:
            last_part = pool.submit(self._encoders[-1].question_vector, text)
            others = (encoder.question_vector(text) for encoder in self._encoders[:-1])
            parts = [self._transformer.embed_query(text), *others]
            return self._weighted(question_language(text), [*parts, last_part.result()])

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        if len(texts) == 1:
            return [self.embed_query(texts[0])]
        # A second core may calculate half of the questions.
        half = len(texts) // 2
        with ThreadPoolExecutor(1, "embedding") as pool:
            first = pool.submit(self._embed_whole_queries, texts[:half])
            rest = self._embed_whole_queries(texts[half:])
            return [*first.result(), *rest]

    def _embed_whole_queries(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of questions, all parts calculated in this thread."""
        models = (self._transformer.embed_query, *(encoder.question_vector for encoder in self._encoders))
        return [self._weighted(question_language(text), [embed(text) for embed in models]) for text in texts]

    def _joined(self, parts: Sequence[Matrix]) -> Matrix:
        """Return the rows of all parts, joined and of L2 norm 1."""
        joined: Matrix = np.hstack(parts) / np.float32(self._scale)
        return joined

    def _weighted(self, language: QuestionLanguage, parts: Sequence[Vector]) -> Vector:
        """Return the vector whose dot product with that of a text is the weighted mean of the parts' cosines."""
        weights = self._weights[language]
        weighted: Vector = np.concatenate([part * weight for part, weight in zip(parts, weights, strict=True)])
        return weighted
