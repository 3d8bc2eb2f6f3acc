"""The system account that the server runs as: PostgreSQL refuses to run as root."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypedDict

from ownsona_site.embedded_postgres.errors import EmbeddedServerError

ACCOUNT_NAME = "ownsona"
# The caller's environment is not passed on: its variables (PGDATA, PGOPTIONS, LC_ALL, …) are meant for another server.
SERVER_ENVIRONMENT = {
    "PATH": os.defpath,
    "LC_ALL": "C",
    "TZ": "UTC",
    # glibc only: without fixed thresholds, a connection that stored a large batch would keep some 40 MB for good.
    "MALLOC_MMAP_THRESHOLD_": "262144",
    "MALLOC_TRIM_THRESHOLD_": "262144",
}


class Identity(TypedDict, total=False):
    """The arguments of subprocess.Popen that run a program as another user."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, slots=True)
class Account:
    """A user of this machine. `is_other` is true if this process runs as another user."""

    uid: int
    gid: int
    name: str
    is_other: bool

    def take_ownership(self, path: Path, *, follow_symlinks: bool = True) -> None:
        """Make this account the owner of `path`. Do not follow links in a folder where this account can create them."""
        if self.is_other:
            os.chown(path, self.uid, self.gid, follow_symlinks=follow_symlinks)

    def run(self, command: Sequence[str | Path], stdin: str = "") -> None:
        """Run a program as this account until it ends. Raises EmbeddedServerError with its last error message."""
        result = subprocess.run(  # noqa: S603 - the programs are PostgreSQL's own
            [str(part) for part in command],
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=SERVER_ENVIRONMENT,
            cwd="/",
            start_new_session=True,
            check=False,
            **self._identity(),
        )
        if result.returncode:
            complaints = [line for line in result.stdout.splitlines() if "error:" in line or "FATAL" in line]
            said = (complaints or result.stdout.strip().splitlines() or ["it printed no message"])[-1]
            raise EmbeddedServerError(f"{Path(command[0]).name} failed: {said}")

    def start(self, command: Sequence[str | Path], output: IO[bytes]) -> subprocess.Popen[bytes]:
        """Start a program as this account, in a session of its own so that Ctrl-C does not reach it."""
        return subprocess.Popen(  # noqa: S603 - as above
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=SERVER_ENVIRONMENT,
            cwd="/",
            start_new_session=True,
            umask=0o077,
            **self._identity(),
        )

    def can_reach(self, path: Path) -> bool:
        """Return whether this account may search every folder above `path`, and read and execute `path` itself."""
        return self.first_closed_folder(path) is None and self._has(path, stat.S_IROTH | stat.S_IXOTH)

    def first_closed_folder(self, path: Path) -> Path | None:
        """Return the topmost folder above `path` that this account may not search; None if there is none."""
        folders = reversed(path.resolve().parents)
        return next((folder for folder in folders if not self._has(folder, stat.S_IXOTH)), None)

    def _has(self, path: Path, bits_for_others: int) -> bool:
        status = path.stat()
        if status.st_uid == self.uid:
            wanted = bits_for_others << 6
        elif status.st_gid == self.gid:
            wanted = bits_for_others << 3
        else:
            wanted = bits_for_others
        return status.st_mode & wanted == wanted

    def _identity(self) -> Identity:
        return Identity(user=self.uid, group=self.gid, extra_groups=[]) if self.is_other else Identity()


def server_account() -> Account:
    """Return the account of this process; under root, the system user `ownsona`, created if missing.

    Raises EmbeddedServerError.
    """
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid(), "", is_other=False)
    try:
        entry = pwd.getpwnam(ACCOUNT_NAME)
    except KeyError:
        _create_account()
        entry = pwd.getpwnam(ACCOUNT_NAME)
    return Account(entry.pw_uid, entry.pw_gid, ACCOUNT_NAME, is_other=True)


def _create_account() -> None:
    advice = f"create a system user named {ACCOUNT_NAME}, or run OwnSona as an ordinary user"
    useradd = shutil.which("useradd", path=f"{os.defpath}:/usr/sbin:/sbin")
    if useradd is None:
        raise EmbeddedServerError(f"PostgreSQL does not run as root, and this system has no useradd: {advice}.")
    result = subprocess.run(  # noqa: S603 - found in the system's own folders
        [useradd, "--system", "--user-group", "--no-create-home", "--shell", "/bin/false", ACCOUNT_NAME],
        capture_output=True,
        text=True,
        check=False,
    )
    # 9: another process created the user at the same time.
    if result.returncode not in {0, 9}:
        raise EmbeddedServerError(
            f"PostgreSQL does not run as root, and useradd failed ({result.stderr.strip()}): {advice}."
        )
