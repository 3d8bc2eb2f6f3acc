"""The files of open imports, in the data folder, where only the owner of the server can read them."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import IO, Final
from uuid import UUID

from django.conf import settings

from common.new_file import new_file
from memories.models import ImportJob

_COPIED_BYTES: Final = 1 << 20
_NEW_SECONDS: Final = 24 * 3600.0
"""Age up to which a file without an import may be one that is being stored."""


def folder() -> Path:
    """Return the folder of these files."""
    return Path(settings.DATA_DIR) / "imports"


def path_of(import_id: UUID) -> Path:
    """Return the path of the file of an import."""
    return folder() / str(import_id)


def store_file(import_id: UUID, content: IO[bytes]) -> int:
    """Store the file of an import, and return its size in bytes. It appears when it is complete. Raises OSError."""
    folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    content.seek(0)
    with new_file(path_of(import_id), overwrite=True) as stream:
        shutil.copyfileobj(content, stream, _COPIED_BYTES)
        return stream.tell()


def delete_file(import_id: UUID) -> None:
    """Delete the file of an import, if it is there."""
    path_of(import_id).unlink(missing_ok=True)


def delete_unused_files() -> None:
    """Delete the files whose import has ended, or was never stored because a process died."""
    if not folder().is_dir():
        return
    needed = {str(pk) for pk in ImportJob.objects.filter(state__in=ImportJob.OPEN).values_list("pk", flat=True)}
    for path in folder().iterdir():
        if path.name not in needed and time.time() - path.stat().st_mtime > _NEW_SECONDS:
            path.unlink(missing_ok=True)
