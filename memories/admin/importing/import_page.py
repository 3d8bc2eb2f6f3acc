"""The page of one import: its preview, its progress, and its result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from common.pages.owner_pages import owner_page
from memories.admin.base import owner_id
from memories.admin.importing.archive_words import archive_preview, archive_result, has_added, result_notes
from memories.admin.importing.forms import ChoicesForm, initial_of
from memories.admin.importing.states import has_stored, state_in_words
from memories.errors import MemoriesError
from memories.models import ImportJob, ImportReport, JournalEntry
from memories.transfer.background.requests import cancel_import, check_again, start_import
from memories.transfer.background.results import first_rejections
from memories.undo.undone import undone_sets
from memories.vectors.indexing import pending_memories

REFRESH_SECONDS = 3


@never_cache
def import_page(request: HttpRequest, import_id: UUID) -> HttpResponse:
    """Show an import (GET), or start, check again or cancel it (POST: `action`)."""
    job = _own(request, import_id)
    form = ChoicesForm(request.POST if request.method == "POST" else None, initial=initial_of(job.options))
    if request.method == "POST" and _act(request, job, form):
        return redirect("import_job", job.pk)
    is_undone = bool(undone_sets(job.owner_id, [job.change_set] if has_stored(job) else []))
    context = {
        "job": job,
        "state": state_in_words(job, is_undone=is_undone),
        "is_undone": is_undone,
        "awaits_meaning": not is_undone and _awaits_meaning(job),
        "archive": archive_preview(job.preview),
        "archive_result": archive_result(job.counts),
        "has_added": has_added(job.counts),
        "notes": result_notes(job.counts),
        "rejections": first_rejections(job),
        "form": form,
        "is_busy": job.state in (ImportJob.State.CHECKING, ImportJob.State.RUNNING),
        "refresh_seconds": REFRESH_SECONDS,
        "changes_something": _changes_something(job.preview),
        "undo_url": f"{reverse('undo')}?change_set={job.change_set}" if has_stored(job) and not is_undone else "",
        "set_url": _set_url(job),
    }
    return owner_page(request, "memories/importing/import.html", context, title=_("Import"))


@never_cache
@require_safe
def progress(request: HttpRequest, import_id: UUID) -> JsonResponse:
    """Return how far an import is, for the script of its page."""
    job = _own(request, import_id)
    return JsonResponse(
        {
            "state": job.state,
            "words": state_in_words(job),
            "position": job.position,
            "total": job.total,
            "problem": job.problem,
        }
    )


@require_safe
def report(request: HttpRequest, import_id: UUID) -> StreamingHttpResponse:
    """Send the outcome of every entry as JSON Lines."""
    job = _own(request, import_id)
    headers = {
        "Content-Disposition": f'attachment; filename="import-{job.pk}.jsonl"',
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return StreamingHttpResponse(_report_lines(job), content_type="application/x-ndjson", headers=headers)


def _report_lines(job: ImportJob) -> Iterator[str]:
    reports = ImportReport.objects.filter(job=job).order_by("first")
    yield from reports.values_list("lines", flat=True).iterator(chunk_size=10)


def _own(request: HttpRequest, import_id: UUID) -> ImportJob:
    job = ImportJob.objects.filter(pk=import_id, owner_id=owner_id(request)).first()
    if job is None:
        raise Http404
    return job


def _act(request: HttpRequest, job: ImportJob, form: ChoicesForm) -> bool:
    """Do what the owner has chosen. Return False if the form has to be shown again."""
    action = request.POST.get("action")
    try:
        if action == "cancel":
            cancel_import(job)
        elif not form.is_valid():
            return False
        elif action == "check":
            check_again(job, form.choices())
        elif action == "start":
            _start(request, job, form)
        else:
            raise Http404
    except MemoriesError as error:
        messages.warning(request, str(error))
    return True


def _start(request: HttpRequest, job: ImportJob, form: ChoicesForm) -> None:
    """Start the import as the preview shows it. With other choices, show another preview first."""
    if form.choices().as_json() == job.options:
        start_import(job)
        return
    check_again(job, form.choices())
    messages.info(request, _("You have changed the choices. This is the new preview."))


def _changes_something(preview: dict[str, Any] | None) -> bool:
    return bool(preview and (preview.get("archive") or preview["counts"]["inserted"]))


def _set_url(job: ImportJob) -> str:
    """Return the address of the page with the imported memories; empty if there are none."""
    entries = JournalEntry.objects.filter(owner_id=job.owner_id, change_set=job.change_set).order_by("-pk")
    last = entries.values_list("pk", flat=True).first() if has_stored(job) else None
    return reverse("admin:memories_journalentry_change", args=[last]) if last else ""


def _awaits_meaning(job: ImportJob) -> bool:
    """Return whether memories of the import can be found by their words only, until they are embedded."""
    if not job.counts.get("unindexed"):
        return False
    imported = JournalEntry.objects.filter(owner_id=job.owner_id, change_set=job.change_set)
    return pending_memories().filter(pk__in=imported.values("memory_id"), deleted_at=None).exists()
