"""The part that encoders have in common: a sentencepiece tokenizer, the vectors of its vocabulary, and a network."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import sentencepiece

from memories.embeddings.base import Vector
from memories.embeddings.onnx import in_threads, read_network, storable
from memories.embeddings.vectors import unit_rows
from memories.errors import EmbeddingError


@dataclass(frozen=True, slots=True)
class EncoderFiles:
    """The files of an encoder: its network, its tokenizer, and its vocabulary, which has one vector for each token."""

    network: Path
    vocabulary: Path
    tokenizer: Path


class LoadedModel:
    """A tokenizer and a network in memory. The vocabulary stays in its file, which processes share."""

    def __init__(self, files: EncoderFiles, row: npt.DTypeLike) -> None:
        self._network_path = files.network
        self._tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(files.tokenizer))
        self._network = read_network(files.network)
        self.vocabulary: npt.NDArray[Any] = np.memmap(files.vocabulary, row, "r")

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of any text."""
        tokens: list[int] = self._tokenizer.encode(storable(text))
        return tokens

    def vector(self, inputs: Mapping[str, npt.NDArray[Any]]) -> Vector:
        """Return what the network makes of its inputs, with L2 norm 1. Raises EmbeddingError."""
        try:
            [made] = self._network.run(None, dict(inputs))
        except Exception as error:
            raise EmbeddingError(f"The model {self._network_path} failed on a text.") from error
        vector: Vector = unit_rows(made)[0]
        return vector


class Encoder(ABC):
    """A model that gives the vector of a text of any length. It is loaded with the first text, and is thread-safe.

    `dimensions` is the length of its vectors, and `vocabulary_row` the type of a token's row in the vocabulary.
    """

    dimensions: ClassVar[int]
    vocabulary_row: ClassVar[npt.DTypeLike]

    def __init__(self, files: EncoderFiles) -> None:
        self._files = files
        self._loading = threading.Lock()
        self._model: LoadedModel | None = None

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vector of each text, of shape (dimensions,) and L2 norm 1. Raises EmbeddingError."""
        model = self._loaded()
        return in_threads(lambda text: self._passage(model, text), texts)

    def question_vector(self, question: str) -> Vector:
        """Return the vector of a question, of shape (dimensions,) and L2 norm 1. Raises EmbeddingError."""
        return self._question(self._loaded(), question)

    @abstractmethod
    def _passage(self, model: LoadedModel, text: str) -> Vector: ...

    @abstractmethod
    def _question(self, model: LoadedModel, text: str) -> Vector: ...

    def _loaded(self) -> LoadedModel:
        with self._loading:
            if self._model is None:
                self._model = LoadedModel(self._files, self.vocabulary_row)
            return self._model
