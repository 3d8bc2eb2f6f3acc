"""Where OwnSona keeps what must survive: the database, the secret key, backups."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import platformdirs

SECRET_KEY_LENGTH = 64


def default_data_directory() -> Path:
    """The platform's user data folder; for root `/var/lib/ownsona`.

    Under root the database server runs as a user of its own, which must be able to reach its files:
    a home folder would have to be opened to everyone for that.
    """
    if os.geteuid() == 0:
        return Path("/var/lib/ownsona")
    return Path(platformdirs.user_data_dir("ownsona", appauthor=False))


def create_data_directory(path: Path) -> None:
    """Make the folder, private to its owner. Raises OSError when it cannot be made or written to."""
    # Only search permission for others: under root the database server is another user on its way to its own folder.
    mode = 0o711 if os.geteuid() == 0 else 0o700
    path.mkdir(mode=mode, parents=True, exist_ok=True)
    if not os.access(path, os.W_OK | os.X_OK):
        raise PermissionError(13, "not writable", str(path))


def kept_secret_key(directory: Path) -> str:
    """The secret key of this data folder, made at the first call and the same ever after.

    Two processes that start at once agree on one key: it is written aside and linked into place, which only one can do.
    """
    path = directory / "secret_key"
    if not path.exists():
        create_data_directory(directory)
        aside = directory / f".secret_key.{os.getpid()}.{secrets.token_hex(4)}"
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(secrets.token_urlsafe(SECRET_KEY_LENGTH))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(aside, path)
        except FileExistsError:
            pass  # Another process was first: its key is the one.
        finally:
            aside.unlink()
    return path.read_text(encoding="utf-8").strip()
