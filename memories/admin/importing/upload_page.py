"""The page “Import”: a file or a pasted text to import, and the latest imports."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from common.pages.owner_pages import owner_page
from memories.access import Actor
from memories.admin.base import owner_id, owners_view
from memories.admin.errors import add_domain_error
from memories.admin.importing.forms import NewImportForm
from memories.admin.importing.states import IMPORT_CLIENT, has_stored, state_in_words
from memories.errors import MemoriesError, StorageFull
from memories.models import ImportJob
from memories.queries.clients import client_names
from memories.transfer.background.requests import create_import
from memories.undo.undone import undone_sets

SHOWN = 20
FULL = "The disk of the server is full: nothing was stored. Free some space first."


@dataclass(frozen=True, slots=True)
class ImportRow:
    """An import in the list."""

    job: ImportJob
    state: str
    client: str


def upload_page(request: HttpRequest) -> HttpResponse:
    """Show the form (GET), or store the file, have it checked, and show its page (POST)."""
    form = NewImportForm(request.POST, request.FILES) if request.method == "POST" else NewImportForm()
    if form.is_bound and form.is_valid() and (job := _create(request, form)):
        return redirect("import_job", job.pk)
    context = {
        "form": form,
        "rows": _rows(owner_id(request)),
        "max_mb": settings.MAX_IMPORT_MB,
    }
    return owner_page(request, "memories/importing/upload.html", context, title=_("Import"))


def _create(request: HttpRequest, form: NewImportForm) -> ImportJob | None:
    """Create the import. Add what is wrong to the form."""
    name, content = form.content()
    actor = Actor(owners_view(request), IMPORT_CLIENT, is_owner=True)
    try:
        return create_import(actor, name, content, form.choices())
    except StorageFull:
        form.add_error(None, FULL)
    except MemoriesError as error:
        if error.argument == "file":
            form.add_error(None, _("The file is empty."))
        else:
            add_domain_error(form, error)
    return None


def _rows(owner: int) -> list[ImportRow]:
    jobs = list(ImportJob.objects.filter(owner_id=owner).defer("preview").order_by("-created_at")[:SHOWN])
    names = client_names({job.client for job in jobs} - {IMPORT_CLIENT})
    undone = undone_sets(owner, [job.change_set for job in jobs if has_stored(job)])
    return [
        ImportRow(job, state_in_words(job, is_undone=job.change_set in undone), names.get(job.client, ""))
        for job in jobs
    ]
