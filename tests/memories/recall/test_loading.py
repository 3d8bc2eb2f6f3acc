"""Tests of loading the networks of recall before processes are forked."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.db import OperationalError
from pytest_django import Settings

from memories.embeddings.base import MINILM_USE_AND_E5, Space
from memories.errors import EmbeddingError
from memories.recall import loading


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that a fake model has embedded."""
    texts: list[str] = []
    space = SimpleNamespace(embedder=SimpleNamespace(embed_query=texts.append), space=Space("local", "some", 3))
    monkeypatch.setattr(loading, "space_in_use", lambda: space)
    return texts


@pytest.fixture(autouse=True)
def closed(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """An entry for each time that all connections were closed. That of the test stays open."""
    times: list[bool] = []
    monkeypatch.setattr(loading, "connections", SimpleNamespace(close_all=lambda: times.append(True)))
    return times


def test_a_local_model_embeds_a_text_and_no_connection_stays_open(
    settings: Settings, embedded: list[str], closed: list[bool]
) -> None:
    settings.EMBEDDING_PROVIDER = "local"
    loading.load_networks()
    assert len(embedded) == len(closed) == 1


@pytest.mark.parametrize(("model", "loads"), [("some", 0), (MINILM_USE_AND_E5, 1)])
def test_the_network_that_reads_answers_is_loaded_with_a_shipped_model(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, model: str, loads: int
) -> None:
    settings.EMBEDDING_PROVIDER = "local"
    loaded = []
    embedder = SimpleNamespace(embed_query=lambda text: None)
    monkeypatch.setattr(
        loading, "space_in_use", lambda: SimpleNamespace(embedder=embedder, space=Space("local", model, 3))
    )
    monkeypatch.setattr(loading, "ANSWERING", SimpleNamespace(get=lambda: loaded.append(1)))
    loading.load_networks()
    assert len(loaded) == loads


@pytest.mark.parametrize("provider", ["openai", "fake"])
def test_other_providers_are_not_called(settings: Settings, embedded: list[str], provider: str) -> None:
    settings.EMBEDDING_PROVIDER = provider
    loading.load_networks()
    assert embedded == []


def test_a_server_that_is_still_in_use_is_not_called(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, closed: list[bool]
) -> None:
    settings.EMBEDDING_PROVIDER = "local"
    monkeypatch.setattr(loading, "space_in_use", lambda: SimpleNamespace(space=Space("openai", "some", 3)))
    loading.load_networks()
    assert closed == [True]


@pytest.mark.parametrize("error", [EmbeddingError("The model is damaged."), OperationalError("no database")])
def test_a_model_that_cannot_be_loaded_is_left_to_the_first_search(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, closed: list[bool], error: Exception
) -> None:
    def fail() -> None:
        raise error

    settings.EMBEDDING_PROVIDER = "local"
    monkeypatch.setattr(loading, "space_in_use", fail)
    loading.load_networks()
    assert closed == [True]
