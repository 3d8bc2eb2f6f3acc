"""Text embeddings: `get_embedder()` is the one that the settings choose."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from threading import Lock
from typing import cast

from django.conf import settings
from django.utils.module_loading import import_string

from memories.embeddings.base import Configuration, Embedder, Embedding, Matrix, Space, Vector
from memories.embeddings.caching import CachingEmbedder

__all__ = ["Embedder", "Embedding", "Matrix", "Space", "Vector", "embedder_of", "forget_embedders", "get_embedder"]

# By name, so that a process loads only the libraries of the provider that it uses.
PROVIDERS = {
    "local": "memories.embeddings.local.embedder",
    "openai": "memories.embeddings.openai.embedder",
    "fake": "memories.embeddings.fake.embedder",
}

_building = Lock()


def get_embedder() -> Embedder:
    """The embedder of the EMBEDDING_* settings, which may not be the one in use: see `memories.spaces`.

    One a process: ask for it at each use instead of keeping it. Raises EmbeddingError when the settings or the files of
    the model are wrong.
    """
    configuration = Configuration(
        endpoint=settings.EMBEDDING_ENDPOINT,
        api_key=settings.EMBEDDING_API_KEY,
        model=settings.EMBEDDING_MODEL,
        dimensions=settings.EMBEDDING_DIMENSIONS,
    )
    return embedder_of(settings.EMBEDDING_PROVIDER, configuration)


def embedder_of(provider: str, configuration: Configuration) -> Embedder:
    """Another embedder, kept beside that of the settings. Raises EmbeddingError."""
    with _building:
        return _embedder(provider, configuration)


# While a new space is filled, the old one answers.
@lru_cache(maxsize=2)
def _embedder(provider: str, configuration: Configuration) -> Embedder:
    build = cast(Callable[[Configuration], Embedder], import_string(PROVIDERS[provider]))
    return CachingEmbedder(build(configuration))


def forget_embedders() -> None:
    """Give back what their models take. Whoever needs one reads it again."""
    _embedder.cache_clear()


# A forked process opens connections and locks of its own.
os.register_at_fork(after_in_child=forget_embedders)
