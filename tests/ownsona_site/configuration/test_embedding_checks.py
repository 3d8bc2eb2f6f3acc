"""Tests of the checks of the embedding model at the start."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.checks import Warning  # noqa: A004 - the framework's name
from django.db import OperationalError
from pytest_django import Settings

from memories.embeddings import clear_embedders
from memories.models import EmbeddingSpace
from memories.vectors.spaces import cached_space, space_in_use
from ownsona_site.configuration import embedding_checks
from ownsona_site.configuration.embedding_checks import check_embeddings
from tests.support.embeddings.tiny_model import write_model

GONE = "EMBEDDING_MODEL: /nowhere is not a folder with an ONNX sentence-transformer."


def found() -> list[Warning]:
    cached_space.invalidate()
    return [message for message in check_embeddings(databases=["default"]) if isinstance(message, Warning)]


@pytest.mark.django_db
def test_a_model_that_works_and_is_in_use_is_not_mentioned() -> None:
    assert found() == []


def test_no_database_is_asked_where_none_is_checked() -> None:
    assert check_embeddings(databases=None) == []


@pytest.mark.django_db
def test_a_model_that_is_gone_is_told_at_the_first_start(settings: Settings) -> None:
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL = "local", "/nowhere"
    (warning,) = found()
    assert (warning.msg, warning.id) == (GONE, "ownsona.W004")


def test_a_model_that_is_gone_is_told_before_there_are_tables(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise OperationalError("there is no such table")

    monkeypatch.setattr(embedding_checks, "space_in_use", fail)
    assert found() == []
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL = "local", "/nowhere"
    (warning,) = found()
    assert warning.msg == GONE


def test_a_damaged_model_is_told_before_there_are_tables(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail() -> None:
        raise OperationalError("there is no such table")

    monkeypatch.setattr(embedding_checks, "space_in_use", fail)
    folder = write_model(tmp_path / "mine")
    (folder / "tokenizer.json").write_text("<html>")
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL, settings.EMBEDDING_DIMENSIONS = "local", str(folder), 0
    (warning,) = found()
    assert warning.msg == f"The tokenizer {folder / 'tokenizer.json'} is missing or damaged."


@pytest.mark.django_db
def test_the_model_in_use_that_is_gone_is_told(settings: Settings) -> None:
    space_in_use()
    EmbeddingSpace.objects.update(provider="local", model="mine-123", source="/nowhere")
    (warning,) = found()
    assert warning.msg == GONE
    assert "keywords only" in str(warning.hint)


@pytest.mark.django_db
def test_a_damaged_model_is_told_and_its_space_begins_once_it_is_mended(settings: Settings, tmp_path: Path) -> None:
    folder = write_model(tmp_path / "mine")
    network = folder / "onnx" / "model.onnx"
    whole = network.read_bytes()
    network.write_bytes(whole[:-5])
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL, settings.EMBEDDING_DIMENSIONS = "local", str(folder), 0
    (warning,) = found()
    assert warning.msg == f"The model file {network} is missing or damaged."
    assert not EmbeddingSpace.objects.exists()
    network.write_bytes(whole)
    clear_embedders()
    assert found() == []
    assert EmbeddingSpace.objects.get().model.startswith("mine-")


@pytest.mark.django_db
def test_settings_that_name_another_model_are_told_with_the_way_there(settings: Settings) -> None:
    space_in_use()
    settings.EMBEDDING_DIMENSIONS = 96
    (warning,) = found()
    assert warning.id == "ownsona.W005"
    assert "name fake: hashed-words (96), but memories are embedded with fake: hashed-words (64)" in warning.msg
    assert "manage.py reembed" in str(warning.hint)


@pytest.mark.django_db
def test_settings_that_are_wrong_are_told_while_another_model_is_at_work(settings: Settings) -> None:
    space_in_use()
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL = "local", "/nowhere"
    (warning,) = found()
    assert warning.msg == GONE
    assert "fake: hashed-words (64) stays in use" in str(warning.hint)
