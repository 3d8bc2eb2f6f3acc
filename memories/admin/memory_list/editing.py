"""The editor that takes the place of a row. Without scripts, it is a page of its own."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from common.pages.owner_pages import is_part, owner_page, say
from memories.admin.base import acting_owner, owner_id, owners_view
from memories.admin.forms import TEXT_IS_MISSING, TagsField
from memories.admin.kept_secrets.messages import report_deleted_values
from memories.admin.rows import memory_row
from memories.admin.seen_values import SeenField, SeenValuesMixin
from memories.admin.sources import with_source
from memories.admin.tag_messages import report_tag_changes
from memories.admin.undo.now import safe_path, undo_address
from memories.errors import MemoriesError
from memories.models import Memory
from memories.writing.updating import MemoryUpdate, update_memory


class RowForm(SeenValuesMixin, forms.Form):
    """The text and the tags of a memory."""

    edited_fields = ("text", "tags")
    text = forms.CharField(
        error_messages=TEXT_IS_MISSING,
        widget=forms.Textarea({"rows": 2, "class": "field", "dir": "auto", "autofocus": True}),
    )
    tags = TagsField(
        required=False, widget=forms.TextInput({"class": "field tagsin", "placeholder": gettext_lazy("Tags")})
    )
    seen = SeenField(required=False)

    def __init__(self, data: QueryDict | None, memory: Memory) -> None:
        super().__init__(data)
        self.open_with(memory)


def edit_row(request: HttpRequest, memory_id: int) -> HttpResponse:
    """Show the editor of a memory, or save it. Raises Http404 unless the memory is the owner's and not forgotten."""
    memory = _memory(request, memory_id)
    form = RowForm(request.POST if request.method == "POST" else None, memory)
    back = safe_path(request, reverse("admin:memories_memory_change", args=[memory_id]))
    if form.is_valid() and _save(request, memory, form, back):
        if not is_part(request):
            return redirect(back)
        context = {"row": memory_row(_memory(request, memory_id)), "selectable": True, "actions": True}
        return render(request, "memories/saved_row.html", context)
    context = {"form": form, "memory": memory, "back": back}
    if is_part(request):
        return render(request, "memories/editor.html", context)
    crumb = {"url": back, "title": gettext("Back")}
    return owner_page(request, "memories/edit.html", {**context, "crumb": crumb}, title=gettext("Edit memory"))


def _memory(request: HttpRequest, memory_id: int) -> Memory:
    own = with_source(Memory.objects.visible_including_quarantined(owners_view(request)))
    memory = own.not_deleted().filter(pk=memory_id).first()
    if memory is None:
        raise Http404
    return memory


def _save(request: HttpRequest, memory: Memory, form: RowForm, back: str) -> bool:
    """Save what was changed. Return False, with the error in the form, for values that the domain refuses."""
    changed = {name: form.cleaned_data[name] for name in form.changed_data}
    if not changed:
        messages.info(request, gettext("Nothing was changed."))
        return True
    actor = acting_owner(owner_id(request))
    try:
        outcome = update_memory(actor, memory.pk, MemoryUpdate(**changed, seen=form.seen_values))
    except MemoriesError as error:
        form.add_error_of_saving(error)
        return False
    report_tag_changes(request, outcome.tag_changes)
    report_deleted_values(request, outcome)
    if outcome.changed_fields:
        say(request, gettext("Saved."), undo_url=undo_address(actor.change_set, back))
    return True
