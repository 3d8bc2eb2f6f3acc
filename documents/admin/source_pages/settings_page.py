"""Page on which the owner changes a source."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from common.pages.owner_pages import owner_page
from documents.admin.source_pages.forms import ChangedSourceForm
from documents.admin.source_pages.owned import owned_source
from documents.connectors.registry import CONNECTORS
from documents.models import Source
from documents.sources.changes import change_source
from memories.admin.errors import add_domain_error
from memories.errors import MemoriesError


def settings_page(request: HttpRequest, source_id: int) -> HttpResponse:
    """Show the form with the settings of a source (GET), or save them (POST)."""
    source = owned_source(request, source_id)
    if source.kind not in CONNECTORS:
        raise Http404
    data = request.POST if request.method == "POST" else None
    form = ChangedSourceForm(source, data, runs_server=request.user.is_superuser)
    if form.is_valid() and _save(request, source, form):
        return redirect("admin:documents_source_change", source.pk)
    context = {
        "crumb": {"url": reverse("admin:documents_source_change", args=[source.pk]), "title": source.name},
        "form": form,
        "verb": _("Save"),
        "cancel_url": reverse("admin:documents_source_change", args=[source.pk]),
    }
    return owner_page(request, "owner/form.html", context, title=_("Change {name}").format(name=source.name))


def _save(request: HttpRequest, source: Source, form: ChangedSourceForm) -> bool:
    """Save what the form changes. Return whether the domain accepted it."""
    changes = form.changes()
    try:
        change_source(source, **changes)
    except MemoriesError as error:
        add_domain_error(form, error)
        return False
    messages.success(request, _said(changes) if changes else _("Nothing was changed."))
    return True


def _said(changes: dict[str, object]) -> str:
    return _("Saved. The next sync uses the new settings.") if "settings" in changes else _("Saved.")
