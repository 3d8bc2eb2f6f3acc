"""The secret key of an archive, compared with the one in the environment."""

from __future__ import annotations

import os
from pathlib import Path

from django.conf import settings

from common.new_file import new_file
from ownsona_site.backup.archive import Archive
from ownsona_site.backup.errors import BackupError
from ownsona_site.backup.manifest import fingerprint

OTHER_KEY = "--other-key"
CONSEQUENCE = (
    f"Without that key, {OTHER_KEY} restores anyway: browsers must log in again, and a new signing key is created. "
    "Memories, passwords and connected apps are kept."
)


def require_key(archive: Archive) -> None:
    """Raise BackupError if the key that encrypts the archive's signing keys will not be in use."""
    key = archive.manifest.secret_key
    if settings.SECRET_KEY_IN_DATA_DIR:
        if not key.included:
            raise BackupError(
                "The archive was made with SECRET_KEY in the environment, which is not in it: set SECRET_KEY to that "
                f"value. {CONSEQUENCE}"
            )
    elif fingerprint(settings.SECRET_KEY) != key.fingerprint:
        remedy = "Remove SECRET_KEY, since the archive contains its key" if key.included else "Set it to that value"
        raise BackupError(f"SECRET_KEY in the environment differs from that of the archive. {remedy}. {CONSEQUENCE}")


def write_key(folder: Path, secret_key: str) -> None:
    """Write the secret key of a data folder atomically, readable by its owner only. Raises OSError."""
    with new_file(folder / "secret_key", overwrite=True) as stream:
        stream.write(secret_key.encode())
        os.fchmod(stream.fileno(), 0o600)
