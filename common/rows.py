"""Rows of hand-written SQL as dataclasses or named tuples, matched by column name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from operator import itemgetter
from typing import Any, TypeVar, cast

from django.db.backends.utils import CursorWrapper

T = TypeVar("T")


RowReader = Callable[[Sequence[Any]], tuple[Any, ...]]

_readers: dict[tuple[type, str], RowReader] = {}


def read_rows(cursor: CursorWrapper, shape: type[T], statement: str) -> list[T]:
    """Return the remaining rows of `cursor` as instances of `shape`, a dataclass or named tuple of at least two fields.

    `statement`, which was executed, may select its columns in any order. Raises ValueError if their names are not those
    of the fields.
    """
    in_order = reader_of(cursor, shape, statement)
    return [shape(*in_order(row)) for row in cursor.fetchall()]


def reader_of(cursor: CursorWrapper, shape: type, statement: str, others: int = 0) -> RowReader:
    """Return what reads the fields of `shape`, in their order, from a row of `statement`. Errors: see `read_rows`.

    The last `others` columns are not of the shape. The last fields of a named tuple may be left out if they have
    defaults.
    """
    reader = _readers.get((shape, statement))
    if reader is None:
        # Only once for each statement: describing the columns takes longer than reading a row.
        columns = [column.name for column in cursor.description or ()]
        del columns[len(columns) - others :]
        names, defaults = _names(shape), getattr(shape, "_field_defaults", {})
        while names[-1] in defaults and names[-1] not in columns:
            del names[-1]
        if sorted(columns) != sorted(names):
            raise ValueError(f"The statement selects {columns}, but {shape.__name__} needs {names}.")
        reader = _readers[shape, statement] = itemgetter(*map(columns.index, names))
    return reader


def _names(shape: type) -> list[str]:
    if issubclass(shape, tuple):
        return list(cast(Any, shape)._fields)
    return [field.name for field in fields(cast(Any, shape))]
