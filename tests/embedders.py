"""Embedders that tests put in the place of the one in use."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from memories.embeddings import Embedder, Matrix
from memories.spaces import OpenSpace


def use_embedder(monkeypatch: pytest.MonkeyPatch, make: Callable[[], object]) -> None:
    """Embed with what `make` gives until the patch is undone; when it raises, there is no embedder."""
    monkeypatch.setattr(OpenSpace, "embedder", property(lambda space: make()))


def matrices(embedder: Embedder, texts: Sequence[str]) -> list[Matrix]:
    """The vectors of each text's windows, without where these stand."""
    return [embedding.windows for embedding in embedder.embed(texts)]
