"""Tests of an endpoint that returns nonsense: writes and keyword search work, and no bad vector is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pytest_django import Settings

from memories.models import MemoryVector
from memories.vectors.indexing import index_pending_batch, pending_memories
from oauthserver.models import User
from tests.support.embeddings.embedding_server import (
    DIMENSIONS,
    Answer,
    EmbeddingServer,
    Request,
    embedding_server,
    embeddings,
    good_answer,
    vector_of,
)
from tests.support.factories import Assistant

SOUND = [1.0, 0.0, 0.0, 1.0]


@pytest.fixture
def endpoint(owner: User, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    with embedding_server(monkeypatch) as running:
        settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL = "openai", "a-model"
        settings.EMBEDDING_DIMENSIONS, settings.EMBEDDING_ENDPOINT = DIMENSIONS, running.url
        yield running


def with_the_first(components: list[float]) -> Callable[[Request], Answer]:
    """Return a behavior in which the first text gets this vector, and the others get valid ones."""
    return lambda request: embeddings([components, *[SOUND] * (len(request.inputs) - 1)])


NONSENSE: dict[str, tuple[Callable[[Request], Answer], str]] = {
    "too short": (with_the_first([1.0, 2.0]), "a-model gives vectors of 2 dimensions, but EMBEDDING_DIMENSIONS is 4."),
    "too long": (with_the_first([1.0] * 5), "a-model gives vectors of 5 dimensions, but EMBEDDING_DIMENSIONS is 4."),
    "NaN": (with_the_first([float("nan")] * 4), "a vector that is zero or not finite"),
    "infinite": (with_the_first([float("-inf"), 1.0, 1.0, 1.0]), "a vector that is zero or not finite"),
    "beyond numbers": (with_the_first([1e300] * 4), "a vector that is zero or not finite"),
    "zero": (with_the_first([0.0] * 4), "a vector that is zero or not finite"),
    "fewer": (lambda request: embeddings([SOUND] * (len(request.inputs) - 1)), "one vector for each of 1 texts"),
    "more": (lambda request: embeddings([SOUND] * (len(request.inputs) + 1)), "one vector for each of 1 texts"),
    "a page": (lambda request: Answer(body=b"<html>Sign in</html>"), "in the format of OpenAI's embeddings"),
    "an error": (lambda request: Answer(body=b'{"error": {"message": "loading"}}'), "in the format of OpenAI's"),
    "nothing": (lambda request: Answer(status=204, body=b""), "in the format of OpenAI's embeddings"),
}


@pytest.mark.parametrize(("behave", "complaint"), NONSENSE.values(), ids=NONSENSE)
def test_nonsense_spoils_nothing(
    assistant: Assistant, endpoint: EmbeddingServer, behave: Callable[[Request], Answer], complaint: str
) -> None:
    endpoint.behave = behave
    stored = assistant.call("remember", text="The samovar is in the hall")
    batch = assistant.call("remember_batch", items=[{"text": "The boiler broke"}, {"text": "The ferry left at nine"}])
    assert (stored["indexed"], [result["indexed"] for result in batch["results"]]) == (False, [False, False])
    assert not MemoryVector.objects.exists()

    found = assistant.call("recall", query="samovar", min_score=0.9)
    assert [match["id"] for match in found["matches"]] == [stored["memory_id"]]
    assert "keywords only" in found["notice"]
    error = assistant.error_of("recall", query="samovar", mode="semantic")
    assert (error["code"], complaint in error["message"]) == ("EMBEDDING_ERROR", True)

    endpoint.behave = good_answer
    index_pending_batch()
    assert not pending_memories().exists()
    healed = assistant.call("recall", query="The samovar is in the hall", mode="semantic")
    assert healed["matches"][0]["id"] == stored["memory_id"]
    assert healed["matches"][0]["score"] == pytest.approx(1.0, abs=1e-3)


def test_vectors_in_another_order_belong_to_their_texts(assistant: Assistant, endpoint: EmbeddingServer) -> None:
    texts = ["Tea", "The samovar is in the hall", "The ferry to the island left at nine"]
    endpoint.behave = lambda request: embeddings([vector_of(text) for text in request.inputs], order=[2, 0, 1])
    assistant.call("remember_batch", items=[{"text": text} for text in texts], dedup_policy="insert")
    endpoint.behave = good_answer
    for text in texts:
        assert assistant.call("recall", query=text, mode="semantic")["matches"][0]["text"] == text


def test_a_new_text_loses_the_vector_of_the_old_one_even_if_it_gets_none(
    assistant: Assistant, endpoint: EmbeddingServer
) -> None:
    memory_id = assistant.call("remember", text="The samovar is in the hall")["memory_id"]
    assert MemoryVector.objects.filter(memory=memory_id).count() == 1
    endpoint.behave = lambda request: Answer(body=b"<html>Sign in</html>")
    assert assistant.call("update_memory", id=memory_id, text="The samovar was sold")["indexed"] is False
    assert not MemoryVector.objects.exists()
