"""The cross-encoder that reads a question and a memory: does the memory answer it?"""

from __future__ import annotations

import math
from collections.abc import Sequence

from memories.cross_encoders.encoder import DATA, SharedCrossEncoder, Training

TRAINING = Training(
    corrections=DATA / "answering.npz",
    sha256="ac428c8e17c90bd62ab9a4ab93cee693399f0a2893700b1763124ef1a475152a",
    network="answering.onnx",
    network_sha256="dad94898492ea67cd084ee5f18487ae284cbbe4624b05cc8e3f65444699ebddc",
    first_tokens=40,
    second_tokens=100,
)
ANSWERING = SharedCrossEncoder(TRAINING)


def read_answers(question: str, texts: Sequence[str]) -> list[float]:
    """Return how likely each text answers the question, 0–1. Raises EmbeddingError."""
    scores = ANSWERING.get().scores([(question, text) for text in texts])
    return [1.0 / (1.0 + math.exp(-score.item())) for score in scores]
