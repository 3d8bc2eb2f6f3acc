"""Filters of the list of memories."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest

from memories.admin.base import owners_view
from memories.admin.sources import count_sources
from memories.models import Memory, MemoryQuerySet
from memories.queries.selectors import list_tags
from memories.vectors.indexing import has_vector

MAX_CHOICES = 40
"""Largest number of values that a filter offers, most used first. A longer list would not help."""


class StateFilter(SimpleListFilter):
    """A filter by state, which selects the active memories by default."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        return [
            ("", "Active"),
            ("waiting", "Vector pending"),
            ("expired", "Expired"),
            ("forgotten", "Forgotten"),
            ("inbox", "In your inbox"),
            ("taken-back", "Withdrawn before you decided"),
            ("all", "All"),
        ]

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        for value, label in self.lookup_choices:
            query = changelist.get_query_string({self.parameter_name: value} if value else {}, [self.parameter_name])
            yield {"selected": (self.value() or "") == value, "query_string": query, "display": label}

    def queryset(self, request: HttpRequest, queryset: Any) -> MemoryQuerySet:
        memories: MemoryQuerySet = queryset
        match self.value():
            case "waiting":
                return memories.not_quarantined().not_deleted().filter(~has_vector())
            case "expired":
                return memories.not_quarantined().not_deleted().expired()
            case "forgotten":
                return memories.not_quarantined().forgotten()
            case "inbox":
                return memories.awaiting_review()
            case "taken-back":
                return memories.forgotten().filter(quarantined_from__isnull=False)
            case "all":
                return memories
        return memories.active()


class BriefingFilter(SimpleListFilter):
    """A filter by the place that the owner gave a memory in the briefing."""

    title = "briefing"
    parameter_name = "briefing"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        return [(str(place.value), str(place.label)) for place in Memory.BriefingPlace]

    def queryset(self, request: HttpRequest, queryset: Any) -> MemoryQuerySet:
        memories: MemoryQuerySet = queryset
        place = self.value()
        return memories.filter(briefing_place=place) if place in Memory.BriefingPlace.values else memories


class CountedFilter(SimpleListFilter):
    """A filter that offers values with their numbers of rows. `label_of` returns the label of a value."""

    label_of: Callable[[str], str] = staticmethod(str)

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        counted = self.counted(request)
        chosen = request.GET.get(self.parameter_name or "")
        if chosen and self.offered(chosen, counted) is None:
            counted = [*counted, (chosen, 0)]
        return [
            (value, f"{self.label_of(value)} ({count:,})" if count else self.label_of(value))
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


class TagFilter(CountedFilter):
    title = "tag"
    parameter_name = "tag"

    def counted(self, request: HttpRequest) -> list[tuple[str, int]]:
        return list_tags(owners_view(request), limit=MAX_CHOICES)

    def queryset(self, request: HttpRequest, queryset: Any) -> MemoryQuerySet:
        memories: MemoryQuerySet = queryset
        return memories.tagged([tag]) if (tag := self.value()) else memories


class SourceFilter(CountedFilter):
    title = "source"
    parameter_name = "source"

    def counted(self, request: HttpRequest) -> list[tuple[str, int]]:
        return count_sources(owners_view(request))[:MAX_CHOICES]

    def queryset(self, request: HttpRequest, queryset: Any) -> MemoryQuerySet:
        memories: MemoryQuerySet = queryset
        source = self.value()
        return memories.filter(source_name__iexact=source) if source else memories  # type: ignore[misc]  # annotated
