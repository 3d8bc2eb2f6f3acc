"""Inserting rows by COPY."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
from django.db import connection
from django.db.models import Field, JSONField, Model


def copy_rows(rows: Sequence[Model]) -> None:
    """Insert `rows`, all of one model, each with a value of its column's own type for every column; their ids stay
    unknown.

    Ten times cheaper than an INSERT of many rows: for threads that compete with those that answer.
    """
    options = rows[0]._meta
    fields = [field for field in options.concrete_fields if not field.primary_key]
    columns = ", ".join(f'"{field.column}"' for field in fields)
    with connection.cursor() as cursor, cursor.copy(f"COPY {options.db_table} ({columns}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row([_value(row, field) for field in fields])


def _value(row: Model, field: Field[Any, Any]) -> object:
    value = getattr(row, field.attname)
    # The driver knows all other kinds of values by itself.
    return orjson.dumps(value).decode() if isinstance(field, JSONField) else value
