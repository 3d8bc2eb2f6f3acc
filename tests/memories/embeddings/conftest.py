from __future__ import annotations

from collections.abc import Iterator

import pytest

from memories.embeddings.base import INTEGER_MINILM, EmbedderConfig
from memories.embeddings.combined.embedder import CombinedEmbedder
from memories.embeddings.local import embedder
from memories.embeddings.onnx import OnnxEmbedder
from tests.support.embeddings.embedding_server import EmbeddingServer, embedding_server


@pytest.fixture(scope="session")
def minilm() -> OnnxEmbedder:
    """The shipped model for English alone, loaded once."""
    made = embedder(EmbedderConfig(model=INTEGER_MINILM))
    assert isinstance(made, OnnxEmbedder)
    return made


@pytest.fixture(scope="session")
def combined() -> CombinedEmbedder:
    """The default model, loaded once."""
    made = embedder(EmbedderConfig())
    assert isinstance(made, CombinedEmbedder)
    return made


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    with embedding_server(monkeypatch) as running:
        yield running
