"""Installation of a curated model: all of its files, tested, in place at once or not at all."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from common.disk_space import MEGABYTE, free_bytes_in
from common.texts import translatable
from memories.embeddings.curated import CuratedModel
from memories.embeddings.hub.client import DownloadError, Hub, HubFile
from memories.embeddings.hub.download import download, partial_path
from memories.embeddings.manifest import MANIFEST, Manifest
from memories.embeddings.model_folder import read_model_folder
from memories.embeddings.onnx import OnnxEmbedder
from memories.embeddings.store import model_folder, models_folder
from memories.errors import EmbeddingError

Progress = Callable[[int, int], object]
"""Callback with the number of bytes that are stored, and of all bytes."""

_SAMPLE = "A first sentence."


def is_installed(model: CuratedModel) -> bool:
    """Return whether the model is in its folder and all of its files are as they were stored. Reads all of them."""
    folder = model_folder(model.name)
    try:
        manifest = Manifest.model_validate_json((folder / MANIFEST).read_bytes())
        return bool(manifest.files) and all(_sha256(folder / path) == sha for path, sha in manifest.files.items())
    except (OSError, ValueError):
        return False


def install_from_hub(model: CuratedModel, hub: Hub, progress: Progress) -> None:
    """Download and install a model. An interrupted download is continued by the next call.

    Raises DownloadError; a model that was installed before stays until the new one has been tested.
    """
    with _one_at_a_time(model) as parts:
        revision = hub.revision(model.repository)
        wanted = _wanted(model, hub, hub.files(model.repository, revision))
        total = sum(file.size for file in wanted)
        stored = sum(path.stat().st_size for file in wanted if (path := partial_path(parts, file)).exists())
        _require_room(total - stored)

        def report(count: int) -> None:
            nonlocal stored
            stored += count
            progress(stored, total)

        report(0)
        got = {file.path: download(hub, file, parts, report) for file in wanted}
        manifest = _manifest(model, revision=revision, verified_by="hub")
        _put_in_place(model, got, manifest)
        shutil.rmtree(parts, ignore_errors=True)


def install_files(model: CuratedModel, copies: dict[str, Path]) -> None:
    """Install a model from local files, by their paths in the repository. They cannot be compared with a hub.

    Raises DownloadError. The files stay where they are.
    """
    with _one_at_a_time(model):
        if missing := [path for path in model.files if path not in copies]:
            raise DownloadError(f"{', '.join(missing)} of {model.repository} missing. Copy the whole repository.")
        _require_room(sum(path.stat().st_size for path in copies.values()))
        _put_in_place(model, copies, _manifest(model, verified_by="nothing"), keep=True)


@contextmanager
def _one_at_a_time(model: CuratedModel) -> Iterator[Path]:
    """Yield the folder of partial downloads of a model. Exclude other installations of it; translate OSError."""
    parts = models_folder() / f"downloading-{model.name}"
    try:
        parts.mkdir(parents=True, exist_ok=True)
        lock = os.open(models_folder() / f".{model.name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield parts
        finally:
            os.close(lock)
    except BlockingIOError as error:
        raise DownloadError(
            translatable("Another process is downloading %(model)s. Wait until it has ended.", model=model.name)
        ) from error
    except OSError as error:
        where = error.filename or models_folder()
        problem = error.strerror or error
        raise DownloadError(
            translatable("%(path)s cannot be read or written: %(problem)s.", path=where, problem=problem)
        ) from error
    finally:
        # An empty folder is of no use: nothing was downloaded.
        with _ignored_os_errors():
            parts.rmdir()


def _wanted(model: CuratedModel, hub: Hub, files: dict[str, HubFile]) -> list[HubFile]:
    """Return the files of the model that are in the repository. Raises DownloadError if one that it needs is not."""
    if missing := [path for path in model.files if path not in files]:
        raise DownloadError(
            translatable(
                "%(hub)s gives no file with size and hash for %(files)s of %(repository)s. Nothing was downloaded, "
                "because it could not be verified.",
                hub=hub,
                files=", ".join(missing),
                repository=model.repository,
            )
        )
    return [files[path] for path in (*model.files, *model.optional_files) if path in files]


def _require_room(needed: int) -> None:
    """Raise DownloadError unless that many bytes fit on the disk of the models, above DISK_MINIMUM_MB."""
    free = free_bytes_in(models_folder())
    if free is not None and free - needed < settings.DISK_MINIMUM_MB * MEGABYTE:
        raise DownloadError(
            translatable(
                "Too little disk space in %(folder)s: the files need %(needed)s MB besides the %(kept)s MB that stay "
                "free (DISK_MINIMUM_MB), but only %(free)s MB are free.",
                folder=models_folder(),
                needed=needed // MEGABYTE + 1,
                kept=settings.DISK_MINIMUM_MB,
                free=free // MEGABYTE,
            )
        )


def _manifest(model: CuratedModel, **origin: str) -> Manifest:
    prefixes = model.prefixes
    return Manifest.model_validate(
        {
            "name": model.name,
            "repository": model.repository,
            "pooling": model.pooling,
            "query_prefix": prefixes.query,
            "passage_prefix": prefixes.passage,
            **origin,
        }
    )


def _put_in_place(model: CuratedModel, files: dict[str, Path], manifest: Manifest, *, keep: bool = False) -> None:
    """Assemble the files in a new folder, test the model there, and put it in place of the old one.

    The given files are moved, or copied with `keep`. Raises DownloadError if the model does not work.
    """
    with tempfile.TemporaryDirectory(prefix=f"new-{model.name}-", dir=models_folder()) as temporary:
        folder = Path(temporary) / model.name
        for path, source in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            if keep:
                shutil.copyfile(source, folder / path)
            else:
                source.rename(folder / path)
        manifest.files = {path: _sha256(folder / path) for path in files}
        manifest.write(folder)
        _require_working(model, folder)
        target = model_folder(model.name)
        if target.exists():
            target.rename(Path(temporary) / "old")
        folder.rename(target)


def _require_working(model: CuratedModel, folder: Path) -> None:
    """Load the model and embed a sentence with it. Raises DownloadError."""
    try:
        card = read_model_folder(folder)
        embedder = OnnxEmbedder(card)
        embedder.embed([_SAMPLE])
        embedder.embed_query(_SAMPLE)
    except EmbeddingError as error:
        reason = str(error).replace(f"{folder}/", "").removeprefix("EMBEDDING_MODEL: ")
        raise DownloadError(f"The files are not a model that OwnSona can use: {reason}") from error
    if card.space.dimensions != model.dimensions:
        raise DownloadError(
            f"The files are not {model.name}: their vectors have {card.space.dimensions} dimensions instead of "
            f"{model.dimensions}."
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _ignored_os_errors() -> Iterator[None]:
    try:
        yield
    except OSError:
        return
