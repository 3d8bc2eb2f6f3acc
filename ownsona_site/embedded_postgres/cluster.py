"""The files of the database cluster: atomic creation, and checks of their access rights and version."""

from __future__ import annotations

import os
import pwd
import re
import shlex
import shutil
import stat
from pathlib import Path

from ownsona_site.embedded_postgres.account import Account
from ownsona_site.embedded_postgres.binaries import MAJOR_VERSION
from ownsona_site.embedded_postgres.errors import EmbeddedServerError

DATABASE_NAME = "ownsona"
SUPERUSER = "ownsona"
MAX_CONNECTIONS = 200
# Written once into postgresql.conf, where the owner may change them. Durability settings keep PostgreSQL's defaults.
INITIAL_SETTINGS = {
    "max_connections": str(MAX_CONNECTIONS),
    "shared_buffers": "256MB",
    "maintenance_work_mem": "128MB",
    "effective_cache_size": "1GB",
    "random_page_cost": "1.1",
    "jit": "off",
    # One file per weekday, overwritten a week later.
    "logging_collector": "on",
    "log_filename": "postgresql-%u.log",
    "log_rotation_age": "1d",
    "log_rotation_size": "0",
    "log_truncate_on_rotation": "on",
}


def create_cluster(folder: Path, programs: Path, account: Account) -> None:
    """Create a cluster with one empty database, unless it exists. Raises EmbeddedServerError or OSError."""
    if folder.exists():
        return
    aside = folder.with_name(f"{folder.name}.being-made")
    if aside.exists():
        shutil.rmtree(aside)
    aside.mkdir(mode=0o700)
    account.take_ownership(aside)
    settings = [f"--set={name}={value}" for name, value in INITIAL_SETTINGS.items()]
    locale = ["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    # Only the server's own account and root can reach the socket, so no password is needed.
    access = [f"--username={SUPERUSER}", "--auth=trust", "--data-checksums"]
    # Without exit_on_error, the program succeeds even if a statement fails, for example on a full disk.
    single_user = ["-c", "logging_collector=off", "-c", "exit_on_error=on"]
    try:
        account.run([programs / "initdb", "-D", aside, *access, *locale, *settings])
        account.run(
            [programs / "postgres", "--single", "-D", aside, *single_user, "postgres"],
            stdin=f"CREATE DATABASE {DATABASE_NAME};\n",
        )
    except EmbeddedServerError:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    aside.rename(folder)
    _sync(folder.parent)


def check_access(folder: Path, account: Account) -> None:
    """Raise EmbeddedServerError if the files belong to another user or are open to others, as after a copy.

    PostgreSQL refuses them, too, but its message assumes that the reader created the cluster by hand.
    """
    status, place = folder.stat(), shlex.quote(str(folder))
    if status.st_uid != account.uid:
        user = _name_of(account.uid)
        raise EmbeddedServerError(
            f"The database in {folder} belongs to the user {_name_of(status.st_uid)}, and PostgreSQL runs as {user}: "
            f"run `{'' if account.is_other else 'sudo '}chown -R {user}: {place}` and start again."
        )
    # PostgreSQL, too, allows the group to read.
    if status.st_mode & (stat.S_IWGRP | stat.S_IRWXO):
        raise EmbeddedServerError(
            f"The database in {folder} is open to other users of this machine (mode {stat.S_IMODE(status.st_mode):o}): "
            f"run `chmod -R go= {place}` and start again."
        )


def check_version(folder: Path) -> None:
    """Raise EmbeddedServerError if the files are not a database or are of another major version of PostgreSQL."""
    try:
        version = (folder / "PG_VERSION").read_text(encoding="ascii", errors="replace").strip()
    except FileNotFoundError:
        version = ""
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3})?", version):
        raise EmbeddedServerError(
            f"{folder} does not contain a complete database: its file PG_VERSION is missing or damaged. Restore "
            "the folder from a backup. Or, if you do not need its contents, move it away and start again: that creates "
            "a new, empty database."
        )
    if version != MAJOR_VERSION:
        raise EmbeddedServerError(
            f"The database in {folder} was created by PostgreSQL {version}, but this is PostgreSQL {MAJOR_VERSION}: "
            "start the version of OwnSona that created it, export the memories, and import them into a new data folder."
        )


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
