"""A folder for models of a test's own, with the shipped model prepared."""

from __future__ import annotations

from pathlib import Path

from pytest_django import Settings

from memories.embeddings.local import combined_embedder


def use_models_folder(settings: Settings, folder: Path) -> None:
    """Use a new folder for models that has only the shipped one.

    Preparing it takes seconds, so the files of all tests are used.
    """
    combined_embedder()
    prepared, settings.MODELS_DIR = settings.MODELS_DIR, folder
    folder.mkdir()
    for path in prepared.iterdir():
        if path.is_file():
            (folder / path.name).symlink_to(path)
