"""Tests of the space in use: the database names the model, the settings locate it and choose that of a new database."""

from __future__ import annotations

import threading

import pytest
from django.db import IntegrityError
from django.utils import timezone
from pytest_django import Settings

from benchmarks.support.sample_texts import memory_texts
from memories.access import View
from memories.embeddings.base import FLOAT_MINILM, MINILM_AND_USE, MINILM_USE_AND_E5, SHIPPED_MODELS, Space
from memories.embeddings.endpoint import Endpoint
from memories.errors import EmbeddingError
from memories.models import EmbeddingSpace
from memories.recall.pipeline import Query, recall
from memories.vectors import spaces
from memories.vectors.indexing import pending_memories
from memories.vectors.spaces import cached_space, configured_space, open_space, put_in_use, space_in_use
from oauthserver.models import User
from tests.memories.vectors.spaces.two_spaces import dimensions_in, found_by_meaning, wider
from tests.support.concurrency import in_threads
from tests.support.factories import make_memory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]


def test_two_switches_at_once_wait_for_each_other(owner: User) -> None:
    targets = [space_in_use(), wider()]
    together = threading.Barrier(2)

    def switch_often(number: int) -> int:
        together.wait(20)
        for _ in range(40):
            put_in_use(targets[number])
        return number

    assert in_threads(2, switch_often) == [0, 1]
    assert EmbeddingSpace.objects.exclude(in_use_since=None).count() == 1


def test_only_one_space_can_be_in_use(owner: User) -> None:
    new = wider()
    with pytest.raises(IntegrityError):
        EmbeddingSpace.objects.filter(pk=new.pk).update(in_use_since=timezone.now())


def test_settings_that_name_another_model_change_nothing_by_themselves(owner: User, settings: Settings) -> None:
    text = memory_texts(20)[3]
    settings.EMBEDDING_DIMENSIONS = 96
    cached_space.invalidate()
    assert (configured := configured_space()) is not None
    assert configured.space.dimensions == 96
    assert space_in_use().space.dimensions == 64
    assert found_by_meaning(owner, text) == (text, 1.0)
    make_memory(owner, "The ferry leaves at nine")
    assert dimensions_in(space_in_use()) == {64}


def test_settings_that_are_wrong_leave_the_model_in_use_at_work(owner: User, settings: Settings) -> None:
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL = "local", "/nowhere"
    cached_space.invalidate()
    assert configured_space() is None
    assert spaces.embedding_problems() == []
    assert found_by_meaning(owner, memory_texts(20)[3])[1] == 1.0


def test_a_model_that_is_gone_is_told_and_nothing_else_takes_its_place(owner: User, settings: Settings) -> None:
    EmbeddingSpace.objects.update(provider="local", model="mine-123", source="/nowhere")
    cached_space.invalidate()
    assert spaces.embedding_problems() == [
        "EMBEDDING_MODEL: /nowhere is not a folder with an ONNX sentence-transformer."
    ]
    EmbeddingSpace.objects.update(source="")
    cached_space.invalidate()
    (problem,) = spaces.embedding_problems()
    assert "mine-123" in problem


@pytest.mark.parametrize(("provider", "model"), [("openai", "bge-m3"), ("local", "mine-123")])
def test_a_model_at_an_unknown_place_is_told_and_nothing_is_sent(
    owner: User, monkeypatch: pytest.MonkeyPatch, provider: str, model: str
) -> None:
    sent: list[bytes] = []

    def send(endpoint: Endpoint, question: dict[str, object]) -> bytes:
        sent.append(repr(question).encode())
        raise EmbeddingError("stopped")

    monkeypatch.setattr(Endpoint, "post", send)
    EmbeddingSpace.objects.update(provider=provider, model=model, source=None)
    cached_space.invalidate()

    (problem,) = spaces.embedding_problems()
    assert "The location of the model in use" in problem
    late = make_memory(owner, "The ferry leaves at nine")
    assert recall(View.whole(owner.pk), Query("ferry")).matches[0].memory == late
    assert list(pending_memories()) == [late]
    assert sent == []


def test_the_settings_tell_where_the_model_in_use_is_while_they_name_it(owner: User, settings: Settings) -> None:
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL = "openai", "bge-m3"
    settings.EMBEDDING_DIMENSIONS, settings.EMBEDDING_ENDPOINT = 768, "http://127.0.0.1:9/v1"
    EmbeddingSpace.objects.update(provider="openai", model="bge-m3", dimensions=768, source=None)
    cached_space.invalidate()
    assert space_in_use().source == "http://127.0.0.1:9/v1"

    settings.EMBEDDING_PROVIDER = "fake"
    cached_space.invalidate()
    assert space_in_use()._configuration().endpoint == "http://127.0.0.1:9/v1"
    assert spaces.embedding_problems() == []


@pytest.mark.parametrize("model", sorted(SHIPPED_MODELS))
@pytest.mark.parametrize("source", ["", None])
def test_a_shipped_model_is_known_without_being_told(owner: User, model: str, source: str | None) -> None:
    dimensions = {MINILM_AND_USE: 896, MINILM_USE_AND_E5: 1280}.get(model, 384)
    EmbeddingSpace.objects.update(provider="local", model=model, dimensions=dimensions, source=source)
    cached_space.invalidate()
    assert spaces.embedding_problems() == []
    assert space_in_use().embedder.space.model == model


def test_the_model_of_the_settings_is_not_prepared_to_answer_by_another_one(
    owner: User, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    EmbeddingSpace.objects.update(provider="local", model=FLOAT_MINILM, dimensions=384, source=None)
    cached_space.invalidate()
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_DIMENSIONS = "local", 0
    prepared: list[str] = []
    monkeypatch.setattr(spaces, "get_embedder", lambda: prepared.append("integer"))
    assert space_in_use().embedder.space.model == FLOAT_MINILM
    assert prepared == []


@pytest.mark.parametrize(("endpoint", "is_sent"), [("http://127.0.0.1:9/v1", True), ("http://127.0.0.1:8/v1", False)])
def test_the_key_of_the_settings_goes_to_their_endpoint_alone(settings: Settings, endpoint: str, is_sent: bool) -> None:
    settings.EMBEDDING_ENDPOINT, settings.EMBEDDING_API_KEY = "http://127.0.0.1:9/v1", "secret"
    space = open_space(Space("openai", "a-model", 8), endpoint)
    assert space._configuration().api_key == ("secret" if is_sent else "")
