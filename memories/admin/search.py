"""Search box of the list of memories: by words or by meaning."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db.models import Case, FloatField, TextField, Value, When
from django.http import HttpRequest
from unfold.views import ChangeList

from memories.access import View
from memories.admin.filters import StateFilter
from memories.models import MemoryQuerySet
from memories.recall.pipeline import Mode, Query, recall

BY = "by"
MEANING = "meaning"


def is_by_meaning(request: HttpRequest) -> bool:
    """Return whether `request` is a search by meaning."""
    return request.GET.get(BY) == MEANING and bool(request.GET.get("q", "").strip())


class MemoryChangeList(ChangeList):  # type: ignore[misc]  # the library has no types
    """A list with a switch beside its search box: the parameter `by` is the switch, not a field to filter on."""

    @property
    def when_empty(self) -> str:
        """The text shown for an empty list. If only active memories were searched, it says where the others are."""
        if StateFilter.parameter_name in self.filter_params:
            return "Nothing matches."
        found = "No active memory matches." if self.query or self.has_active_filters else "No active memories."
        return f"{found} Forgotten memories are under Filters → State."

    def get_filters_params(self, params: dict[str, Any] | None = None) -> dict[str, Any]:
        return {name: value for name, value in super().get_filters_params(params).items() if name != BY}


def search(request: HttpRequest, view: View, memories: MemoryQuerySet, wanted: str) -> MemoryQuerySet:
    """Return the `memories` that contain `wanted`, or that recall finds for it. Raises the errors of `recall`."""
    if is_by_meaning(request):
        return _nearest(view, memories, wanted, request.GET.get("tag"))
    return memories.containing(wanted)


def _nearest(view: View, memories: MemoryQuerySet, question: str, tag: str | None) -> MemoryQuerySet:
    """Return the matches, nearest first, annotated with `score` (cosine, 0–1) and for long texts with `passage`."""
    query = Query(question, settings.MAX_RECALL_LIMIT, tags=(tag,) if tag else (), mode=Mode.SEMANTIC)
    matches = recall(view, query).matches
    if not matches:
        return memories.none()
    found = memories.filter(pk__in=[match.memory.pk for match in matches])
    scores = (When(pk=match.memory.pk, then=Value(match.score)) for match in matches)
    passages = (When(pk=match.memory.pk, then=Value(match.passage.text)) for match in matches if match.passage)
    annotated = found.annotate(
        score=Case(*scores, output_field=FloatField()),
        passage=Case(*passages, default=None, output_field=TextField()),
    )
    return annotated.order_by("-score", "-pk")
