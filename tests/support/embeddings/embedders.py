"""Embedders that tests put in the place of the one in use."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from memories.embeddings import Embedder, Matrix
from memories.embeddings.fake import FakeEmbedder
from memories.vectors.spaces import OpenSpace


def use_embedder(monkeypatch: pytest.MonkeyPatch, make: Callable[[], object]) -> None:
    """Embed with what `make` gives until the patch is undone; when it raises, there is no embedder."""
    monkeypatch.setattr(OpenSpace, "embedder", property(lambda space: make()))


def use_windows(monkeypatch: pytest.MonkeyPatch, window_bytes: int) -> None:
    """Embed longer texts in windows of so many bytes until the patch is undone."""
    use_embedder(monkeypatch, lambda: FakeEmbedder(window_bytes=window_bytes))


def matrices(embedder: Embedder, texts: Sequence[str]) -> list[Matrix]:
    """The vectors of each text's windows, without where these stand."""
    return [embedding.windows for embedding in embedder.embed(texts)]
