"""Local copies of a model's repository: a folder, or a zip or tar archive."""

from __future__ import annotations

import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from memories.embeddings.curated import CuratedModel
from memories.embeddings.hub.client import DownloadError
from memories.embeddings.store import models_folder


def files_in_folder(model: CuratedModel, folder: Path) -> dict[str, Path]:
    """Return the files of a model in a copy of its repository, by path. Raises DownloadError if it is not a folder."""
    if not folder.is_dir():
        raise DownloadError(f"--folder: {folder} is not a folder.")
    return {path: folder / path for path in (*model.files, *model.optional_files) if (folder / path).is_file()}


@contextmanager
def files_in_archive(model: CuratedModel, archive: Path) -> Iterator[dict[str, Path]]:
    """Unpack the files of a model from an archive of its repository, and yield them by path.

    The repository may be in a folder of the archive. Other entries are not unpacked. Raises DownloadError.
    """
    models_folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="new-unpacked-", dir=models_folder()) as temporary:
        try:
            yield _unpacked(model, archive, Path(temporary))
        except (tarfile.TarError, zipfile.BadZipFile, EOFError) as error:
            raise DownloadError(f"--file: {archive} is damaged.") from error


def _unpacked(model: CuratedModel, archive: Path, folder: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    wanted = {*model.files, *model.optional_files}
    for name, content in _entries(archive):
        # With and without a folder at the top. Names decide nothing but this: each file has a path of our own.
        parts = PurePosixPath(name).parts
        path = next((rest for rest in ("/".join(parts), "/".join(parts[1:])) if rest in wanted), None)
        if path is None or path in found:
            continue
        found[path] = folder / str(len(found))
        with found[path].open("wb") as target:
            shutil.copyfileobj(content, target)
    return found


def _entries(archive: Path) -> Iterator[tuple[str, IO[bytes]]]:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as zipped:
            for entry in zipped.infolist():
                with zipped.open(entry) as content:
                    yield entry.filename, content
    elif archive.is_file() and tarfile.is_tarfile(archive):
        with tarfile.open(archive) as packed:
            for member in packed:
                unpacked = packed.extractfile(member) if member.isfile() else None
                if unpacked is not None:
                    yield member.name, unpacked
    else:
        raise DownloadError(f"--file: {archive} is not a zip or tar archive.")
