"""The page of a backup, with the way to restore it, and the page that asks before it is deleted."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from common.pages.deletion import ask_to_delete
from common.pages.owner_pages import owner_page, say
from ownsona_site.backup.checked_files import checked_files
from ownsona_site.backup.kept.folder import KeptArchive, find_archive
from ownsona_site.backup.kept.pruning import delete_archive
from ownsona_site.models import BackupRun
from ownsona_site.pages.backups.commands import manage
from ownsona_site.pages.backups.page import require_superuser
from ownsona_site.pages.backups.rows import row_of


@never_cache
@require_safe
def archive_page(request: HttpRequest, name: str) -> HttpResponse:
    """Show what is known about an archive, and the commands that check and restore it."""
    archive = _find(request, name)
    run = BackupRun.objects.filter(name=name).exclude(finished_at=None).first()
    context = {
        "row": row_of(archive, run, checked_files()),
        "archive": archive,
        "check": manage("restore", "--check", str(archive.path)),
        "restore": manage("restore", str(archive.path)),
        "crumb": {"url": reverse("backups"), "title": gettext("Backups and export")},
    }
    return owner_page(request, "owner/backup.html", context, title=name)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def delete_page(request: HttpRequest, name: str) -> HttpResponse:
    """Ask whether to delete an archive (GET), or delete it (POST)."""
    archive = _find(request, name)
    if request.method != "POST":
        hint = gettext("The file is deleted, which cannot be undone. Your memories stay.")
        return ask_to_delete(request, name, url=reverse("backup", args=[name]), hint=hint)
    try:
        delete_archive(archive)
    except OSError as error:
        messages.error(request, gettext("The file cannot be deleted: %(why)s.") % {"why": error.strerror or error})
        return redirect("backup", name)
    say(request, gettext("Deleted."))
    return redirect("backups")


def _find(request: HttpRequest, name: str) -> KeptArchive:
    require_superuser(request)
    archive = find_archive(name)
    if archive is None:
        raise Http404
    return archive
