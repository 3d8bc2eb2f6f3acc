"""Conversion of table rows to JSON and back, for all columns of a table that belong to an archive."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any

import orjson
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models
from psycopg.types.multirange import Multirange

from common.texts import translatable
from memories.drafts import checked_time
from memories.errors import MemoriesError
from memories.models.days import days_literal
from memories.transfer.archive.errors import UnusableArchive


class Columns:
    """The columns of a model in an archive: all that are stored, except `leave_out`.

    A column that is added to the model is archived, too, without a change here.
    """

    def __init__(self, model: type[models.Model], *, leave_out: Collection[str]) -> None:
        stored = [field for field in model._meta.concrete_fields if not getattr(field, "generated", False)]
        self._fields = {field.attname: field for field in stored if field.attname not in leave_out}

    @property
    def names(self) -> list[str]:
        """The names of the columns, for `QuerySet.values`."""
        return list(self._fields)

    def values_of(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a row from a record. Columns that the record does not have are left out.

        Raises UnusableArchive that names the column, if a value has the wrong type or a column is unknown.
        """
        unknown = sorted(record.keys() - self._fields.keys())
        if unknown:
            raise UnusableArchive(
                translatable(
                    "The field %(unknown)s is unknown: a newer version of OwnSona has created the archive.",
                    unknown=f"{unknown[0]:.80}",
                )
            )
        return {name: _value(self._fields[name], value) for name, value in record.items()}


def as_json(record: Mapping[str, Any]) -> bytes:
    """Return a record as one line of JSON, with times in UTC."""
    return orjson.dumps(record, default=_as_json, option=orjson.OPT_UTC_Z) + b"\n"


def _as_json(value: object) -> str | None:
    # Ranges of days, the only type that orjson does not know.
    if isinstance(value, Multirange):
        return days_literal((span.lower, span.upper) for span in value if span.lower and span.upper)
    raise TypeError(f"{type(value)} has no JSON")


def _value(field: models.Field[Any, Any], value: Any) -> Any:
    if value is None and field.null:
        return None
    try:
        # The types are checked first: Django's fields accept any value as a text, and texts as numbers.
        if not _type_of(field)(value):
            raise ValidationError("")
        found = _time(value) if isinstance(field, models.DateTimeField) else field.to_python(value)
        if field.choices and found not in dict(field.flatchoices):
            raise ValidationError("")
    except (ValidationError, ValueError, MemoriesError):
        raise UnusableArchive(translatable("The field %(field)s has an invalid value.", field=field.attname)) from None
    return found


def _time(value: str) -> datetime | None:
    return checked_time("time", datetime.fromisoformat(value))


def _type_of(field: models.Field[Any, Any]) -> Callable[[Any], bool]:
    """Return a check of the JSON type of values of the field."""
    if isinstance(field, models.JSONField):
        return _is_any
    if isinstance(field, ArrayField):
        return _is_list_of_texts
    if isinstance(field, models.BooleanField):
        return _is_flag
    if isinstance(field, models.FloatField):
        return _is_number
    if isinstance(field, models.ForeignKey):
        return _type_of(field.target_field)
    return _is_whole_number if isinstance(field, models.IntegerField) else _is_text


def _is_any(_: Any) -> bool:
    return True


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 62


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
