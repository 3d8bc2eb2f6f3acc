"""Embedders that tests use in place of the real one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import pytest

from memories.embeddings import Embedder, Matrix, embedder_of
from memories.embeddings.base import DEFAULT_MODEL, EmbedderConfig
from memories.embeddings.fake import FakeEmbedder
from memories.vectors.spaces import OpenSpace


def use_embedder(monkeypatch: pytest.MonkeyPatch, make: Callable[[], object]) -> None:
    """Embed with the result of `make` until the patch is undone. If it raises, there is no embedder."""
    monkeypatch.setattr(OpenSpace, "embedder", property(lambda space: make()))


def use_shipped_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Embed with the model that comes with OwnSona until the patch is undone."""
    use_embedder(monkeypatch, shipped_model)


@cache
def shipped_model() -> Embedder:
    """Return the model that comes with OwnSona, which takes a second to load."""
    return embedder_of("local", EmbedderConfig(model=DEFAULT_MODEL))


def use_windows(monkeypatch: pytest.MonkeyPatch, window_bytes: int) -> None:
    """Embed longer texts in windows of `window_bytes` until the patch is undone."""
    use_embedder(monkeypatch, lambda: FakeEmbedder(window_bytes=window_bytes))


def matrices(embedder: Embedder, texts: Sequence[str]) -> list[Matrix]:
    """Return the vectors of each text's windows, without their positions."""
    return [embedding.windows for embedding in embedder.embed(texts)]
