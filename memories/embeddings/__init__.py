"""Text embeddings: `get_embedder()` is the one that the settings choose."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import lru_cache
from threading import Lock
from typing import cast

from django.conf import settings
from django.utils.module_loading import import_string

from memories.embeddings.base import Embedder, EmbedderConfig, Embedding, Matrix, Space, Vector
from memories.embeddings.caching import CachingEmbedder
from memories.errors import EmbeddingError

__all__ = ["Embedder", "Embedding", "Matrix", "Space", "Vector", "clear_embedders", "embedder_of", "get_embedder"]

# By name, so that a process loads only the libraries of the provider that it uses.
PROVIDERS = {
    "local": "memories.embeddings.local.embedder",
    "openai": "memories.embeddings.openai.embedder",
    "fake": "memories.embeddings.fake.embedder",
}

FAILURE_CACHE_SECONDS = 60.0
"""How long a model that could not be prepared is left alone: trying takes seconds, and every question would wait."""

_building = Lock()
_failed: dict[tuple[str, EmbedderConfig], tuple[float, EmbeddingError]] = {}


def get_embedder() -> Embedder:
    """The embedder of the EMBEDDING_* settings, which may not be the one in use: see `memories.vectors.spaces`.

    One a process: ask for it at each use instead of keeping it. Raises EmbeddingError when the settings or the files of
    the model are wrong.
    """
    configuration = EmbedderConfig(
        endpoint=settings.EMBEDDING_ENDPOINT,
        api_key=settings.EMBEDDING_API_KEY,
        model=settings.EMBEDDING_MODEL,
        dimensions=settings.EMBEDDING_DIMENSIONS,
    )
    return embedder_of(settings.EMBEDDING_PROVIDER, configuration)


def embedder_of(provider: str, configuration: EmbedderConfig) -> Embedder:
    """Another embedder, kept beside that of the settings. Raises EmbeddingError; for a minute the same one again."""
    with _building:
        known = _failed.get((provider, configuration))
        if known is not None and time.monotonic() < known[0] + FAILURE_CACHE_SECONDS:
            raise EmbeddingError(str(known[1]), known[1].status)
        try:
            return _embedder(provider, configuration)
        except EmbeddingError as error:
            _failed[provider, configuration] = time.monotonic(), error
            raise


# While a new space is filled, the old one answers.
@lru_cache(maxsize=2)
def _embedder(provider: str, configuration: EmbedderConfig) -> Embedder:
    build = cast(Callable[[EmbedderConfig], Embedder], import_string(PROVIDERS[provider]))
    return CachingEmbedder(build(configuration))


def clear_embedders() -> None:
    """Give back what their models take. Whoever needs one reads it again, also one that could not be read."""
    _embedder.cache_clear()
    _failed.clear()


# A forked process opens connections and locks of its own.
os.register_at_fork(after_in_child=clear_embedders)
