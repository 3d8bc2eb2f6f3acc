"""Where OwnSona keeps what must survive: the database, the secret key, backups."""

from __future__ import annotations

import os
import secrets
from errno import EBUSY
from pathlib import Path

import platformdirs

SECRET_KEY_LENGTH = 64
"""The bytes of a new key."""
LEAST_KEY_LENGTH = 32
"""The characters that a key must have, wherever it comes from."""
LEAST_DIFFERENT_CHARACTERS = 5


class DamagedSecretKey(Exception):
    """The file of the secret key is there and holds no usable key. `str(error)` says which file and why."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"The file {path} {problem}.")
        self.path = path


def default_data_directory() -> Path:
    """The platform's user data folder; for root `/var/lib/ownsona`.

    Under root the database server runs as a user of its own, which must be able to reach its files:
    a home folder would have to be opened to everyone for that.
    """
    if os.geteuid() == 0:
        return Path("/var/lib/ownsona")
    return Path(platformdirs.user_data_dir("ownsona", appauthor=False))


class RestoreInterrupted(OSError):
    """A restore was killed while it renamed folders: the data folder is neither the old one nor the new one."""

    def __init__(self, folder: Path) -> None:
        super().__init__(EBUSY, "A restore was interrupted. Run the same `manage.py restore FILE` again", str(folder))

    def __str__(self) -> str:
        return f"{self.strerror}."


def restore_records(path: Path) -> tuple[Path, Path]:
    """The files of which one exists while a restore renames folders: beside the data folder, and in it."""
    return path.with_name(f"{path.name}.restore-moves"), path / "restore-moves"


def create_data_directory(path: Path) -> None:
    """Make the folder, private to its owner. Raises OSError when it cannot be made or written to."""
    if any(record.exists() for record in restore_records(path.resolve())):
        raise RestoreInterrupted(path)
    # Only search permission for others: under root the database server is another user on its way to its own folder.
    mode = 0o711 if os.geteuid() == 0 else 0o700
    path.mkdir(mode=mode, parents=True, exist_ok=True)
    if not os.access(path, os.W_OK | os.X_OK):
        raise PermissionError(13, "not writable", str(path))


def load_or_create_secret_key(directory: Path) -> str:
    """Return the secret key of this data folder, made at the first call and the same ever after.

    Two processes that start at once agree on one key: it is written aside and linked into place, which only one can do.
    Raises DamagedSecretKey, and OSError when the file can neither be read nor made.
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
        pass  # Another process was first: its key is the one.
    finally:
        aside.unlink(missing_ok=True)


def _problem_with(key: str) -> str | None:
    """What makes `key` unfit, as the end of a sentence: a file can be emptied or filled with zeros by a crash."""
    if not key:
        return "is empty"
    if not key.isprintable() or len(set(key)) < LEAST_DIFFERENT_CHARACTERS:
        return "does not hold a random key"
    if len(key) < LEAST_KEY_LENGTH:
        return f"holds {len(key)} characters, fewer than {LEAST_KEY_LENGTH}"
    return None
