"""Tests of the tables of a new database: they are those that all migrations would have created, one after the other."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.contrib.postgres.operations import TrigramExtension
from django.db import models
from django.db.migrations.operations import (
    AddConstraint,
    AddField,
    AddIndex,
    CreateModel,
    RemoveIndex,
    RunPython,
    RunSQL,
)

from ownsona_site.embedded_postgres.binaries import packaged_programs
from ownsona_site.embedded_postgres.server import Server
from ownsona_site.embedded_postgres.socket_folder import socket_folder
from ownsona_site.startup.new_tables import fold
from tests.support import first_database
from tests.support.processes import ROOT, temporary_data_directory

CREATE = """
import sys, django
django.setup()
from ownsona_site.startup import database_setup, new_tables
interrupted_at = sys.argv[1]
if interrupted_at:
    original = new_tables._apply_folded
    def apply(group, *others):
        if group[0].app_label == interrupted_at:
            raise KeyboardInterrupt
        return original(group, *others)
    new_tables._apply_folded = apply
    try:
        database_setup.run_migrations()
        sys.exit("not interrupted")
    except KeyboardInterrupt:
        pass
database_setup.run_migrations()
"""
CONSTRAINT_OF_RENAMED_COLUMN = re.compile(r" CONSTRAINT \w+_not_null NOT NULL")
"""PostgreSQL keeps the name that a NOT NULL constraint got with the first name of its column."""


@pytest.fixture(scope="module")
def migrated() -> Iterator[Path]:
    """A data folder with a database in which `manage.py migrate` has run every migration."""
    with temporary_data_directory() as path:
        first_database.copy_first_database(path)
        yield path


def create(data_directory: Path, interrupted_at: str = "") -> None:
    """Create the tables of a new data folder as the first start does, in a process of its own."""
    settings = {"OWNSONA_DATA_DIR": str(data_directory), "DJANGO_SETTINGS_MODULE": "ownsona_site.settings"}
    command = [sys.executable, "-c", CREATE, interrupted_at]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **settings}, check=True)


def contents(data_directory: Path) -> tuple[str, dict[str, int], set[object]]:
    """Return the schema, the number of rows of each table, and the names of migrations and models in rows."""
    server = Server(data_directory)
    server.use()
    place = f"host={socket_folder(data_directory)} user=ownsona dbname=ownsona"
    try:
        with psycopg.connect(place) as connection:
            tables = [
                name for (name,) in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname='public'")
            ]
            rows = {name: _first(connection, f'SELECT count(*) FROM "{name}"') for name in tables}
            names = {
                *connection.execute("SELECT app, name FROM django_migrations"),
                *connection.execute("SELECT app_label, model FROM django_content_type"),
                *connection.execute(
                    "SELECT app_label, model, codename FROM auth_permission AS permission "
                    "JOIN django_content_type AS type ON type.id = permission.content_type_id"
                ),
            }
        return _schema(place), rows, names
    finally:
        server.release()


def _first(connection: psycopg.Connection[tuple[int]], query: str) -> int:
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def _schema(place: str) -> str:
    command = [str(packaged_programs() / "pg_dump"), "--schema-only", f"--dbname={place}"]
    dump = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    # \restrict and \unrestrict have a random key.
    lines = [line for line in dump.splitlines() if "restrict" not in line]
    return CONSTRAINT_OF_RENAMED_COLUMN.sub(" NOT NULL", "\n".join(lines))


def test_they_are_those_of_all_migrations(migrated: Path) -> None:
    with temporary_data_directory() as new:
        create(new)
        assert contents(new) == contents(migrated)


def test_an_interrupted_creation_is_completed_by_the_migrations(migrated: Path) -> None:
    with temporary_data_directory() as new:
        create(new, interrupted_at="memories")
        assert contents(new) == contents(migrated)


def test_fields_indexes_and_constraints_are_folded_into_the_model() -> None:
    first = CreateModel("Note", [("id", models.BigAutoField(primary_key=True))])
    index = models.Index(fields=["text"], name="note_text")
    constraint = models.UniqueConstraint(fields=["text"], name="note_unique")
    folded = fold(
        [
            first,
            CreateModel("Link", [("note", models.ForeignKey("memories.Note", models.CASCADE))]),
            AddField("note", "text", models.TextField()),
            AddIndex("note", models.Index(fields=["id"], name="note_old")),
            AddIndex("note", index),
            AddConstraint("note", constraint),
            RemoveIndex("note", "note_old"),
        ],
        "memories",
    )
    note, link = folded
    assert isinstance(note, CreateModel)
    assert [name for name, _ in note.fields] == ["id", "text"]
    assert (note.options["indexes"], note.options["constraints"]) == ([index], [constraint])
    assert isinstance(link, CreateModel)
    # The migration itself stays as it is: it may be read again.
    assert [name for name, _ in first.fields] == ["id"]
    assert first.options == {}


def test_statements_are_last_and_those_that_only_change_rows_are_left_out() -> None:
    function, changes = RunSQL("CREATE FUNCTION"), RunSQL("UPDATE", elidable=True)
    code, fill = RunPython(RunPython.noop), RunPython(RunPython.noop, elidable=True)
    extension, model = TrigramExtension(), CreateModel("Note", [])
    folded = fold([function, changes, code, fill, model, extension], "memories")
    assert [type(each) for each in folded] == [TrigramExtension, CreateModel, RunSQL, RunPython]
    assert folded[2:] == [function, code]


def test_indexes_of_models_that_exist_are_kept() -> None:
    index, removal = AddIndex("note", models.Index(fields=["id"], name="a")), RemoveIndex("note", "b")
    assert fold([index, removal], "memories") == [removal, index]
