"""The cross-encoder that reads an older and a newer statement: do they say the same, or has something changed?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from memories.cross_encoders.encoder import DATA, SharedCrossEncoder, Training

READ_TOKENS = 80
"""Number of tokens of each text that are read, including the special one at its beginning."""

TRAINING = Training(
    corrections=DATA / "comparing.npz",
    sha256="e5fdacad02a01aa2e2ff857019baa0917f962d4889395102d965b07c58372d6f",
    network="cross-encoder.onnx",
    network_sha256="558a71ecc15ae1df1822989f9aa2924c19aef5908db5d9eb710539221327fe79",
    first_tokens=READ_TOKENS,
    second_tokens=READ_TOKENS,
)
_RULES = 4
"""Increase it when other pairs are read: memories/comparisons/judging.py."""

REVISION = int(TRAINING.sha256[:7], 16) + _RULES
"""The number of these corrections and rules. After an update to others, all memories are compared again."""

COMPARING = SharedCrossEncoder(TRAINING)


class Reading(NamedTuple):
    """The probabilities, 0 to 1, that the newer of two statements says the same, and that it ends the older one."""

    same: float
    change: float


def read(pairs: Sequence[tuple[str, str]]) -> list[Reading]:
    """Return the reading of each pair of an older and a newer text. Raises EmbeddingError."""
    return [_probabilities(scores) for scores in COMPARING.get().scores(pairs)]


def _probabilities(scores: npt.NDArray[Any]) -> Reading:
    """Return the softmax of the scores of neither, the same and a change."""
    shares = np.exp(scores - scores.max())
    _, same, change = (shares / shares.sum()).tolist()
    return Reading(same, change)
