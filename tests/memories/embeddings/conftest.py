from __future__ import annotations

from collections.abc import Iterator

import pytest

from memories.embeddings.base import Configuration
from memories.embeddings.local import embedder
from memories.embeddings.onnx import OnnxEmbedder
from tests.memories.embeddings.embedding_server import EmbeddingServer


@pytest.fixture(scope="session")
def minilm() -> OnnxEmbedder:
    """The shipped model, loaded once."""
    return embedder(Configuration())


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    for variable in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(variable, raising=False)
        monkeypatch.delenv(variable.lower(), raising=False)
    with EmbeddingServer() as running:
        yield running
