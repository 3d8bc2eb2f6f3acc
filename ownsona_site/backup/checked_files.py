"""The record of the archives that were checked, in the data folder. A check is about one file, not about its copies."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.utils import timezone
from pydantic import BaseModel, ConfigDict, ValidationError

from common.new_file import new_file

FILE_NAME = "checked_backups.json"


class CheckedFile(BaseModel):
    """A check of a file. It says nothing about one with another size or time of modification.

    `problem` is the message of the error; empty if the archive was found complete.
    """

    model_config = ConfigDict(frozen=True)

    bytes: int
    modified_ns: int
    checked_at: datetime
    problem: str = ""


class _Record(BaseModel):
    files: dict[str, CheckedFile] = {}


def checked_files() -> Mapping[str, CheckedFile]:
    """Return the last check of each file by its path. There are none if the record cannot be read."""
    try:
        return _Record.model_validate_json(_path().read_bytes()).files
    except (OSError, ValidationError):
        return {}


def record_checked(path: Path, problem: str = "") -> None:
    """Record that the file at `path` was found complete, or its problem. Files that are gone are forgotten."""
    # The check is more important than its record.
    with suppress(OSError):
        status = path.stat()
        known = {place: check for place, check in checked_files().items() if Path(place).exists()}
        known[str(path.absolute())] = CheckedFile(
            bytes=status.st_size, modified_ns=status.st_mtime_ns, checked_at=timezone.now(), problem=problem
        )
        with new_file(_path(), overwrite=True) as file:
            file.write(_Record(files=known).model_dump_json().encode())


def _path() -> Path:
    return Path(settings.DATA_DIR) / FILE_NAME
