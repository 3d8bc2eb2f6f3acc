"""Recognition of complete archives, backups and office documents among other ZIP files."""

from __future__ import annotations

import zipfile
from typing import BinaryIO

from common.zip_members import UNREADABLE
from memories.transfer.archive.manifest import FORMAT, MANIFEST

_START_BYTES = 4096
_MARK = f'"format": "{FORMAT}"'.encode()
_BACKUP_MARK = b'"format": "ownsona-backup"'
_DOCUMENT_MEMBERS = frozenset({"[Content_Types].xml", "mimetype"})
"""Members that are in Office Open XML, or in OpenDocument and EPUB."""


def is_complete_archive(stream: BinaryIO) -> bool:
    """Return whether a seekable stream is an archive of `manage.py export`. Only the start of its manifest is read."""
    return _MARK in _start_of_manifest(stream)


def is_backup(stream: BinaryIO) -> bool:
    """Return whether a seekable stream is an archive of `manage.py backup`. Only the start of its manifest is read."""
    return _BACKUP_MARK in _start_of_manifest(stream)


def is_document(stream: BinaryIO) -> bool:
    """Return whether a seekable stream is a document of an office program, or a book."""
    try:
        with zipfile.ZipFile(stream) as file:
            return not _DOCUMENT_MEMBERS.isdisjoint(file.namelist())
    except UNREADABLE:
        return False


def _start_of_manifest(stream: BinaryIO) -> bytes:
    try:
        with zipfile.ZipFile(stream) as file, file.open(MANIFEST) as manifest:
            return manifest.read(_START_BYTES)
    except UNREADABLE:
        return b""
