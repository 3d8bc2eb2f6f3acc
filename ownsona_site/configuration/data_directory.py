"""The data folder, which holds everything that must survive: the database, the secret key and backups."""

from __future__ import annotations

import os
import secrets
from errno import EBUSY
from pathlib import Path

import platformdirs

BACKUPS = "backups"
"""The name of the folder of backups in the data folder. A restore leaves it in place."""
SECRET_KEY_LENGTH = 64
"""Random bytes in a new key."""
LEAST_KEY_LENGTH = 32
"""Minimum length of a key in characters, also of one in the settings."""
LEAST_DIFFERENT_CHARACTERS = 5


class DamagedSecretKey(Exception):
    """The file of the secret key exists but holds no usable key. `str(error)` says which file and why."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"The file {path} {problem}.")
        self.path = path


def default_data_directory() -> Path:
    """Return the platform's user data folder, or `/var/lib/ownsona` for root.

    Under root the database server runs as a user of its own, which must be able to reach its files. A home folder would
    have to be opened to everyone for that.
    """
    if os.geteuid() == 0:
        return Path("/var/lib/ownsona")
    return Path(platformdirs.user_data_dir("ownsona", appauthor=False))


def data_folder_setting(folder: Path) -> dict[str, str]:
    """Return the setting that names the data folder `folder`; nothing if it is the default one.

    A program that somebody else starts does not have the environment of the server, and would create an empty folder.
    """
    return {} if folder == default_data_directory() else {"OWNSONA_DATA_DIR": str(folder)}


class RestoreInterrupted(OSError):
    """A restore was killed while it renamed folders. The data folder is neither the old one nor the new one."""

    def __init__(self, folder: Path) -> None:
        super().__init__(EBUSY, "A restore was interrupted. Run the same `manage.py restore FILE` again", str(folder))

    def __str__(self) -> str:
        return f"{self.strerror}."


def restore_records(path: Path) -> tuple[Path, Path]:
    """Return the two record files, beside the data folder and in it. One exists while a restore renames folders."""
    return path.with_name(f"{path.name}.restore-moves"), path / "restore-moves"


def create_data_directory(path: Path) -> None:
    """Create the folder, private to its owner.

    Raises RestoreInterrupted, and OSError when the folder cannot be created or written to.
    """
    if any(record.exists() for record in restore_records(path.resolve())):
        raise RestoreInterrupted(path)
    # Under root, others get search permission: the database server runs as another user and must reach its own folder.
    mode = 0o711 if os.geteuid() == 0 else 0o700
    path.mkdir(mode=mode, parents=True, exist_ok=True)
    if not os.access(path, os.W_OK | os.X_OK):
        raise PermissionError(13, "not writable", str(path))


def load_or_create_secret_key(directory: Path) -> str:
    """Return the secret key of this data folder, and create it at the first call.

    Processes that start at once agree on one key: each writes a temporary file and links it into place, and only one
    link succeeds. Raises DamagedSecretKey, and OSError when the file can neither be read nor created.
    """
    path = directory / "secret_key"
    if not path.exists():
        _make_secret_key(path)
    try:
        key = path.read_text(encoding="utf-8").strip()
    except UnicodeDecodeError:
        raise DamagedSecretKey(path, "is not a text file") from None
    if problem := _problem_with(key):
        raise DamagedSecretKey(path, problem)
    return key


def _make_secret_key(path: Path) -> None:
    create_data_directory(path.parent)
    aside = path.parent / f".secret_key.{os.getpid()}.{secrets.token_hex(4)}"
    try:
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(secrets.token_urlsafe(SECRET_KEY_LENGTH))
            file.flush()
            os.fsync(file.fileno())
        os.link(aside, path)
    except FileExistsError:
        pass  # Another process was first, and its key is used.
    finally:
        aside.unlink(missing_ok=True)


def _problem_with(key: str) -> str | None:
    """Return why `key` is unusable, to end a sentence, or None. A crash can leave a file empty or all zeros."""
    if not key:
        return "is empty"
    if not key.isprintable() or len(set(key)) < LEAST_DIFFERENT_CHARACTERS:
        return "does not contain a random key"
    if len(key) < LEAST_KEY_LENGTH:
        return f"has {len(key)} characters, but at least {LEAST_KEY_LENGTH} are required"
    return None
