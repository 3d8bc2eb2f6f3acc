"""The page of an undo that runs in the background: its progress, and its result."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from common.pages.owner_pages import owner_page
from common.pages.relative_times import number
from memories.admin.base import owner_id
from memories.models import UndoJob
from memories.undo.background import cancel_undo

REFRESH_SECONDS = 3

_STATES = {
    UndoJob.State.RUNNING: gettext_noop("Undoing: %(position)s of %(total)s memories and documents"),
    UndoJob.State.DONE: gettext_noop("Undone"),
    UndoJob.State.FAILED: gettext_noop("Failed after %(position)s of %(total)s memories and documents"),
    UndoJob.State.CANCELLED: gettext_noop("Cancelled after %(position)s of %(total)s memories and documents"),
}


@never_cache
def undo_job_page(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """Show an undo (GET), or cancel it (POST)."""
    job = _own(request, job_id)
    if request.method == "POST":
        cancel_undo(job)
        return redirect("undo_job", job.pk)
    context = {
        "job": job,
        "state": state_in_words(job),
        "is_running": job.state == UndoJob.State.RUNNING,
        "has_changed": any(job.counts.get(name) for name in ("restored", "removed", "synonyms")),
        "refresh_seconds": REFRESH_SECONDS,
        "crumb": {"url": reverse("admin:memories_journalentry_changelist"), "title": gettext("Journal")},
    }
    return owner_page(request, "memories/undo_job.html", context, title=gettext("Undo"))


@never_cache
@require_safe
def undo_progress(request: HttpRequest, job_id: UUID) -> JsonResponse:
    """Return how far an undo is, for the script of its page."""
    job = _own(request, job_id)
    return JsonResponse(
        {
            "state": job.state,
            "words": state_in_words(job),
            "position": job.position,
            "total": job.total,
            "problem": job.problem,
        }
    )


def state_in_words(job: UndoJob) -> str:
    """Return the state of an undo for people."""
    numbers = {"position": number(job.position), "total": number(job.total)}
    if job.state == UndoJob.State.RUNNING and not job.position:
        return gettext("Waiting for the job process")
    return gettext(_STATES[UndoJob.State(job.state)]) % numbers


def _own(request: HttpRequest, job_id: UUID) -> UndoJob:
    job = UndoJob.objects.filter(pk=job_id, owner_id=owner_id(request)).first()
    if job is None:
        raise Http404
    return job
