"""SQLite databases of mcp-memory-service."""

from __future__ import annotations

import io
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memories.transfer.entries import UnreadableFile
from memories.transfer.opening import open_import, open_path
from tests.support.imports import FIXTURES, problems, records, texts

SCHEMA = (FIXTURES / "mcp-memory-service.sql").read_text(encoding="utf-8")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "sqlite_vec.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHEMA)
        connection.commit()
    return path


def found_in(path: Path) -> list[str]:
    with path.open("rb") as stream:
        return texts(open_path(path, stream).entries)


def test_rows_become_memories_and_what_was_deleted_or_replaced_is_forgotten(database: Path) -> None:
    with database.open("rb") as stream:
        source = open_path(database, stream)
        swarm, hive, june = records(source.entries)
    assert (source.format, source.total) == ("mcp-memory-service database", 3)
    assert swarm == {
        "text": "The bees swarm in May.",
        "tags": ["bees", "garden", "observation"],
        "importance": 0.7,
        "source_provider": "mcp-memory-service",
        "created_at": "2024-04-24T23:06:40.250000+00:00",
    }
    assert (hive["tags"], hive["deleted_at"]) == (["bees"], "2024-05-06T12:53:20+00:00")
    assert (june["deleted_at"], "newer version" in june["forget_reason"]) == ("2024-04-19T04:13:20+00:00", True)


def test_the_write_ahead_log_has_the_newest_changes_and_the_original_does_not_change(database: Path) -> None:
    with closing(sqlite3.connect(database)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("INSERT INTO memories (content_hash, content) VALUES ('w', 'Written to the log.')")
        writer.commit()
        assert database.with_name(f"{database.name}-wal").stat().st_size > 0
        before = {path.name: path.read_bytes() for path in database.parent.iterdir()}
        assert found_in(database)[-1] == "Written to the log."
        assert {path.name: path.read_bytes() for path in database.parent.iterdir()} == before


def test_vector_tables_of_a_missing_extension_do_not_matter(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', 'memory_embeddings', "
            "'memory_embeddings', 0, 'CREATE VIRTUAL TABLE memory_embeddings USING vec0(content_embedding FLOAT[384])')"
        )
        connection.commit()
    with (
        closing(sqlite3.connect(database)) as connection,
        pytest.raises(sqlite3.OperationalError, match="no such module"),
    ):
        connection.execute("SELECT * FROM memory_embeddings")
    assert len(found_in(database)) == 3


def test_an_old_database_has_fewer_columns(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE memories (content_hash TEXT, content TEXT, tags TEXT, created_at_iso TEXT)")
        connection.execute("INSERT INTO memories VALUES ('h', 'Likes tea.', '', '2025-01-01T10:00:00Z')")
        connection.commit()
    assert found_in(path) == ["Likes tea."]


def test_a_bad_row_fails_alone(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE memories SET created_at = 'soon' WHERE id = 2")
        connection.commit()
    with database.open("rb") as stream:
        entries = list(open_path(database, stream).entries)
    assert [place for place, _ in problems(entries)] == ["row 2"]
    assert len(texts(entries)) == 2


@pytest.mark.parametrize(
    "change",
    [
        "content = CAST(x'ff61' AS TEXT) WHERE id = 1",
        "content = x'00ff' WHERE id = 1",
        "content = 7 WHERE id = 1",
        "tags = x'00ff', memory_type = 1.5, metadata = x'ff' WHERE id = 1",
        "metadata = '[[1]]', tags = '[1, {}]', superseded_by = 7 WHERE id = 1",
    ],
)
def test_odd_values_do_not_end_the_reading(database: Path, change: str) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute(f"UPDATE memories SET {change}")
        connection.commit()
    with database.open("rb") as stream:
        entries = list(open_path(database, stream).entries)
    assert [entry.place for entry in entries] == ["row 1", "row 2", "row 3"]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE notes (text TEXT)",
        "CREATE VIEW memories AS SELECT 'x' AS content, 'y' AS content_hash",
        "CREATE TABLE memories (id INTEGER)",
    ],
)
def test_a_database_without_the_table_is_refused(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()
    with pytest.raises(UnreadableFile, match="without the table memories of mcp-memory-service"):
        found_in(path)


def test_a_truncated_database_is_refused_before_anything_is_read(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.executemany(
            "INSERT INTO memories (content_hash, content) VALUES (?, ?)", [(str(n), "x" * 500) for n in range(200)]
        )
        connection.commit()
    content = database.read_bytes()
    with pytest.raises(UnreadableFile, match="is a damaged SQLite database"):
        open_import(io.BytesIO(content[: len(content) // 2]), "half.db")
