"""The page on which the owner merges selected memories into one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from common.pages.owner_pages import owner_page, say
from memories.admin.base import acting_owner, owner_id, owners_view
from memories.admin.errors import add_domain_error
from memories.admin.forms import TEXT_IS_MISSING
from memories.admin.rows import memory_row
from memories.admin.seen_texts import id_of, seen_id, seen_texts
from memories.admin.sources import with_source
from memories.admin.undo.now import safe_path, undo_address
from memories.errors import MemoriesError
from memories.models import Memory
from memories.relations.comparison import contradict
from memories.relations.statements import Statement
from memories.writing.merging import MAX_MERGED, merge_memories
from memories.writing.seen_values import SeenTexts

MERGE = "merge"
"""The name of the button of the list that leads to this page."""


USE, ALL = "use", "all"
"""The name of the buttons that write a text into the field, and the value of the one for all texts; others have ids."""


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


def memory_address(memory_id: int) -> str:
    """Return the address of the page of a memory."""
    return reverse("admin:memories_memory_change", args=[memory_id])


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

    The buttons for texts only write them into the field. Memories that have been forgotten or deleted
    meanwhile are left out.
    """
    back = safe_path(request, reverse("admin:memories_memory_changelist"))
    given = (request.POST if request.method == "POST" else request.GET).getlist("id")[: MAX_MERGED + 1]
    memories, seen = _memories(request, given), seen_texts(given)
    if not 2 <= len(memories) <= MAX_MERGED:
        return _not_mergeable(request, back)
    is_sent = request.method == "POST" and USE not in request.POST
    proposal = _chosen_text(request, memories) or _fullest(memories)
    form = MergeForm(request.POST if is_sent else None, initial={"text": proposal})
    if form.is_valid() and (merged_id := _merge(request, memories, form, back, seen)):
        # The page of a memory that was merged would only say that it is replaced.
        is_gone = back in {memory_address(memory.pk) for memory in memories}
        return redirect(memory_address(merged_id) if is_gone else back)
    context = {
        "form": form,
        "rows": [(memory_row(memory), memory.text) for memory in memories],
        # A button for a text shows the page again. What was changed meanwhile is still new to the owner then.
        "ids": given if USE in request.POST else [seen_id(memory) for memory in memories],
        "all_texts": _joined(memories),
        "back": back,
        "crumb": {"url": back, "title": gettext("Back")},
    }
    return owner_page(request, "memories/merge.html", context, title=gettext("Merge memories"))


def _memories(request: HttpRequest, given: Sequence[str]) -> list[Memory]:
    ids = {id_of(value) for value in given}
    return list(with_source(Memory.objects.visible_to(owners_view(request)).active()).filter(pk__in=ids).newest_first())


def _chosen_text(request: HttpRequest, memories: Sequence[Memory]) -> str | None:
    """Return the text for the button that was pressed; None if there is none, or if its memory is gone."""
    chosen = request.POST.get(USE)
    if chosen == ALL:
        return _joined(memories)
    return next((memory.text for memory in memories if str(memory.pk) == chosen), None)


def _fullest(memories: Sequence[Memory]) -> str:
    """Return the text with the most words of the latest confirmed memory and of those that do not contradict it."""
    latest = max(memories, key=lambda memory: memory.last_confirmed_at)
    believed = Statement.of(latest.text)
    agreeing = [each for each in memories if each is latest or not contradict(believed, Statement.of(each.text), 1)]
    return max(agreeing, key=lambda each: (len(set(_words(each.text))), each.last_confirmed_at)).text


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


_ENDS = (".", "!", "?", "…", ":", ";", "。", "！", "？")
"""Ends of a text to which no full stop is added."""


def _joined(memories: Sequence[Memory]) -> str:
    """Return the text of the latest confirmed memory, and after it those that say more than what is there already."""
    latest, *others = sorted(memories, key=lambda memory: memory.last_confirmed_at, reverse=True)
    text = latest.text
    for memory in others:
        if memory.text.casefold() not in text.casefold():
            text = _followed_by(text, memory.text)
    return text


def _followed_by(text: str, other: str) -> str:
    """Return two texts as sentences in one line, which lists can show, or in lines of their own if one has several."""
    if "\n" in text or "\n" in other:
        return f"{text}\n{other}"
    return f"{text}{'' if text.endswith(_ENDS) else '.'} {other}"


def _merge(request: HttpRequest, memories: Sequence[Memory], form: MergeForm, back: str, seen: SeenTexts) -> int | None:
    """Merge the memories and return the id of the new one; None, with an error in the form, for a refused text."""
    actor = acting_owner(owner_id(request))
    try:
        merged = merge_memories(actor, [memory.pk for memory in memories], form.cleaned_data["text"], seen_texts=seen)
    except MemoriesError as error:
        add_domain_error(form, error)
        return None
    say(request, gettext("Merged."), undo_url=undo_address(actor.change_set, back))
    return merged.new_ids[0]
