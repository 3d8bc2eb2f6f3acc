"""The folder of the server's socket. It is private, since access to the socket makes one the database superuser."""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import suppress
from pathlib import Path

from ownsona_site.embedded_postgres.account import Account
from ownsona_site.embedded_postgres.errors import EmbeddedServerError

SOCKET_NAME = ".s.PGSQL.5432"
MAX_SOCKET_PATH_BYTES = 100
"""The longest socket path. `sun_path` holds 108 bytes on Linux and 104 on macOS, including the final NUL."""
# Not the user's TMPDIR: processes with different values must find the same socket.
SHORT_PARENT = Path("/tmp")  # noqa: S108


def socket_folder(data_directory: Path) -> Path:
    """Return the folder of the socket: in the data folder, or below /tmp if that path does not suit a socket."""
    inside = data_directory / "socket"
    # A comma separates hosts in libpq's `host` and folders in the server's setting.
    if len(os.fsencode(inside / SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES and not set(',"') & set(str(inside)):
        return inside
    name = hashlib.sha256(os.fsencode(data_directory)).hexdigest()[:16]
    return SHORT_PARENT / f"ownsona-{os.geteuid()}-{name}"


def make_socket_folder(folder: Path, account: Account, *, is_ours: bool) -> None:
    """Create the folder, accessible to `account` only, before the server starts. Raises EmbeddedServerError.

    After a copy of the data folder, the folder can have another owner or mode. It is replaced if `is_ours`, that is, if
    it is in the data folder, where no other user can have created it. Elsewhere it is refused.
    """
    if is_ours and folder.exists() and not _is_private(folder, account):
        _remove_copy(folder)
    try:
        folder.mkdir(mode=0o700)
        account.take_ownership(folder)
    except FileExistsError:
        pass  # Its owner and mode are checked below.
    if not _is_private(folder, account):
        raise EmbeddedServerError(
            f"{folder} is not a private folder of the database server's user: remove it and start again."
        )
    (folder / f"{SOCKET_NAME}.lock").unlink(missing_ok=True)


def _is_private(folder: Path, account: Account) -> bool:
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == account.uid and not status.st_mode & 0o077


def _remove_copy(folder: Path) -> None:
    """Remove the folder if it contains only files that a server leaves behind; otherwise keep it."""
    with suppress(OSError):
        for name in (SOCKET_NAME, f"{SOCKET_NAME}.lock"):
            (folder / name).unlink(missing_ok=True)
        folder.rmdir()
