"""Field for a set of days, for searches in the database."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

if TYPE_CHECKING:
    _TextField = models.Field[str | None, str | None]
else:
    _TextField = models.Field


class DaysField(_TextField):
    """A multirange of dates, written as text (see `days_literal`). It is compared in the database and never read."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        """Return PostgreSQL's type."""
        return "datemultirange"


def days_literal(spans: Iterable[tuple[date, date]]) -> str | None:
    """Return spans of days, each with the day after its last, as PostgreSQL reads them; None for none."""
    ranges = [f"[{first},{after})" for first, after in spans]
    return f"{{{','.join(ranges)}}}" if ranges else None
