"""Page of a source: its settings, its last sync with what was skipped, and what the owner can do with it."""

from __future__ import annotations

from typing import Any

from django.db.models import OuterRef, Q, Subquery
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from common.pages.owner_pages import owner_page
from documents.admin.source_pages.labels import (
    is_running,
    kind_of,
    location_of,
    next_sync_in_words,
    problem_of,
    schedule_in_words,
)
from documents.admin.source_pages.owned import owned_source
from documents.admin.source_pages.rows import icon_of
from documents.connectors.registry import CONNECTORS
from documents.models import Document, Source, Version
from documents.queue import is_sync_requested
from documents.sources.schedule import waits_after_failures
from documents.sources.selectors import health_problem, is_interrupted
from memories.access import View
from memories.admin.base import owners_view
from memories.queries.clients import SOURCE_CLIENT


def source_page(request: HttpRequest, source_id: int) -> HttpResponse:
    """Show a source of the logged-in owner. During a sync, the page shows the progress."""
    source = owned_source(request, source_id)
    is_synced_now = is_running(source) and not is_interrupted(source)
    is_first = _is_first_sync_due(source)
    is_busy = is_synced_now or is_first or is_sync_requested(source.pk)
    can_change = source.kind in CONNECTORS
    # During a sync, the problem is that of the sync before.
    problem = "" if is_synced_now else problem_of(source)
    context = {
        "crumb": {"url": reverse("admin:documents_source_changelist"), "title": gettext("Sources")},
        "source": source,
        "kind": kind_of(source.kind).name,
        "icon": icon_of(source.kind),
        "location": location_of(source),
        "schedule": schedule_in_words(source.interval_minutes),
        "next_sync": next_sync_in_words(source),
        "waits_after_failures": source.paused_at is None and waits_after_failures(source),
        "problem": problem,
        "is_running": is_synced_now,
        "is_interrupted": is_running(source) and not is_synced_now,
        "is_first": is_first,
        "client": f"{SOURCE_CLIENT}{source.name}",
        "is_busy": is_busy,
        "more_skipped": max(0, source.skipped - len(source.notes)),
        "can_change": can_change,
        "is_change_beside_problem": bool(problem) and can_change and not source.unconfirmed_removals,
        **_documents(owners_view(request), source),
    }
    return owner_page(request, "admin/documents/source/page.html", context, title=source.name)


def _is_first_sync_due(source: Source) -> bool:
    is_due = source.next_run_at is not None and source.next_run_at <= timezone.now()
    return source.started_at is None and source.paused_at is None and is_due and not health_problem(source)


def _documents(view: View, source: Source) -> dict[str, Any]:
    """Return the numbers of documents of the source that are kept, that wait to be read, and that cannot be read."""
    kept = Document.objects.visible_to(view).not_deleted().filter(source=source.name)
    newest = Version.objects.filter(document=OuterRef("document")).order_by("-number").values("pk")[:1]
    versions = Version.objects.filter(~Q(state=Version.State.READY), document__in=kept, pk=Subquery(newest))
    states = list(versions.values_list("state", flat=True))
    return {
        "documents": kept.count(),
        "waiting": states.count(Version.State.QUEUED),
        "unreadable": states.count(Version.State.FAILED),
    }
