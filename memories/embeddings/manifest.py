"""The file `ownsona.json` in the folder of a model: what `manage.py get_model` knows about the model."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from memories.embeddings.base import Pooling

MANIFEST = "ownsona.json"


class Manifest(BaseModel):
    """Facts about a model that its other files do not state, and the hashes of these files.

    `pooling` and the prefixes take precedence over the files of sentence-transformers; None means that they decide.
    `files` maps paths within the folder to SHA-256 hashes in hexadecimal. `verified_by` says what the hashes were
    compared with: the metadata of a hub, or nothing if the files were copied from a folder or an archive.
    """

    model_config = ConfigDict(extra="ignore")

    name: str = ""
    repository: str = ""
    revision: str = ""
    verified_by: Literal["hub", "nothing"] = "nothing"
    pooling: Pooling | None = None
    query_prefix: str | None = None
    passage_prefix: str | None = None
    files: dict[str, str] = {}

    def write(self, folder: Path) -> None:
        """Write the file to the folder of the model. Raises OSError."""
        (folder / MANIFEST).write_text(self.model_dump_json(indent=2) + "\n", encoding="utf-8")
