"""A hub with a tiny model in place of a curated one."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytest_django import Settings

from memories.embeddings import clear_embedders, curated
from memories.embeddings.hub import download
from memories.vectors.spaces import cached_space
from tests.support.embeddings.model_hub import ModelHub, model_hub, repository_files
from tests.support.embeddings.models_folder import use_models_folder
from tests.support.embeddings.tiny_model import DIMENSIONS, write_model

NAME = "multilingual-e5-small"
"""The curated model whose place the tiny one takes."""


@contextmanager
def tiny_model_hub(settings: Settings, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelHub]:
    """Run a hub that offers a tiny model, with a folder for downloads in `folder` that has only the shipped model."""
    use_models_folder(settings, folder / "models")
    settings.EMBEDDING_PROVIDER = "local"
    monkeypatch.setattr(download, "RETRY_SECONDS", 0.0)
    model = dataclasses.replace(curated.CURATED[NAME], dimensions=DIMENSIONS)
    monkeypatch.setitem(curated.CURATED, NAME, model)
    clear_embedders()
    cached_space.invalidate()
    files = repository_files(write_model(folder / "source"))
    with model_hub(files, model.repository, monkeypatch) as running:
        yield running
    clear_embedders()
