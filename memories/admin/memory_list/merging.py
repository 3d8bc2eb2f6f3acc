"""The page on which the owner merges selected memories into one."""

from __future__ import annotations

from collections.abc import Sequence

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from common.pages.owner_pages import owner_page, say
from memories.admin.base import acting_owner, given_id, owner_id, owners_view
from memories.admin.errors import add_domain_error
from memories.admin.forms import TEXT_IS_MISSING
from memories.admin.rows import memory_row
from memories.admin.sources import with_source
from memories.admin.undo.now import safe_path, undo_address
from memories.errors import MemoriesError
from memories.models import Memory
from memories.writing.merging import MAX_MERGED, merge_memories

MERGE = "merge"
"""The name of the button of the list that leads to this page."""


USE = "use"
"""The name of the buttons that write the text of a memory into the field."""


class MergeForm(forms.Form):
    """The text that replaces the selected memories."""

    text = forms.CharField(
        error_messages=TEXT_IS_MISSING,
        widget=forms.Textarea({"rows": 4, "class": "field", "dir": "auto", "autofocus": True}),
    )


def to_merge_page(request: HttpRequest, ids: Sequence[int], back: str) -> HttpResponse:
    """Redirect to the page for these memories, which leads back to `back`. Redirect there for too few or too many."""
    if not 2 <= len(ids) <= MAX_MERGED:
        return _not_mergeable(request, back)
    return redirect(merge_address(ids, back))


def merge_address(ids: Sequence[int], back: str) -> str:
    """Return the address of the page for these memories, which leads back to `back`."""
    query = QueryDict(mutable=True)
    query.setlist("id", list(map(str, ids)))
    query["back"] = back
    return f"{reverse('admin:memories_memory_merge')}?{query.urlencode()}"


def _not_mergeable(request: HttpRequest, back: str) -> HttpResponse:
    messages.warning(request, gettext("Select 2 to %(most)s active memories to merge.") % {"most": MAX_MERGED})
    return redirect(back)


def merge_page(request: HttpRequest) -> HttpResponse:
    """Show the memories with the ids in the address and a text for all of them (GET), or merge them (POST).

    The button beside a memory only writes its text into the field. Memories that have been forgotten or deleted
    meanwhile are left out.
    """
    back = safe_path(request, reverse("admin:memories_memory_changelist"))
    memories = _memories(request)
    if not 2 <= len(memories) <= MAX_MERGED:
        return _not_mergeable(request, back)
    is_sent = request.method == "POST" and USE not in request.POST
    proposal = _chosen_text(request, memories) or _proposal(memories)
    form = MergeForm(request.POST if is_sent else None, initial={"text": proposal})
    if form.is_valid() and _merge(request, memories, form, back):
        return redirect(back)
    context = {
        "form": form,
        "rows": [memory_row(memory) for memory in memories],
        "back": back,
        "crumb": {"url": back, "title": gettext("Back")},
    }
    return owner_page(request, "memories/merge.html", context, title=gettext("Merge memories"))


def _memories(request: HttpRequest) -> list[Memory]:
    given = request.POST if request.method == "POST" else request.GET
    ids = {given_id(value) for value in given.getlist("id")[: MAX_MERGED + 1]}
    return list(with_source(Memory.objects.visible_to(owners_view(request)).active()).filter(pk__in=ids).newest_first())


def _chosen_text(request: HttpRequest, memories: Sequence[Memory]) -> str | None:
    """Return the text of the memory whose button was pressed; None if there is none, or if it is gone."""
    chosen = request.POST.get(USE)
    return next((memory.text for memory in memories if str(memory.pk) == chosen), None)


def _proposal(memories: Sequence[Memory]) -> str:
    """Return the text of the latest confirmed memory, and below it those that say more than what is there already."""
    latest, *others = sorted(memories, key=lambda memory: memory.last_confirmed_at, reverse=True)
    text = latest.text
    for memory in others:
        if memory.text.casefold() not in text.casefold():
            text = f"{text}\n{memory.text}"
    return text


def _merge(request: HttpRequest, memories: Sequence[Memory], form: MergeForm, back: str) -> bool:
    """Merge the memories. Return False, with the error in the form, for a text that the domain refuses."""
    actor = acting_owner(owner_id(request))
    try:
        merge_memories(actor, [memory.pk for memory in memories], form.cleaned_data["text"])
    except MemoriesError as error:
        add_domain_error(form, error)
        return False
    say(request, gettext("Merged."), undo_url=undo_address(actor.change_set, back))
    return True
