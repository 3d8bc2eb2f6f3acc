"""Rows of hand-written SQL as dataclasses, matched by column name."""

from __future__ import annotations

from dataclasses import fields
from operator import itemgetter
from typing import Any, TypeVar, cast

from django.db.backends.utils import CursorWrapper

T = TypeVar("T")


def read_rows(cursor: CursorWrapper, shape: type[T]) -> list[T]:
    """Return the remaining rows of `cursor` as instances of the dataclass `shape`, which has at least two fields.

    The statement may select its columns in any order. Raises ValueError if their names are not those of the fields.
    """
    columns = [column.name for column in cursor.description or ()]
    names = [field.name for field in fields(cast(Any, shape))]
    if sorted(columns) != sorted(names):
        raise ValueError(f"The statement selects {columns}, but {shape.__name__} needs {names}.")
    in_order = itemgetter(*map(columns.index, names))
    return [shape(*in_order(row)) for row in cursor.fetchall()]
