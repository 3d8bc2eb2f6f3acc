"""The free disk space that a restore needs."""

from __future__ import annotations

import shutil
from pathlib import Path

from ownsona_site.backup.errors import BackupError
from ownsona_site.backup.formatting import size
from ownsona_site.backup.manifest import Manifest

EMPTY_CLUSTER_BYTES = 80_000_000
"""The size of an empty cluster: 61 MB including the first write-ahead log segment, plus room for logs."""
MOST_LOG_BYTES = 1_200_000_000
"""The largest write-ahead log: `max_wal_size` and some more, since a restore writes faster than checkpoints run."""
SPARE_PART = 0.1


def needed_bytes(manifest: Manifest) -> int:
    """Estimate how many bytes a restore of the archive writes at most."""
    database = round(manifest.database_bytes * (1 + SPARE_PART))
    return EMPTY_CLUSTER_BYTES + database + min(database, MOST_LOG_BYTES)


def require_space(folder: Path, manifest: Manifest) -> None:
    """Raise BackupError if the file system of `folder` has too little free space for the restore."""
    needed, free = needed_bytes(manifest), shutil.disk_usage(folder).free
    if free < needed:
        raise BackupError(
            f"The disk of {folder} has too little free space: a restore needs about {size(needed)}, and only "
            f"{size(free)} are free. Nothing was changed."
        )
