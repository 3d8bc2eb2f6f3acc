"""The page on backups and the export: a backup now or every night, the list of archives, and the commands."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from common.disk_space import free_space
from common.pages.owner_pages import owner_page, say
from memories.admin.base import owners_view
from memories.models import HiddenValue, Memory
from ownsona_site.backup.kept.failures import last_failure
from ownsona_site.backup.kept.jobs import NIGHT, back_up_soon, under_way
from ownsona_site.backup.last_backup import last_backup
from ownsona_site.models import BackupPlan
from ownsona_site.pages.backups.commands import commands
from ownsona_site.pages.backups.plan_form import PlanForm
from ownsona_site.pages.backups.rows import in_words, rows

SHOWN = 30
"""Number of backups on the page. The others are shown on request."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def backups_page(request: HttpRequest) -> HttpResponse:
    """Show backups and the export, or store the plan (POST). Only those who run the server see its paths."""
    form = None
    if request.method == "POST":
        require_superuser(request)
        form = PlanForm(BackupPlan.current(), request.POST)
        if form.is_valid():
            form.save()
            say(request, gettext("Saved."))
            return redirect("backups")
    context: dict[str, Any] = {
        "runs_server": request.user.is_superuser,
        **commands(request.user.get_username()),
        "hidden_values": HiddenValue.objects.filter(owner_id=request.user.pk).count(),
    }
    if request.user.is_superuser:
        context |= _of_server(request, form or PlanForm(BackupPlan.current()))
    return owner_page(request, "owner/backups.html", context, title=gettext("Backups and export"))


@require_POST
def back_up_now(request: HttpRequest) -> HttpResponse:
    """Have the job process make a backup, unless one is under way."""
    require_superuser(request)
    if not back_up_soon():
        say(request, gettext("A backup is already being made."))
    return redirect("backups")


@never_cache
@require_safe
def backup_progress(request: HttpRequest) -> JsonResponse:
    """Return whether a backup is being made, for the script of the page."""
    require_superuser(request)
    state = under_way()
    return JsonResponse({"state": "running" if state else "done", "words": _progress(state), "problem": ""})


def require_superuser(request: HttpRequest) -> None:
    """Raise PermissionDenied for users who do not run the server: a backup has the data of all accounts."""
    if not request.user.is_superuser:
        raise PermissionDenied


def _progress(state: str | None) -> str:
    return gettext("Waiting for the job process") if state == "todo" else gettext("A backup is being made.")


def _of_server(request: HttpRequest, form: PlanForm) -> dict[str, Any]:
    found, failure, state = rows(), last_failure(), under_way()
    is_there = settings.BACKUP_DIR.is_dir()
    return {
        "form": form,
        "night": NIGHT,
        "time_zone": settings.OWNER_TIME_ZONE.key,
        "is_running": state is not None,
        "progress": _progress(state),
        "last": last_backup(),
        "failure": failure,
        "reason": in_words(failure.problem) if failure else "",
        "rows": found if "all" in request.GET else found[:SHOWN],
        "count": len(found),
        "archives": sum(row.archive is not None for row in found),
        "has_more": "all" not in request.GET and len(found) > SHOWN,
        "has_data": Memory.objects.visible_to(owners_view(request)).active().exists(),
        "folder": settings.BACKUP_DIR,
        "data_dir": settings.DATA_DIR,
        "is_missing": not is_there and settings.BACKUP_DIR.parent != settings.DATA_DIR,
        "free": free_space(settings.BACKUP_DIR if is_there else settings.DATA_DIR),
    }
