"""Sources as rows of a list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.translation import gettext

from common.pages.relative_times import relative_time
from documents.admin.source_pages.labels import (
    Outcome,
    kind_of,
    location_of,
    next_sync_in_words,
    outcome_of,
    problem_of,
)
from documents.models import Document, Source

_ICONS = {"folder": "folder", "git": "folder", "s3": "drive"}


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source for a list. `problem` is empty if its last sync went well, `icon` a symbol of icons.svg.

    `skipped` counts the items that its last sync left out.
    """

    name: str
    url: str
    kind: str
    icon: str
    location: str
    documents: int
    outcome: str
    finished_at: datetime | None
    next_sync: str
    problem: str
    is_paused: bool
    skipped: int


def icon_of(kind: str) -> str:
    """Return the symbol of icons.svg for a kind of sources."""
    return _ICONS.get(kind, "globe")


def with_document_count(sources: QuerySet[Source]) -> QuerySet[Source]:
    """Annotate the number of documents of each source that are not forgotten as `documents`."""
    kept = Document.objects.not_deleted().filter(
        owner=OuterRef("owner"), source=OuterRef("name"), quarantined_from=None
    )
    counts = kept.order_by().values("source").annotate(count=Count("pk")).values("count")
    return sources.annotate(documents=Coalesce(Subquery(counts, output_field=IntegerField()), 0))


def source_rows(sources: Iterable[Source]) -> list[SourceRow]:
    """Return the rows of sources that are annotated by `with_document_count`."""
    return [_row(source) for source in sources]


def _row(source: Source) -> SourceRow:
    outcome = outcome_of(source)
    return SourceRow(
        name=source.name,
        url=reverse("admin:documents_source_change", args=[source.pk]),
        kind=str(kind_of(source.kind).name),
        icon=icon_of(source.kind),
        location=location_of(source),
        documents=source.documents,  # type: ignore[attr-defined]  # annotated
        outcome=gettext(outcome),
        finished_at=source.finished_at,
        next_sync=next_sync_in_words(source, relative_time),
        problem=problem_of(source) if outcome is Outcome.FAILED else "",
        is_paused=source.paused_at is not None,
        skipped=source.skipped,
    )
