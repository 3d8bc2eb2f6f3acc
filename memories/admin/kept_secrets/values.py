"""The hidden values of a memory on its page: showing one, which is recorded, and deleting one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from common.pages.owner_pages import owner_page, say
from memories.access import Actor
from memories.admin.base import acting_owner, owner_id
from memories.admin.kept_secrets.words import name_of
from memories.errors import NotConfigured
from memories.models import HiddenValue, JournalEntry, Memory
from memories.validation.secrets.placeholders import kinds_in
from memories.writing import journal
from memories.writing.hidden_values import decrypted, hidden_values_of


@dataclass(frozen=True, slots=True)
class ShownValue:
    """A hidden value as the page lists it.

    `is_in_text` is false if only an earlier version has its placeholder, and `is_stored` for a placeholder without a
    value: it was deleted or not imported, or an app has written the placeholder.
    """

    number: int
    name: str
    is_in_text: bool
    is_stored: bool = True


def values_of(memory: Memory) -> Sequence[ShownValue]:
    """Return the hidden values of a memory, without decrypting them, in the order of their numbers."""
    in_text = kinds_in(memory.text)
    rows = hidden_values_of(memory.owner_id, memory.pk)
    stored = [ShownValue(row.number, name_of(row.kind), row.number in in_text) for row in rows]
    numbers = {row.number for row in rows}
    missing = [
        ShownValue(number, name_of(kind.name), is_in_text=True, is_stored=False)
        for number, kind in in_text.items()
        if number not in numbers
    ]
    return sorted([*stored, *missing], key=lambda value: value.number)


@never_cache
@require_POST
def show_value(request: HttpRequest, memory_id: int, number: int) -> HttpResponse:
    """Show a hidden value once, and record that. It is in no address, and no browser stores the page."""
    with transaction.atomic():
        row = _row(request, memory_id, number)
        try:
            value, problem = decrypted(row), ""
        except NotConfigured as error:
            value, problem = "", error.problem
        else:
            journal.write([_look(acting_owner(row.owner_id), row)])
    context = {
        "value": value,
        "problem": problem,
        "name": name_of(row.kind),
        "memory_id": memory_id,
        "crumb": {"url": reverse("admin:memories_memory_change", args=[memory_id]), "title": gettext("Memory")},
    }
    return owner_page(request, "memories/shown_value.html", context, title=gettext("Hidden value"))


@require_POST
def delete_value(request: HttpRequest, memory_id: int, number: int) -> HttpResponse:
    """Delete a hidden value permanently. Its placeholder stays in the text."""
    _row(request, memory_id, number).delete()
    say(request, gettext("The hidden value was deleted."))
    return redirect("admin:memories_memory_change", memory_id)


def _row(request: HttpRequest, memory_id: int, number: int) -> HiddenValue:
    row = HiddenValue.objects.filter(owner_id=owner_id(request), memory_id=memory_id, number=number).first()
    if row is None:
        raise Http404
    return row


def _look(actor: Actor, row: HiddenValue) -> JournalEntry:
    return JournalEntry(
        owner_id=actor.owner_id,
        memory_id=row.memory_id,
        operation=JournalEntry.Operation.SHOW,
        after={"shown": name_of(row.kind)},
        client=actor.client,
        change_set=actor.change_set,
    )
