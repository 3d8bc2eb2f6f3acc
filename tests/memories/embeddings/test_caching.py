"""Tests of the bounded cache of embeddings: a repeated text is not embedded again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from memories.embeddings import caching
from memories.embeddings.base import Embedding, Vector
from memories.embeddings.caching import CachingEmbedder
from memories.embeddings.fake import FakeEmbedder
from memories.errors import EmbeddingError
from tests.support.concurrency import in_threads


def five_times(embedding: Embedding) -> Embedding:
    return Embedding(np.repeat(embedding.windows, 5, axis=0), [*embedding.spans] * 5)


class Counting(FakeEmbedder):
    """An embedder that records its texts. A text that contains "long" has five windows."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.questions: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        self.asked += texts
        made = super().embed(texts)
        return [five_times(one) if "long" in text else one for text, one in zip(texts, made, strict=True)]

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        self.questions += texts
        return super().embed_queries(texts)


def test_a_text_is_embedded_once_however_often_it_comes() -> None:
    inner = Counting()
    embedder = CachingEmbedder(inner)
    first = embedder.embed(["tea", "milk", "tea"])
    second = embedder.embed(["milk", "sugar", "tea"])
    assert inner.asked == ["tea", "milk", "sugar"]
    assert np.array_equal(first[0].windows, second[2].windows)
    assert np.array_equal(first[0].windows, first[2].windows)
    expected = FakeEmbedder().embed(["milk", "sugar", "tea"])
    assert all(
        np.array_equal(one.windows, other.windows) and one.spans == other.spans
        for one, other in zip(second, expected, strict=True)
    )
    assert embedder.space == inner.space


def test_a_question_is_embedded_once_and_apart_from_an_equal_text() -> None:
    inner = Counting()
    embedder = CachingEmbedder(inner)
    embedder.embed(["tea"])
    first, other = embedder.embed_queries(["tea", "milk"])
    again = embedder.embed_query("tea")
    assert inner.questions == ["tea", "milk"]
    assert again is first
    assert np.array_equal(other, FakeEmbedder().embed_query("milk"))


def test_the_questions_not_asked_for_the_longest_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caching, "MAX_CACHED_QUESTIONS", 2)
    inner = Counting()
    embedder = CachingEmbedder(inner)
    for text in ("a", "b", "a", "c", "a", "b"):
        embedder.embed_query(text)
    assert inner.questions == ["a", "b", "c", "b"]


def test_texts_that_differ_in_case_are_different_texts() -> None:
    inner = Counting()
    CachingEmbedder(inner).embed(["tea", "Tea", "tea ", "\ud800"])
    assert len(inner.asked) == 4


def test_what_was_not_asked_for_the_longest_is_given_up_first() -> None:
    inner = Counting()
    embedder = CachingEmbedder(inner, max_windows=7)
    for text in ("a", "long", "b", "a", "c"):
        embedder.embed([text])
    inner.asked.clear()
    embedder.embed(["a", "b", "c"])
    assert inner.asked == []
    embedder.embed(["long"])
    assert inner.asked == ["long"]
    assert embedder._embeddings._made.currsize == 7


def test_a_text_with_more_windows_than_are_kept_is_answered() -> None:
    embedder = CachingEmbedder(Counting(), max_windows=3)
    assert embedder.embed(["long"])[0].windows.shape == (5, 64)
    assert embedder._embeddings._made.currsize == 0


def test_an_error_is_not_remembered() -> None:
    class FailsOnce(FakeEmbedder):
        failed = False

        def embed(self, texts: Sequence[str]) -> list[Embedding]:
            if not self.failed:
                self.failed = True
                raise EmbeddingError("down")
            return super().embed(texts)

    embedder = CachingEmbedder(FailsOnce())
    with pytest.raises(EmbeddingError):
        embedder.embed(["tea"])
    assert embedder.embed(["tea"])[0].windows.shape == (1, 64)


def test_nobody_can_change_what_others_get() -> None:
    embedder = CachingEmbedder(Counting())
    matrix = embedder.embed(["tea"])[0].windows
    with pytest.raises(ValueError, match="read-only"):
        matrix[0, 0] = 1.0
    vector = embedder.embed_query("tea")
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 1.0


def test_threads_at_once_keep_the_books_right() -> None:
    embedder = CachingEmbedder(FakeEmbedder(), max_windows=10)
    in_threads(8, lambda number: [embedder.embed([f"text {(number * i) % 30}"]) for i in range(100)])
    assert embedder._embeddings._made.currsize == len(embedder._embeddings._made) == 10
