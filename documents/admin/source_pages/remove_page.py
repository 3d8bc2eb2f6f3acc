"""Page that asks before a source is removed, and what becomes of its documents."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from common.pages.owner_pages import owner_page
from documents.admin.source_pages.labels import location_of
from documents.admin.source_pages.owned import owned_source
from documents.models import Document
from documents.sources.changes import remove_source
from memories.admin.base import owners_view
from memories.admin.errors import add_domain_error
from memories.errors import MemoriesError

FORGET, KEEP = "forget", "keep"


class RemovalForm(forms.Form):
    """A form with what happens to the documents of a removed source."""

    documents = forms.ChoiceField(
        initial=FORGET,
        widget=forms.RadioSelect,
        choices=[
            (FORGET, gettext_lazy("Forget them, too. You can restore each of them.")),
            (KEEP, gettext_lazy("Keep them. They are no longer updated.")),
        ],
    )


def remove_page(request: HttpRequest, source_id: int) -> HttpResponse:
    """Ask (GET), or remove the source and keep or forget its documents (POST)."""
    source = owned_source(request, source_id)
    documents = Document.objects.visible_to(owners_view(request)).not_deleted().filter(source=source.name).count()
    form = RemovalForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        forgets = form.cleaned_data["documents"] == FORGET
        try:
            forgotten = remove_source(source, forget_documents=forgets)
        except MemoriesError as error:
            add_domain_error(form, error)
        else:
            said = _said(forgotten) if forgets else _("Its documents stay.")
            messages.success(request, f"{_('Removed.')} {said}" if documents else _("Removed."))
            return redirect("admin:documents_source_changelist")
    context = {
        "crumb": {"url": reverse("admin:documents_source_change", args=[source.pk]), "title": source.name},
        "source": source,
        "location": location_of(source),
        "documents": documents,
        "form": form,
    }
    return owner_page(
        request, "admin/documents/source/remove.html", context, title=_("Remove {name}").format(name=source.name)
    )


def _said(forgotten: int) -> str:
    said = ngettext("One document was forgotten.", "{count} documents were forgotten.", forgotten)
    return said.format(count=forgotten)
