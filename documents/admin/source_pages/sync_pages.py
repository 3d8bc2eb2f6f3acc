"""The buttons of a source: preview, sync, pause and resume."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from common.pages.owner_pages import owner_page
from common.pages.translated import translated
from documents.admin.source_pages.labels import problem_in_words
from documents.admin.source_pages.owned import owned_source
from documents.models import Source
from documents.queue import sync_soon
from documents.sources.changes import change_source
from documents.sources.report import SyncReport
from documents.sources.stored_settings import configuration_problem
from documents.sources.sync import sync
from memories.errors import MemoriesError

PREVIEW_SECONDS = 20.0
"""The limit of a listing that a browser waits for. The job process, which does the real syncs, has an hour."""

ACTIONS = ("preview", "sync", "pause", "resume")
"""The buttons, by the last part of their URLs."""


def act(name: str, request: HttpRequest, source_id: int) -> HttpResponse:
    """Carry out the action with this name (POST). Only a form of these pages starts one: a link only shows the source.

    `confirm_removals` in the form permits a sync to forget most documents at once.
    """
    source = owned_source(request, source_id)
    if request.method == "POST":
        if name == "preview":
            return _preview(request, source)
        if name == "sync":
            _sync(request, source, confirm_removals="confirm_removals" in request.POST)
        else:
            _pause(request, source, is_paused=name == "pause")
    return redirect("admin:documents_source_change", source.pk)


def _preview(request: HttpRequest, source: Source) -> HttpResponse:
    try:
        report = sync(source, dry_run=True, max_seconds=PREVIEW_SECONDS)
    except MemoriesError as error:
        messages.error(request, translated(error))
        return redirect("admin:documents_source_changelist")
    if report.is_already_running:
        messages.warning(request, _("The source is being synced. Preview it when the sync has ended."))
        return redirect("admin:documents_source_change", source.pk)
    context = {
        "crumb": {"url": reverse("admin:documents_source_change", args=[source.pk]), "title": source.name},
        "source": source,
        "report": report,
        "problem": problem_in_words(report.problem),
        "changes": _changes(report),
        "changes_nothing": not (report.problem or report.added or report.changed or report.removed),
        "more_skipped": max(0, report.skipped - len(report.notes)),
    }
    title = gettext("Preview of {name}").format(name=source.name)
    return owner_page(request, "admin/documents/source/preview.html", context, title=title)


def _changes(report: SyncReport) -> list[tuple[str, int, list[str], int]]:
    """Return the title, the number, the first items and the number of further items of each kind of change."""
    titles = {"added": gettext("Added"), "changed": gettext("Changed"), "removed": gettext("Forgotten")}
    counts = {name: getattr(report, name) for name in titles}
    shown = {name: report.examples.get(name, []) for name in titles}
    return [(titles[name], counts[name], shown[name], counts[name] - len(shown[name])) for name in titles]


def _sync(request: HttpRequest, source: Source, *, confirm_removals: bool) -> None:
    if problem := configuration_problem(source):
        messages.error(request, problem_in_words(problem))
    elif sync_soon(source.pk, confirm_removals=confirm_removals):
        messages.success(request, _("Sync requested. This page shows its progress."))
    else:
        messages.info(request, _("A sync is already requested."))


def _pause(request: HttpRequest, source: Source, *, is_paused: bool) -> None:
    try:
        change_source(source, is_paused=is_paused)
    except MemoriesError as error:
        messages.error(request, translated(error))
        return
    now = _("Paused. It is synced only when you press Sync now.") if is_paused else _("Resumed.")
    messages.success(request, now)
