"""Download of one file of a hub: it continues where it stopped, and the result has the hash of the metadata."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from pathlib import Path

from common.texts import translatable
from memories.embeddings.hub.client import DownloadError, Hub, HubFile, TransientError

Report = Callable[[int], object]
"""Callback that receives the number of bytes that were stored since its last call; negative if they were discarded."""

MAX_FAILURES = 4
"""Number of failed attempts in a row, without any progress, until the download is given up."""

RETRY_SECONDS = 1.0
"""Delay before the second attempt. Each further failure doubles the delay."""

_READ_BYTES = 1 << 20


def partial_path(folder: Path, file: HubFile) -> Path:
    """Return the path of the part that is stored. Named by the hash, so that parts of other versions are not mixed."""
    return folder / f"{file.sha256 or file.blob_sha1}.part"


def download(hub: Hub, file: HubFile, parts: Path, report: Report) -> Path:
    """Download a file into the folder `parts` and return its path there.

    Raises DownloadError: if the connection fails repeatedly, what has arrived is kept for the next call; if the content
    has another hash than in the metadata, it is removed. Raises OSError if it cannot be written.
    """
    part = partial_path(parts, file)
    failures, furthest = 0, _stored(part)
    while _stored(part) < file.size or not part.exists():
        try:
            _continue(hub, file, part, report)
        except TransientError as error:
            # A server that sends less than the metadata states would otherwise be asked forever.
            failures = 1 if _stored(part) > furthest else failures + 1
            furthest = max(furthest, _stored(part))
            if failures >= MAX_FAILURES:
                raise DownloadError(
                    translatable(
                        "%(problem)s The download of %(file)s stopped after %(stored)s of %(all)s bytes. Start it "
                        "again to continue.",
                        problem=error,
                        file=file.path,
                        stored=f"{_stored(part):,}",
                        all=f"{file.size:,}",
                    )
                ) from error
            time.sleep(RETRY_SECONDS * 2.0 ** (failures - 1))
    if _stored(part) != file.size or not has_hash(part, file):
        report(-_stored(part))
        part.unlink()
        raise DownloadError(
            translatable(
                "%(hub)s sent other bytes for %(file)s than its metadata states. They were removed. Start the download "
                "again; if it fails again, use another mirror.",
                hub=hub,
                file=file.path,
            )
        )
    return part


def has_hash(path: Path, file: HubFile) -> bool:
    """Return whether the content of `path` has the hash that the hub's metadata gives. Raises OSError."""
    with path.open("rb") as opened:
        if file.sha256:
            return hashlib.file_digest(opened, "sha256").hexdigest() == file.sha256
        # A git blob: https://git-scm.com/book/en/v2/Git-Internals-Git-Objects
        digest = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
        while block := opened.read(_READ_BYTES):
            digest.update(block)
        return digest.hexdigest() == file.blob_sha1


def _continue(hub: Hub, file: HubFile, part: Path, report: Report) -> None:
    """Append to the part what the hub sends. Raises TransientError if that is less than the rest."""
    start = _stored(part)
    with hub.content(file, start) as response:
        if start and not response.headers.get("Content-Range", "").startswith(f"bytes {start}-"):
            # The server does not support ranges, or the file is shorter.
            report(-start)
            part.unlink()
            start = 0
            if response.status_code != 200:
                raise TransientError(
                    translatable("%(hub)s cannot continue the download of %(file)s.", hub=hub, file=file.path)
                )
        with part.open("ab") as target:
            # Without a block size, nothing that has arrived is lost if the connection breaks.
            for block in response.iter_raw():
                target.write(block)
                start += len(block)
                report(len(block))
                if start > file.size:
                    return
    if start < file.size:
        raise TransientError(translatable("%(hub)s ended the connection early.", hub=hub))


def _stored(part: Path) -> int:
    try:
        return part.stat().st_size
    except FileNotFoundError:
        return 0
