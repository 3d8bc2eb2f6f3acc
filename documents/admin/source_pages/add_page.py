"""Page on which the owner adds a source: first its kind, then its settings."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from common.pages.owner_pages import owner_page
from documents.admin.source_pages.forms import NewSourceForm
from documents.admin.source_pages.labels import kind_of
from documents.connectors.registry import CONNECTORS
from documents.models import Source
from documents.sources.changes import create_source
from memories.admin.base import owner_id
from memories.admin.errors import add_domain_error
from memories.errors import MemoriesError


def add_page(request: HttpRequest) -> HttpResponse:
    """Show the kinds, or with `kind` in the query the form for a source of that kind (GET); store the source (POST)."""
    if "kind" not in request.GET:
        kinds = [(kind, kind_of(kind)) for kind in CONNECTORS]
        context: dict[str, Any] = {
            "kinds": kinds,
            "crumb": {"url": reverse("admin:documents_source_changelist"), "title": _("Sources")},
        }
        return owner_page(request, "admin/documents/source/kinds.html", context, title=_("Add a source"))
    kind = request.GET["kind"]
    if kind not in CONNECTORS:
        raise Http404
    data = request.POST if request.method == "POST" else None
    form = NewSourceForm(kind, data, runs_server=request.user.is_superuser)
    source = _stored(request, form) if form.is_valid() else None
    if source is not None:
        return redirect("admin:documents_source_change", source.pk)
    context = {
        "crumb": {"url": reverse("admin:documents_source_changelist"), "title": _("Sources")},
        "form": form,
        "verb": _("Add"),
        "cancel_url": reverse("admin:documents_source_add"),
    }
    return owner_page(
        request, "owner/form.html", context, title=_("Add a source: {kind}").format(kind=kind_of(kind).name)
    )


def _stored(request: HttpRequest, form: NewSourceForm) -> Source | None:
    """Store the source. If the domain refuses it, add the error to the form and return None."""
    try:
        source = create_source(owner_id(request), form.draft())
    except MemoriesError as error:
        add_domain_error(form, error)
        return None
    then = _("It is paused.") if source.paused_at else _first_sync(source)
    added = _("Added as “%(name)s”.") % {"name": source.name}
    messages.success(request, f"{added} {then}")
    return source


def _first_sync(source: Source) -> str:
    if source.next_run_at:
        return _("The first sync begins within a minute.")
    return _("Press Sync now to import it.")
