"""The folder of downloaded models, and the owner's choice of one of them."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from django.conf import settings

from memories.embeddings.base import SHIPPED_MODELS
from memories.embeddings.curated import CURATED

_CHOICE = "chosen"


def models_folder() -> Path:
    """Return the folder of the models in the data folder. It may not exist yet."""
    return Path(settings.MODELS_DIR)


def model_folder(name: str) -> Path:
    """Return the folder of a downloaded model, or for any other name the folder of that path."""
    return models_folder() / name if name in CURATED else Path(name).expanduser()


def is_stored(name: str) -> bool:
    """Return whether the model comes with OwnSona or has been downloaded. Looks only for its folder."""
    return name in SHIPPED_MODELS or (name in CURATED and model_folder(name).is_dir())


def chosen_model() -> str:
    """Return the name of the model that the owner chose last; empty if there is none or it cannot be read."""
    with suppress(OSError, UnicodeDecodeError):
        name = (models_folder() / _CHOICE).read_text(encoding="utf-8").strip()
        if name in CURATED or name in SHIPPED_MODELS:
            return name
    return ""


def choose_model(name: str) -> None:
    """Record the choice of a curated or shipped model, for all processes and the next starts. Raises OSError."""
    folder = models_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=folder, prefix=f"{_CHOICE}-", delete=False) as file:
        file.write(f"{name}\n")
    try:
        os.replace(file.name, folder / _CHOICE)
    except OSError:
        Path(file.name).unlink(missing_ok=True)
        raise


def configured_model() -> str:
    """Return EMBEDDING_MODEL; for local models without that setting, the owner's choice. Empty: the default."""
    if settings.EMBEDDING_MODEL or settings.EMBEDDING_PROVIDER != "local":
        return str(settings.EMBEDDING_MODEL)
    return chosen_model()


def is_choice_configured() -> bool:
    """Return whether the owner's choice decides about the model: no setting names another one."""
    return settings.EMBEDDING_PROVIDER == "local" and not settings.EMBEDDING_MODEL and bool(chosen_model())
