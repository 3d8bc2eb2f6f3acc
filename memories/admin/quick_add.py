"""Adding a memory from everywhere: the sheet, the share target of the web app, and the bookmarklet."""

from __future__ import annotations

from collections.abc import Sequence

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.text import Truncator
from django.utils.translation import gettext, gettext_lazy

from common.pages.owner_pages import is_part, owner_page, say
from memories.access import Actor
from memories.admin.base import acting_owner, owner_id
from memories.admin.errors import add_domain_error
from memories.admin.forms import TEXT_IS_MISSING, TagsField
from memories.admin.sharing import SHARED, TOO_LONG, joined_parts
from memories.admin.tag_messages import report_tag_changes
from memories.admin.undo.now import safe_path, undo_address
from memories.drafts import Draft
from memories.errors import MemoriesError
from memories.models import Memory
from memories.writing.hidden_values import kept_kinds
from memories.writing.remembering import RememberOutcome, RememberRequest, remember
from memories.writing.updating import MemoryUpdate, update_memory

QUOTED_CHARS = 80
"""Characters of a memory that the toast quotes."""


class QuickForm(forms.Form):
    """One fact and its tags."""

    text = forms.CharField(
        error_messages=TEXT_IS_MISSING,
        widget=forms.Textarea(
            {
                "rows": 3,
                "class": "field",
                "dir": "auto",
                "placeholder": gettext_lazy("One fact that makes sense on its own"),
                "autofocus": True,
            }
        ),
    )
    tags = TagsField(
        required=False, widget=forms.TextInput({"class": "field", "placeholder": gettext_lazy("family, travel")})
    )


def quick_add(request: HttpRequest) -> HttpResponse:
    """Show the form, filled in with what was shared, or remember what was typed. GET stores nothing."""
    form = QuickForm(request.POST if request.method == "POST" else None, initial={"text": _shared(request)})
    if form.is_valid() and (memory_id := _remember(request, form)):
        request.session.pop(SHARED, None)
        return redirect(safe_path(request, reverse("admin:memories_memory_change", args=[memory_id])))
    context = {
        "form": form,
        "back": safe_path(request, ""),
        "keeps_secrets": bool(kept_kinds(owner_id(request))),
        "was_too_long": request.GET.get(SHARED) == TOO_LONG,
    }
    if is_part(request):
        return render(request, "memories/add_form.html", context)
    return owner_page(request, "memories/add.html", context, title=gettext("Add a memory"))


def _shared(request: HttpRequest) -> str:
    """Return what another app or the bookmark shared."""
    if SHARED in request.GET:
        return str(request.session.get(SHARED, ""))
    return joined_parts(request.GET)


def _remember(request: HttpRequest, form: QuickForm) -> int | None:
    """Store the memory and say so. Return its id, or None with the error in the form."""
    typed = form.cleaned_data
    actor = acting_owner(owner_id(request))
    try:
        outcome = remember(actor, RememberRequest(Draft(typed["text"], tuple(typed["tags"]))))
    except MemoriesError as error:
        add_domain_error(form, error)
        return None
    if outcome.is_duplicate:
        _report_known(request, actor, outcome.memory_id, typed["tags"])
    else:
        report_tag_changes(request, outcome.tag_changes)
        back = safe_path(request, reverse("admin:memories_memory_changelist"))
        say(request, _said(outcome), undo_url=undo_address(actor.change_set, back))
    return outcome.memory_id


def _report_known(request: HttpRequest, actor: Actor, memory_id: int, tags: Sequence[str]) -> None:
    """Say that a memory is there already, and give it the typed tags that it has not."""
    page = reverse("admin:memories_memory_change", args=[memory_id])
    try:
        known = Memory.objects.visible_including_quarantined(actor.view).get(pk=memory_id)
        changed = update_memory(actor, memory_id, MemoryUpdate(tags=[*known.tags, *tags]))
    except MemoriesError as error:
        messages.error(request, str(error))
        return
    if not changed.changed_fields:
        said = gettext('You already have <a class="link" href="{}">this memory</a>.')
        messages.info(request, format_html(said, page))
        return
    report_tag_changes(request, changed.tag_changes)
    text = gettext('You already have <a class="link" href="{}">this memory</a>. It has the new tags, too.')
    back = safe_path(request, page)
    say(request, format_html(text, page), undo_url=undo_address(actor.change_set, back))


def _said(outcome: RememberOutcome) -> str:
    """Return the words of the toast about a new memory, with the one that says nearly the same."""
    if not outcome.neighbours.active:
        return gettext("Remembered.")
    known, _ = outcome.neighbours.active[0]
    text = gettext('Remembered. You already have something like it: <a class="link" dir="auto" href="{}">{}</a>')
    url = reverse("admin:memories_memory_change", args=[known.pk])
    return format_html(text, url, Truncator(known.text).chars(QUOTED_CHARS))
