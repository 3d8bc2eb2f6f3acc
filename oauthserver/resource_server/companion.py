"""Rows of another app that are read in the same round trip as the status of a token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class CompanionTable:
    """A table of another app, of which a row is read in the same round trip as the status of a token.

    - `name`: its name in the database.
    - `columns`: those that are read. The first one identifies a row.
    """

    name: str
    columns: tuple[str, ...]


@dataclass(slots=True)
class Companion:
    """A row of a companion table: the one with the key `key`. The values are set with the status; None: no such row."""

    table: CompanionTable
    key: object
    values: tuple[Any, ...] | None = None
