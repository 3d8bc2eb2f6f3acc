"""Filters of the list of documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.contrib.admin.views.main import ChangeList
from django.db.models import OuterRef, Q, Subquery
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy, gettext_noop

from documents.admin.sources import count_sources, source_label
from documents.models import Document, DocumentQuerySet, Version
from documents.writing.retagging import tag_counts
from memories.access import View
from memories.admin.base import owners_view
from memories.admin.filters import MAX_CHOICES, CountedFilter


class StateFilter(SimpleListFilter):
    """A filter by state, which leaves out forgotten documents and those that await review by default."""

    title = gettext_lazy("state")
    parameter_name = "state"
    STATES = (
        ("", gettext_noop("In your library")),
        ("waiting", gettext_noop("Waiting to be read")),
        ("unreadable", gettext_noop("Could not be read")),
        ("no-text", gettext_noop("Contains no text")),
        ("review", gettext_noop("Awaiting your review")),
        ("forgotten", gettext_noop("Forgotten")),
        ("all", gettext_noop("All")),
    )

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        return [(value, gettext(title)) for value, title in self.STATES]

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        for value, label in self.lookup_choices:
            query = changelist.get_query_string({self.parameter_name: value} if value else {}, [self.parameter_name])
            yield {"selected": (self.value() or "") == value, "query_string": query, "display": label}

    def queryset(self, request: HttpRequest, queryset: Any) -> DocumentQuerySet:
        documents: DocumentQuerySet = queryset
        kept = documents.not_deleted()
        in_library = kept.filter(quarantined_from=None)
        match self.value():
            case "waiting":
                return _with_newest(in_library, Q(state=Version.State.QUEUED))
            case "unreadable":
                return _with_newest(in_library, Q(state=Version.State.FAILED))
            case "no-text":
                return _with_newest(in_library, Q(state=Version.State.READY, text=""))
            case "review":
                return kept.filter(quarantined_from__isnull=False)
            case "forgotten":
                return documents.filter(deleted_at__isnull=False)
            case "all":
                return documents
        return in_library


def _with_newest(documents: DocumentQuerySet, condition: Q) -> DocumentQuerySet:
    """Select the documents whose newest version meets the condition."""
    newest = Version.objects.filter(document=OuterRef("document")).order_by("-number").values("pk")[:1]
    return documents.filter(pk__in=Version.objects.filter(condition, pk=Subquery(newest)).values("document"))


def unreadable_documents(view: View) -> DocumentQuerySet:
    """Return the documents of the library whose newest versions could not be read."""
    return _with_newest(Document.objects.visible_to(view).not_deleted(), Q(state=Version.State.FAILED))


class SourceFilter(CountedFilter):
    title = gettext_lazy("source")
    parameter_name = "source"
    label_of = staticmethod(source_label)

    def counted(self, request: HttpRequest) -> list[tuple[str, int]]:
        return count_sources(owners_view(request))[:MAX_CHOICES]

    def queryset(self, request: HttpRequest, queryset: Any) -> DocumentQuerySet:
        documents: DocumentQuerySet = queryset
        return documents.filter(source=source) if (source := self.value()) else documents


class TagFilter(CountedFilter):
    title = gettext_lazy("tag")
    parameter_name = "tag"

    def counted(self, request: HttpRequest) -> list[tuple[str, int]]:
        return count_tags(owners_view(request))

    def queryset(self, request: HttpRequest, queryset: Any) -> DocumentQuerySet:
        documents: DocumentQuerySet = queryset
        return documents.filter(tags__contains=[tag]) if (tag := self.value()) else documents


def count_tags(view: View) -> list[tuple[str, int]]:
    """Return the tags of documents that are not forgotten with their counts, most used first. One query."""
    counts = sorted(tag_counts(view).items(), key=lambda item: (-item[1], item[0]))
    return counts[:MAX_CHOICES]
