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
ENCRYPTED_TABLES = {
    "memories_hiddenvalue": ("hidden value", "hidden values"),
    "customtools_toolsecret": ("secret of custom tools", "secrets of custom tools"),
}
"""Tables in which every row has a value that is encrypted under the secret key, with their names in messages."""


def require_key(archive: Archive) -> None:
    """Raise BackupError if the key that encrypts the archive's signing keys will not be in use."""
    key = archive.manifest.secret_key
    if settings.SECRET_KEY_IN_DATA_DIR:
        if not key.included:
            raise BackupError(
                "The archive was made with SECRET_KEY in the environment, which is not in it: set SECRET_KEY to that "
                f"value. {_consequences(archive)}"
            )
    elif fingerprint(settings.SECRET_KEY) != key.fingerprint:
        remedy = "Remove SECRET_KEY, since the archive contains its key" if key.included else "Set it to that value"
        raise BackupError(
            f"SECRET_KEY in the environment differs from that of the archive. {remedy}. {_consequences(archive)}"
        )


def unreadable_values(archive: Archive) -> str | None:
    """Return a sentence about the values that cannot be decrypted with the key that will be in use; None if all can."""
    key = archive.manifest.secret_key
    if settings.SECRET_KEY_IN_DATA_DIR:
        is_readable = key.included
    else:
        keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
        is_readable = key.fingerprint in {fingerprint(str(each)) for each in keys}
    rows = archive.manifest.rows
    found = [f"{rows[table]} {names[rows[table] != 1]}" for table, names in ENCRYPTED_TABLES.items() if rows.get(table)]
    if rows.get("documents_source"):
        found.append("secrets of sources")
    return None if is_readable or not found else f"Without that key, these cannot be decrypted: {', '.join(found)}."


def _consequences(archive: Archive) -> str:
    return f"{CONSEQUENCE} {unreadable_values(archive) or ''}".rstrip()


def write_key(folder: Path, secret_key: str) -> None:
    """Write the secret key of a data folder atomically, readable by its owner only. Raises OSError."""
    with new_file(folder / "secret_key", overwrite=True) as stream:
        stream.write(secret_key.encode())
        os.fchmod(stream.fileno(), 0o600)
