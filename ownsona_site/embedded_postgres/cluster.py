"""The database's files: made in one piece or not at all, and checked to be of the version that the programs are."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ownsona_site.embedded_postgres.account import Account
from ownsona_site.embedded_postgres.binaries import MAJOR_VERSION
from ownsona_site.embedded_postgres.errors import ServerError

DATABASE_NAME = "ownsona"
SUPERUSER = "ownsona"
MAX_CONNECTIONS = 200
# Written once into postgresql.conf, where the owner may change them. Durability stays as PostgreSQL ships it.
INITIAL_SETTINGS = {
    "max_connections": str(MAX_CONNECTIONS),
    "shared_buffers": "256MB",
    "maintenance_work_mem": "128MB",
    "effective_cache_size": "1GB",
    "random_page_cost": "1.1",
    "jit": "off",
    # One file a weekday, overwritten a week later.
    "logging_collector": "on",
    "log_filename": "postgresql-%u.log",
    "log_rotation_age": "1d",
    "log_rotation_size": "0",
    "log_truncate_on_rotation": "on",
}


def create_cluster(folder: Path, programs: Path, account: Account) -> None:
    """Make the files of a server with one empty database, unless they exist. Raises ServerError or OSError."""
    if folder.exists():
        return
    aside = folder.with_name(f"{folder.name}.being-made")
    if aside.exists():
        shutil.rmtree(aside)
    aside.mkdir(mode=0o700)
    account.own(aside)
    settings = [f"--set={name}={value}" for name, value in INITIAL_SETTINGS.items()]
    locale = ["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    # Nobody but the server's own account and root can reach the socket, so there is no password to ask for.
    access = [f"--username={SUPERUSER}", "--auth=trust", "--data-checksums"]
    try:
        account.run([programs / "initdb", "-D", aside, *access, *locale, *settings])
        account.run(
            [programs / "postgres", "--single", "-D", aside, "-c", "logging_collector=off", "postgres"],
            stdin=f"CREATE DATABASE {DATABASE_NAME};\n",
        )
    except ServerError:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    aside.rename(folder)
    _sync(folder.parent)


def check_version(folder: Path) -> None:
    """Raises ServerError when the files were written by another major version of PostgreSQL."""
    version = (folder / "PG_VERSION").read_text(encoding="ascii").strip()
    if version != MAJOR_VERSION:
        raise ServerError(
            f"The database in {folder} was made by PostgreSQL {version}, and this is PostgreSQL {MAJOR_VERSION}: "
            "start the version of OwnSona that made it, export the memories, and import them into a new data folder."
        )


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
