"""Export of everything that belongs to an owner, as one archive."""

from __future__ import annotations

from pathlib import Path
from typing import IO

from django.utils import timezone

from common.new_file import new_file
from memories.access import View
from memories.transfer.archive.manifest import Manifest
from memories.transfer.archive.registry import parts
from memories.transfer.archive.snapshot import snapshot
from memories.transfer.archive.writer import ArchiveWriter


def export_archive(view: View, path: Path, *, overwrite: bool = False, with_hidden_values: bool = False) -> Manifest:
    """Write an archive of everything that the owner of a whole view has, and return its manifest.

    The file appears when it is complete. Raises UnusableTarget if it exists, unless with `overwrite`, and OSError.
    """
    with new_file(path, overwrite=overwrite) as stream:
        return write_archive(view, stream, with_hidden_values=with_hidden_values)


def write_archive(view: View, stream: IO[bytes], *, with_hidden_values: bool = False) -> Manifest:
    """Write an archive of everything that the owner of a whole view has to a stream. Raises OSError.

    Values that are hidden from apps are left out unless the owner asks for them: they are in plain text then.
    """
    if not view.is_whole:
        raise ValueError("an archive has all data of its owner")
    writer = ArchiveWriter(stream, timezone.now(), with_hidden_values=with_hidden_values)
    with snapshot(), writer as archive:
        for part in parts():
            part.write(archive, view)
        return archive.finish()
