"""A cache of embeddings: a repeated text is not embedded again."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from memories.embeddings.base import Embedder, Embedding, Space, Vector

MAX_CACHED_WINDOWS = 4_096
"""Number of vectors that a process caches: 6 MB with 384 dimensions."""


class CachingEmbedder:
    """An embedder that caches the vectors of another one. Questions are not cached: each is new."""

    def __init__(self, embedder: Embedder, max_windows: int = MAX_CACHED_WINDOWS) -> None:
        self._embedder = embedder
        self._max_windows = max_windows
        self._guard = Lock()
        self._known: OrderedDict[bytes, Embedding] = OrderedDict()
        self._windows = 0

    @property
    def space(self) -> Space:
        return self._embedder.space

    def check(self) -> None:
        self._embedder.check()

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        found = self._get_cached(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            made = dict(zip(missing, self._embedder.embed(list(missing.values())), strict=True))
            self._put_cached(made)
            found |= made
        return [found[key] for key in keys]

    def embed_query(self, text: str) -> Vector:
        return self._embedder.embed_query(text)

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        return self._embedder.embed_queries(texts)

    def _get_cached(self, keys: Sequence[bytes]) -> dict[bytes, Embedding]:
        with self._guard:
            found = {key: self._known[key] for key in keys if key in self._known}
            for key in found:
                self._known.move_to_end(key)
        return found

    def _put_cached(self, made: dict[bytes, Embedding]) -> None:
        """Cache what was made, and drop the least recently used vectors beyond `max_windows`."""
        with self._guard:
            for key, embedding in made.items():
                # All callers share the array, so none may change it.
                embedding.windows.flags.writeable = False
                known = self._known.pop(key, None)
                self._windows += len(embedding.windows) - (len(known.windows) if known else 0)
                self._known[key] = embedding
            while self._windows > self._max_windows:
                _, oldest = self._known.popitem(last=False)
                self._windows -= len(oldest.windows)
