"""Files in the data folder that are prepared from those of installed packages, once, and checked at each start."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from memories.embeddings.store import models_folder
from memories.errors import EmbeddingError

LIMIT_SECONDS = 120
"""Time for which a preparing program may run."""

CANNOT_WRITE = os.EX_IOERR
"""Exit code of a preparing program when it cannot write its target."""

UNFINISHED = "new-"
LEFT_BEHIND_SECONDS = 3600
"""Age from which an unfinished file is abandoned: a start that was killed has left it."""


PROJECT = Path(__file__).resolve().parents[2]


def package_folder(name: str, distribution: str) -> Path:
    """Return the folder of the installed package `name`, without importing it. Raises EmbeddingError."""
    package = importlib.util.find_spec(name)
    if package is None or package.origin is None:
        raise EmbeddingError(f"The package {distribution} is missing. Reinstall the packages of requirements.txt.")
    return Path(package.origin).parent


def prepared_file(name: str, sha256: str, program: Path, *arguments: str | Path) -> Path:
    """Return the file `name` of the folder of models, whose content has the SHA-256 hash `sha256`.

    If it is missing or damaged, `program` makes it: it is called with `arguments` and the path to write. It runs in a
    separate process, so that no server keeps the memory of its libraries. Raises EmbeddingError.
    """
    target = models_folder() / name
    _remove_left_behind(target.parent)
    if not _holds(target, sha256):
        _make(target, program, *arguments)
        require_content(target, sha256, "Reinstall the packages of requirements.txt.")
    return target


def require_content(path: Path, sha256: str, fix: str) -> None:
    """Raise EmbeddingError, with `fix` as advice, unless the SHA-256 hash of the file is `sha256`."""
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbeddingError(
            f"The file {path} of the embedding model cannot be read: {error.strerror}. {fix}"
        ) from error
    if found != sha256:
        raise EmbeddingError(f"The file {path} of the embedding model is damaged. {fix}")


def _holds(path: Path, sha256: str) -> bool:
    try:
        require_content(path, sha256, "")
    except EmbeddingError:
        return False
    return True


def _make(target: Path, program: Path, *arguments: str | Path) -> None:
    """Make `target` as a whole or not at all, even if other processes do so at once."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=UNFINISHED, dir=target.parent) as folder:
            new = Path(folder) / target.name
            # The folder of the program is not on its path (-P), since a module there is named onnx.
            subprocess.run(  # noqa: S603 - a program and paths of our own
                [sys.executable, "-P", str(program), *map(str, arguments), str(new)],
                check=True,
                capture_output=True,
                timeout=LIMIT_SECONDS,
                env={**os.environ, "PYTHONPATH": str(PROJECT)},
            )
            new.replace(target)
    except OSError as error:
        raise _unwritable(target, error.strerror or str(error)) from error
    except subprocess.SubprocessError as error:
        said = (getattr(error, "stderr", None) or b"").decode(errors="replace").strip()
        reason = said.splitlines()[-1] if said else str(error)
        if getattr(error, "returncode", None) == CANNOT_WRITE:
            raise _unwritable(target, reason) from error
        raise EmbeddingError(
            f"The embedding model could not be prepared: {reason}. Reinstall the packages of requirements.txt."
        ) from error


def _unwritable(target: Path, reason: str) -> EmbeddingError:
    return EmbeddingError(
        f"The embedding model cannot be written to {target}: {reason}. Make the folder writable, with 200 MB of "
        f"free space."
    )


def _remove_left_behind(folder: Path) -> None:
    """Remove what killed starts have left in the folder of models."""
    for unfinished in folder.glob(f"{UNFINISHED}*"):
        try:
            is_old = unfinished.stat().st_mtime < time.time() - LEFT_BEHIND_SECONDS
        except OSError:  # Its process has just removed it.
            continue
        if is_old:
            shutil.rmtree(unfinished, ignore_errors=True)
