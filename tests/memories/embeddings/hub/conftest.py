"""Fixtures: a hub with a tiny model, and a folder for downloaded models."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from memories.embeddings import clear_embedders, curated, store
from memories.embeddings.curated import CuratedModel
from memories.embeddings.hub import download
from tests.support.embeddings.model_hub import ModelHub, model_hub, repository_files
from tests.support.embeddings.tiny_hub import NAME
from tests.support.embeddings.tiny_model import DIMENSIONS, write_json, write_model


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The repository of a tiny model, whose network is large enough for the hub to store it apart from git."""
    folder = write_model(tmp_path / "source")
    tokenizer = (folder / "tokenizer.json").read_bytes()
    (folder / "tokenizer.json").write_bytes(tokenizer + b" " * 3_000)
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": 100})
    (folder / "README.md").write_text("Not needed")
    return folder


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> CuratedModel:
    """A curated model with the dimensions of the tiny one."""
    tiny = dataclasses.replace(curated.CURATED[NAME], dimensions=DIMENSIONS)
    monkeypatch.setitem(curated.CURATED, NAME, tiny)
    return tiny


@pytest.fixture
def models(settings: Settings, tmp_path: Path) -> Iterator[Path]:
    """The folder of downloaded models, empty."""
    settings.MODELS_DIR = tmp_path / "models"
    clear_embedders()
    yield store.models_folder()
    clear_embedders()


@pytest.fixture
def hub(source: Path, model: CuratedModel, models: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelHub]:
    monkeypatch.setattr(download, "RETRY_SECONDS", 0.0)
    with model_hub(repository_files(source), model.repository, monkeypatch) as running:
        yield running
