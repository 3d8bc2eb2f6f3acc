"""Text embeddings: `get_embedder()` returns the embedder that the settings name."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from threading import Lock
from typing import cast

from cachetools import LRUCache
from django.conf import settings
from django.utils.module_loading import import_string

from memories.embeddings.base import Embedder, EmbedderConfig, Embedding, Matrix, Space, Vector
from memories.embeddings.caching import CachingEmbedder
from memories.embeddings.store import configured_model
from memories.errors import EmbeddingError

__all__ = ["Embedder", "Embedding", "Matrix", "Space", "Vector", "clear_embedders", "embedder_of", "get_embedder"]

# Imported by name, so that a process loads only the libraries of the provider that it uses.
PROVIDERS = {
    "local": "memories.embeddings.local.embedder",
    "openai": "memories.embeddings.openai.embedder",
    "fake": "memories.embeddings.fake.embedder",
}

FAILURE_CACHE_SECONDS = 60.0
"""Time for which the failure to prepare a model is cached: an attempt takes seconds, and every question would wait."""

_building = Lock()
# Two, because the old space is searched while a new one is filled.
_cached: LRUCache[tuple[str, EmbedderConfig], Embedder] = LRUCache(maxsize=2)
_failed: dict[tuple[str, EmbedderConfig], tuple[float, EmbeddingError]] = {}


def get_embedder() -> Embedder:
    """Return the embedder that is configured, by settings or by the owner's choice of a model.

    It may not be the one in use: see `memories.vectors.spaces`.

    There is one per process: call this at each use instead of keeping the result. Raises EmbeddingError when the
    settings or the files of the model are wrong.
    """
    configuration = EmbedderConfig(
        endpoint=settings.EMBEDDING_ENDPOINT,
        api_key=settings.EMBEDDING_API_KEY,
        model=configured_model(),
        dimensions=settings.EMBEDDING_DIMENSIONS,
        query_prefix=settings.EMBEDDING_QUERY_PREFIX,
        passage_prefix=settings.EMBEDDING_PASSAGE_PREFIX,
    )
    return embedder_of(settings.EMBEDDING_PROVIDER, configuration)


def embedder_of(provider: str, configuration: EmbedderConfig) -> Embedder:
    """Return the embedder of a provider with this configuration; the two used last are cached.

    Raises EmbeddingError, and repeats it for `FAILURE_CACHE_SECONDS`.
    """
    with _building:
        known = _failed.get((provider, configuration))
        if known is not None and time.monotonic() < known[0] + FAILURE_CACHE_SECONDS:
            raise EmbeddingError(str(known[1]), known[1].status)
        try:
            if (provider, configuration) not in _cached:
                build = cast(Callable[[EmbedderConfig], Embedder], import_string(PROVIDERS[provider]))
                _cached[provider, configuration] = CachingEmbedder(build(configuration))
            return _cached[provider, configuration]
        except EmbeddingError as error:
            _failed[provider, configuration] = time.monotonic(), error
            raise


def clear_embedders() -> None:
    """Release the memory of all models, and forget failures. Embedders are built again when they are needed."""
    _cached.clear()
    _failed.clear()


def _leave_connections() -> None:
    """Forget the embedders with connections, which a forked process must open itself. It shares the local models."""
    for provider, configuration in list(_cached):
        if provider == "openai":
            del _cached[provider, configuration]
    _failed.clear()


os.register_at_fork(after_in_child=_leave_connections)
