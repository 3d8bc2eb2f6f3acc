"""The interface of embedders, which convert texts to unit vectors of one embedding space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from memories.embeddings.windows import Span

Vector = npt.NDArray[np.float32]
"""One embedding: shape (dimensions,), L2 norm 1."""

Matrix = npt.NDArray[np.float32]
"""Several embeddings: shape (windows, dimensions), each row of L2 norm 1."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """The embedding of one text: a row of `windows`, ≥ 1, for each of `spans`, which cover the text in order."""

    windows: Matrix
    spans: Sequence[Span]


Pooling = Literal["mean", "cls", "network"]
"""The way from token vectors to one vector: their mean, the first one, or whatever the network itself returns."""

MINILM_USE_AND_E5 = "minilm-use-e5"
MINILM_AND_USE = "minilm-use-multilingual"
INTEGER_MINILM, FLOAT_MINILM = "all-MiniLM-L6-v2-integer", "all-MiniLM-L6-v2-int8"
SHIPPED_MODELS = frozenset({MINILM_USE_AND_E5, MINILM_AND_USE, INTEGER_MINILM, FLOAT_MINILM})
"""Names of the models that come with OwnSona; `memories.embeddings.local` defines them."""

DEFAULT_MODEL = MINILM_USE_AND_E5
"""The shipped model that new installations use."""


@dataclass(frozen=True, slots=True)
class Space:
    """An embedding space: vectors compare only within one. `model` also distinguishes versions of a model."""

    provider: str
    model: str
    dimensions: int

    def __str__(self) -> str:
        return f"{self.provider}: {self.model} ({self.dimensions})"


class Embedder(Protocol):
    """A thread-safe converter of texts to vectors of one space. Raises EmbeddingError and nothing else.

    The vectors of texts are finite and of L2 norm 1, so that the dot product of two is their cosine similarity. The dot
    product of a question and a text is at most 1, too, but the vector of a question may be longer.
    """

    @property
    def space(self) -> Space:
        """The space of the vectors. Costs nothing: neither a model nor a network is used."""
        ...

    def check(self) -> None:
        """Raise EmbeddingError when the model cannot be read. Uses no network; may take as long as a first text."""
        ...

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """Return the vectors of each text, in order. A text too long for the model gets several overlapping windows."""
        ...

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question; for a long one, the normalized mean of its windows."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vector of each question, as `embed_query` does."""
        ...


@dataclass(frozen=True, slots=True)
class EmbedderConfig:
    """The EMBEDDING_* settings that a provider reads. Empty strings and 0 mean that a setting is not set."""

    endpoint: str = ""
    api_key: str = field(default="", repr=False)
    model: str = ""
    dimensions: int = 0
    query_prefix: str | None = None
    passage_prefix: str | None = None
    """Prefixes of questions and passages in place of the model's own. None: not set, so the model's own are used."""
