from __future__ import annotations

from collections.abc import Iterator

import pytest

from memories.embeddings.base import EmbedderConfig
from memories.embeddings.local import embedder
from memories.embeddings.onnx import OnnxEmbedder
from tests.support.embeddings.embedding_server import EmbeddingServer, embedding_server


@pytest.fixture(scope="session")
def minilm() -> OnnxEmbedder:
    """The shipped model, loaded once."""
    return embedder(EmbedderConfig())


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    with embedding_server(monkeypatch) as running:
        yield running
