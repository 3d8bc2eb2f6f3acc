"""Base class of filters of lists that are counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.http import HttpRequest

from common.pages.relative_times import number

MAX_CHOICES = 40
"""Largest number of values that a filter offers, most used first. A longer list would not help."""


class CountedFilter(SimpleListFilter):
    """A filter that offers values with their numbers of rows. `label_of` returns the label of a value."""

    label_of: Callable[[str], str] = staticmethod(str)

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        counted = self.counted(request)
        chosen = request.GET.get(self.parameter_name or "")
        if chosen and self.offered(chosen, counted) is None:
            counted = [*counted, (chosen, 0)]
        return [
            (value, f"{self.label_of(value)} ({number(count)})" if count else self.label_of(value))
            for value, count in counted
        ]

    def offered(self, chosen: str, counted: Iterable[tuple[str, object]]) -> str | None:
        """Return the offered value that equals `chosen`, ignoring case, or None."""
        return next((value for value, _ in counted if value.casefold() == chosen.casefold()), None)

    def value(self) -> str | None:
        """Return the chosen value, in the case in which it is offered."""
        chosen = super().value()
        return chosen and (self.offered(chosen, self.lookup_choices) or chosen)

    def counted(self, request: HttpRequest) -> list[tuple[str, int]]:
        """Return values with their numbers of rows, most used first."""
        raise NotImplementedError
