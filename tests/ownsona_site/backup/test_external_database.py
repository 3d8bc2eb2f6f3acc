"""Tests of backup and restore with an external PostgreSQL, named by DATABASE_URL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from ownsona_site.embedded_postgres.server import Server
from tests.ownsona_site.backup.conftest import BEFORE
from tests.ownsona_site.backup.installation import Installation


@pytest.fixture
def server(place: Path) -> Iterator[Server]:
    """A PostgreSQL server that is external to the installations of the tests."""
    folder = place / "server"
    folder.mkdir(mode=0o711)
    server = Server(folder)
    server.use()
    yield server
    server.release()


@pytest.fixture
def external(server: Server, place: Path) -> Installation:
    """An installation with an empty database on that server."""
    url = f"postgresql://ownsona@{quote(str(server.socket), safe='')}/ownsona"
    return Installation(place / "data", {"DATABASE_URL": url})


def query(server: Server, statement: str) -> None:
    with psycopg.connect(host=str(server.socket), user="ownsona", dbname="ownsona", autocommit=True) as connection:
        connection.execute(statement.encode())


def test_an_archive_goes_into_an_empty_database_and_back_into_a_data_folder(
    external: Installation, archive: Path, place: Path
) -> None:
    said = external.manage("restore", archive)
    assert "It is now in the database of DATABASE_URL." in said
    assert external.texts() == [BEFORE]
    assert not (external.folder / "postgres").exists()
    external.manage("backup", place / "external.zip")
    embedded = Installation(place / "embedded")
    embedded.manage("restore", place / "external.zip")
    assert embedded.texts() == [BEFORE]
    assert (embedded.folder / "secret_key").read_bytes() == (external.folder / "secret_key").read_bytes()


def test_a_database_that_is_not_empty_is_refused(external: Installation, server: Server, archive: Path) -> None:
    query(server, "CREATE EXTENSION vector")
    query(server, "CREATE TABLE invoices (id integer)")
    said = external.manage("restore", archive, fails=True)
    assert "DATABASE_URL: the database is not empty: it has public.invoices" in said
    assert not external.folder.exists()


def test_a_dump_that_fails_leaves_the_database_empty_and_the_key_as_it_was(
    external: Installation, server: Server, archive: Path, place: Path
) -> None:
    external.folder.mkdir()
    key = external.folder / "secret_key"
    key.write_text("k" * 64, encoding="ascii")
    # They pass the check for tables, but conflict with the dump.
    query(server, "CREATE FUNCTION memories_publish() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'")
    query(server, "CREATE TYPE memories_memory AS ENUM ('in the way')")
    assert "pg_restore failed" in external.manage("restore", archive, fails=True)
    query(server, "DROP TYPE memories_memory")
    query(server, "DROP FUNCTION memories_publish()")
    assert key.read_text(encoding="ascii") == "k" * 64
    said = external.manage("restore", archive)
    (aside,) = external.folder.glob("secret_key.before-restore-*")
    assert str(aside) in said
    assert aside.read_text(encoding="ascii") == "k" * 64
    assert external.texts() == [BEFORE]


def test_a_database_that_cannot_be_reached_is_one_line(archive: Path, place: Path) -> None:
    external = Installation(place / "data", {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing"})
    (line,) = external.manage("restore", archive, fails=True).splitlines()
    assert line.startswith("CommandError: DATABASE_URL: the database is not usable: ")
    assert not external.folder.exists()
