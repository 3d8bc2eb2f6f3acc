"""Recognition of complete archives among other ZIP files."""

from __future__ import annotations

import zipfile
from typing import BinaryIO

from common.zip_members import UNREADABLE
from memories.transfer.archive.manifest import FORMAT, MANIFEST

_START_BYTES = 4096
_MARK = f'"format": "{FORMAT}"'.encode()


def is_complete_archive(stream: BinaryIO) -> bool:
    """Return whether a seekable stream is an archive of `manage.py export`. Only the start of its manifest is read."""
    try:
        with zipfile.ZipFile(stream) as file, file.open(MANIFEST) as manifest:
            return _MARK in manifest.read(_START_BYTES)
    except UNREADABLE:
        return False
