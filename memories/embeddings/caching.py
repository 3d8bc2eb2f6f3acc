"""A cache of embeddings: a repeated text or question is not embedded again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock
from typing import Generic, TypeVar

from cachetools import LRUCache

from memories.embeddings.base import Embedder, Embedding, Space, Vector

MAX_CACHED_WINDOWS = 4_096
"""Number of vectors of texts that a process caches: 21 MB with 1,280 dimensions."""

MAX_CACHED_QUESTIONS = 1_024
"""Number of questions whose vectors a process caches. Apps repeat some, for example at the beginning of every chat."""

Made = TypeVar("Made")


class CachingEmbedder:
    """An embedder that caches the vectors of another one."""

    def __init__(self, embedder: Embedder, max_windows: int = MAX_CACHED_WINDOWS) -> None:
        self._embedder = embedder
        self._embeddings = _Cache(max_windows, _count_windows)
        self._questions = _Cache[Vector](MAX_CACHED_QUESTIONS, lambda _: 1)

    @property
    def space(self) -> Space:
        return self._embedder.space

    def check(self) -> None:
        self._embedder.check()

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        return self._embeddings.get_or_make(texts, self._make_embeddings)

    def embed_query(self, text: str) -> Vector:
        return self.embed_queries([text])[0]

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        return self._questions.get_or_make(texts, self._make_questions)

    # All callers share the arrays, so none may change them.

    def _make_embeddings(self, texts: Sequence[str]) -> list[Embedding]:
        made = self._embedder.embed(texts)
        for embedding in made:
            embedding.windows.flags.writeable = False
        return made

    def _make_questions(self, texts: Sequence[str]) -> list[Vector]:
        made = self._embedder.embed_queries(texts)
        for vector in made:
            vector.flags.writeable = False
        return made


class _Cache(Generic[Made]):
    """A thread-safe cache of embeddings by text, with at most `max_vectors` vectors. Drops the least recently used."""

    def __init__(self, max_vectors: int, count_vectors: Callable[[Made], int]) -> None:
        self._guard = Lock()
        self._made: LRUCache[bytes, Made] = LRUCache(max_vectors, count_vectors)

    def get_or_make(self, texts: Sequence[str], make: Callable[[Sequence[str]], list[Made]]) -> list[Made]:
        """Return what `make` returns for `texts`, calling it once for those that are not cached."""
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        with self._guard:
            found = {key: self._made[key] for key in keys if key in self._made}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            made = dict(zip(missing, make(list(missing.values())), strict=True))
            with self._guard:
                for key, value in made.items():
                    # ValueError: it has more vectors than may be cached.
                    with suppress(ValueError):
                        self._made[key] = value
            found |= made
        return [found[key] for key in keys]


def _count_windows(embedding: Embedding) -> int:
    return len(embedding.windows)
