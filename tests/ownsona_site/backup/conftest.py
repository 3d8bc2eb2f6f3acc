"""An archive that many tests restore, and an installation whose copies they change."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ownsona_site.configuration.data_directory import create_data_directory
from tests.ownsona_site.backup.installation import Installation, temporary_place
from tests.support.first_database import copy_first_database

BEGIN = """
import sys
import django
django.setup()
from django.core.management import call_command
from memories.models import EmbeddingSpace
from memories.tasks import index_pending
from memories.vectors.hnsw import VectorIndex
from ownsona_site.startup.owner_account import ensure_account
call_command("migrate", verbosity=0)
ensure_account()
call_command("import_memories", sys.argv[1])
index_pending()
VectorIndex(EmbeddingSpace.objects.get().pk, ensure_account().pk, 1).build(EmbeddingSpace.objects.get().dimensions, 1)
call_command("backup", sys.argv[2], verbosity=0)
call_command("import_memories", sys.argv[3])
index_pending()
"""
BEFORE, AFTER = "My dog is called Mochi", "I play the cello"


@dataclass(frozen=True, slots=True)
class Made:
    """An archive with the memory `BEFORE`, and its installation, which has stored `AFTER` since."""

    archive: Path
    folder: Path


@pytest.fixture(scope="session")
def made() -> Iterator[Made]:
    with temporary_place() as path:
        installation = Installation(path / "data")
        create_data_directory(installation.folder)
        copy_first_database(installation.folder)
        for name, text in (("before.txt", BEFORE), ("after.txt", AFTER)):
            (path / name).write_text(f"{text}\n", encoding="utf-8")
        paths = [str(path / name) for name in ("before.txt", "archive.zip", "after.txt")]
        installation.run("-c", BEGIN, *paths)
        yield Made(path / "archive.zip", path / "data")


@pytest.fixture
def archive(made: Made) -> Path:
    """An archive with one memory."""
    return made.archive


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder for the data folders of a test."""
    with temporary_place() as path:
        yield path


@pytest.fixture
def new(place: Path) -> Installation:
    """An installation that does not exist yet."""
    return Installation(place / "data")


@pytest.fixture
def existing(new: Installation, made: Made) -> Installation:
    """The installation of the archive, with an additional memory."""
    subprocess.run(["cp", "-a", made.folder, new.folder], check=True)
    return new
