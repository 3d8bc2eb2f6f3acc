"""SQLite databases of mcp-memory-service, also with a write-ahead log and with vector tables that cannot be read.

The table `memories`: https://github.com/doobidoo/mcp-memory-service/blob/main/src/mcp_memory_service/storage/sqlite_vec.py
and https://github.com/doobidoo/mcp-memory-service/tree/main/src/mcp_memory_service/storage/migrations. Vectors are in a
virtual table of an extension of SQLite that is not needed, because only ordinary tables are read. A database is copied
before it is opened: the original does not change, even if another program has it open. The write-ahead log has the
newest changes: https://www.sqlite.org/wal.html
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from common.texts import translatable
from memories.errors import InvalidInput
from memories.transfer.entries import Entry, UnreadableFile
from memories.transfer.files.import_file import ImportFile
from memories.transfer.formats.base import Reading, TextFormat
from memories.transfer.formats.fields import Item, is_item, unknown_metadata
from memories.transfer.formats.mcp_memory_service import FIELDS, KNOWN_METADATA, record_of
from memories.transfer.options import Format

MAGIC: Final = b"SQLite format 3\x00"
_NEEDED: Final = {"content", "content_hash"}
_TEXT_COLUMNS: Final = ("content", "tags", "metadata")
_TABLE: Final = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'memories'"


def read(file: ImportFile, _: Reading) -> Iterator[Entry]:
    """Yield the entries of the table. Raises UnreadableFile if there is no such table, or the file is damaged."""
    with _copied(file) as connection:
        _check(connection, file.name)
        try:
            for row in connection.execute("SELECT * FROM memories ORDER BY rowid"):
                yield _entry(dict(row))
        except sqlite3.DatabaseError as error:
            yield Entry(
                translatable("table memories"),
                error=InvalidInput(translatable("the rows that follow cannot be read: %(error)s.", error=error)),
            )


def count(file: ImportFile) -> int | None:
    """Return the number of rows. Raises UnreadableFile."""
    with _copied(file) as connection:
        return _check(connection, file.name)


@contextmanager
def _copied(file: ImportFile) -> Iterator[sqlite3.Connection]:
    """Copy the database and its write-ahead log to a new folder, and open the copy."""
    with TemporaryDirectory(prefix="ownsona-import-") as folder:
        path = Path(folder) / "copy.db"
        file.stream.seek(0)
        with path.open("wb") as target:
            shutil.copyfileobj(file.stream, target, 1 << 20)
        if file.log is not None:
            shutil.copyfile(file.log, f"{path}-wal")
        with closing(sqlite3.connect(path)) as connection:
            connection.row_factory = sqlite3.Row
            # A text that is not UTF-8 must not end the reading: it gets surrogates, which memories refuse.
            connection.text_factory = _decoded
            # Nothing in a file from elsewhere may run: neither functions in its schema nor changes by triggers.
            connection.executescript("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON;")
            yield connection


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _check(connection: sqlite3.Connection, name: str) -> int:
    """Read the table once and return the number of its rows. Raises UnreadableFile."""
    try:
        table = connection.execute(_TABLE).fetchone()
        is_ordinary = table is not None and not str(table["sql"]).upper().startswith("CREATE VIRTUAL")
        columns = {row["name"] for row in connection.execute("PRAGMA table_info(memories)")} if is_ordinary else set()
        if not columns >= _NEEDED:
            raise UnreadableFile(
                translatable(
                    "%(name)s is an SQLite database without the table memories of mcp-memory-service. Export the "
                    "memories of the other program as JSON or CSV.",
                    name=name,
                )
            )
        # The lengths of all texts are read, so that a damaged page is found before anything is stored.
        lengths = ", ".join(f"sum(length({column}))" for column in _TEXT_COLUMNS if column in columns)
        row = connection.execute(f"SELECT count(*), {lengths} FROM memories").fetchone()  # noqa: S608 - constants
        return int(row[0])
    except sqlite3.DatabaseError as error:
        raise UnreadableFile(
            translatable("%(name)s is a damaged SQLite database: %(error)s.", name=name, error=error)
        ) from None


def _entry(row: dict[str, object]) -> Entry:
    place = f"row {row.get('id', '?')}"
    try:
        metadata = _metadata(row)
        record = record_of(row | {"tags": _tags(row.get("tags"))}, metadata)
        return Entry(place, record, ignored=unknown_metadata(metadata, KNOWN_METADATA))
    except InvalidInput as error:
        return Entry(place, error=error)


def _tags(value: object) -> object:
    """Return the tags, which old versions stored as JSON."""
    return _json(value) if isinstance(value, str) and value.lstrip().startswith("[") else value


def _metadata(row: Item) -> Item:
    found = _json(row.get("metadata"))
    return found if is_item(found) else {}


def _json(value: object) -> object:
    try:
        return json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return None


SQLITE: Final = TextFormat(Format.MCP_MEMORY_SERVICE, translatable("mcp-memory-service database"), FIELDS, read, count)
