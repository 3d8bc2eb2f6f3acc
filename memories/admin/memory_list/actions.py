"""The effects of the buttons of the list of memories. Every action is one change set, with undo in a toast."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop, ngettext

from common.pages.owner_pages import is_part, say
from common.pages.relative_times import number
from common.texts import ngettext_noop
from memories.access import Actor
from memories.admin.base import acting_owner, owner_id
from memories.admin.memory_list.merging import MERGE, to_merge_page
from memories.admin.review.decisions import (
    CONFIRM,
    FORGET,
    HIDE,
    PIN,
    PLACES,
    RESTORE,
    UNHIDE,
    UNPIN,
    Decision,
    DecisionDetails,
    decide,
)
from memories.admin.seen_texts import id_of, seen_texts
from memories.admin.undo.now import safe_path, undo_address
from memories.cleanup.stored_findings import dismiss_contradiction
from memories.errors import InvalidInput, MemoriesError, NotFound
from memories.queries.selectors import changeable_memories_with_ids
from memories.writing.lifecycle import confirm_memory, forget_memory
from memories.writing.locking import lock_all
from memories.writing.seen_values import SeenTexts, TextChanged, changed_since_seen
from memories.writing.updating import MemoryUpdate, update_memory

SELECTED = "_selected_action"
MAX_SELECTED = 1000
KEEP_BOTH = "keep_both"
"""The button that says that two memories do not contradict each other."""

Change = Callable[[Actor, Sequence[int]], list[MemoriesError]]


def act_on_memories(request: HttpRequest) -> HttpResponse:
    """Carry out the pressed button for its memory or for the selected ones, then return to the list.

    Raises Http404 and BadRequest for values that the page cannot have sent.
    """
    name, given = _pressed(request)
    ids, seen = list(dict.fromkeys(map(id_of, given))), seen_texts(given)
    back = safe_path(request, reverse("admin:memories_memory_changelist"))
    if not ids:
        messages.warning(request, gettext("Select at least one memory first."))
        return redirect(back)
    if name == MERGE:
        return to_merge_page(request, ids, back)
    actor = acting_owner(owner_id(request))
    try:
        if name == KEEP_BOTH:
            with transaction.atomic():
                _refuse_unseen(request, actor)
                dismiss_contradiction(actor, _both(request))
            say(request, gettext("Nothing is changed, and this is not shown again."))
            return redirect(back)
        errors, reported = _carry_out(request, name, actor, ids, seen)
    except MemoriesError as error:
        messages.error(request, str(error))
        return redirect(back)
    for refused in errors:
        messages.error(request, str(refused))
    if count := len(ids) - len(errors):
        say(request, reported(count, len(ids)), undo_url=undo_address(actor.change_set, back))
    return render(request, "owner/told.html") if is_part(request) else redirect(back)


def _pressed(request: HttpRequest) -> tuple[str, list[str]]:
    """Return the name of the pressed button and the memories that it is for, as the page names them."""
    for name in (FORGET.name, RESTORE.name):
        if given := request.POST.get(name):
            return name, [given]
    if request.POST.get("do") in {"keep_first", "keep_second", KEEP_BOTH}:
        return request.POST["do"], [request.POST.get("first", "")]
    chosen = request.POST.getlist(SELECTED)
    if len(chosen) > MAX_SELECTED:
        raise BadRequest(gettext("More than %(max_selected)s memories are selected.") % {"max_selected": MAX_SELECTED})
    return request.POST.get("do", ""), chosen


def _both(request: HttpRequest) -> list[int]:
    """Return the ids of two memories that contradict each other, in the order of the page."""
    return [id_of(request.POST.get(name, "")) for name in ("first", "second")]


def _refuse_unseen(request: HttpRequest, actor: Actor) -> None:
    """Lock two memories that contradict each other. Raises TextChanged if the page has shown another text of one."""
    seen = seen_texts(request.POST.get(name, "") for name in ("first", "second"))
    for memory in changed_since_seen(lock_all(actor, _both(request)), seen):
        raise TextChanged(memory.text)


def _carry_out(
    request: HttpRequest, name: str, actor: Actor, ids: Sequence[int], seen: SeenTexts
) -> tuple[list[MemoriesError], Callable[[int, int], str]]:
    """Return the errors of memories that could not be changed, and a function for the report of what was done.

    It takes the numbers of changed and of chosen memories. Raises MemoriesError and BadRequest.
    """
    if name == "tag":
        tag = request.POST.get("tag", "").strip()
        return add_tag(actor, ids, tag), partial(_report, "tag", tag=tag)
    if name in {"keep_first", "keep_second"}:
        return keep_one(request, actor, keeps_first=name == "keep_first"), partial(_report, "replace")
    decisions: dict[str, Decision] = {decision.name: decision for decision in (FORGET, RESTORE, CONFIRM, *PLACES)}
    if name not in decisions:
        raise BadRequest(gettext("There is no such action."))
    return decide(actor, decisions[name], ids, DecisionDetails(seen_texts=seen)), partial(_report, name)


_REPORTS = {
    "tag": (
        gettext_noop("Tagged “%(tag)s”."),
        ngettext_noop("%(number)s memory tagged “%(tag)s”.", "%(number)s memories tagged “%(tag)s”."),
    ),
    "replace": (
        gettext_noop("Replaced."),
        ngettext_noop("%(number)s memory replaced.", "%(number)s memories replaced."),
    ),
    FORGET.name: (
        gettext_noop("Forgotten."),
        ngettext_noop("%(number)s memory forgotten.", "%(number)s memories forgotten."),
    ),
    RESTORE.name: (
        gettext_noop("Restored."),
        ngettext_noop("%(number)s memory restored.", "%(number)s memories restored."),
    ),
    CONFIRM.name: (
        gettext_noop("Confirmed."),
        ngettext_noop("%(number)s memory confirmed.", "%(number)s memories confirmed."),
    ),
    PIN.name: (gettext_noop("Pinned."), ngettext_noop("%(number)s memory pinned.", "%(number)s memories pinned.")),
    UNPIN.name: (
        gettext_noop("Unpinned."),
        ngettext_noop("%(number)s memory unpinned.", "%(number)s memories unpinned."),
    ),
    HIDE.name: (
        gettext_noop("Hidden from the briefing."),
        ngettext_noop("%(number)s memory hidden from the briefing.", "%(number)s memories hidden from the briefing."),
    ),
    UNHIDE.name: (
        gettext_noop("No longer hidden from the briefing."),
        ngettext_noop(
            "%(number)s memory no longer hidden from the briefing.",
            "%(number)s memories no longer hidden from the briefing.",
        ),
    ),
}
"""By action: the report about a single memory that was chosen, and about several."""


def _report(name: str, changed: int, chosen: int, *, tag: str = "") -> str:
    of_one, of_several = _REPORTS[name]
    text = ngettext(*of_several, changed) if chosen > 1 else gettext(of_one)
    return text % {"number": number(changed), "tag": tag}


def keep_one(request: HttpRequest, actor: Actor, *, keeps_first: bool) -> list[MemoriesError]:
    """Confirm one of two memories that contradict each other, and replace the other by it.

    Raises MemoriesError, also if the owner has not seen the text of one of them.
    """
    kept, replaced = _both(request)
    if not keeps_first:
        kept, replaced = replaced, kept
    with transaction.atomic():
        _refuse_unseen(request, actor)
        confirm_memory(actor, kept)
        forget_memory(actor, replaced, replaced_by_id=kept)
    return []


def add_tag(actor: Actor, memory_ids: Sequence[int], tag: str) -> list[MemoriesError]:
    """Add `tag` to each memory, in one transaction. Return the errors of those that could not be changed.

    Raises InvalidInput for an empty tag.
    """
    if not tag:
        raise InvalidInput(gettext("Type the tag to add."))
    errors: list[MemoriesError] = []
    with transaction.atomic():
        memories = {memory.pk: memory for memory in changeable_memories_with_ids(actor, memory_ids)}
        for memory_id in memory_ids:
            try:
                if memory_id not in memories:
                    raise NotFound(gettext("There is no memory with id %(memory_id)s.") % {"memory_id": memory_id})
                update_memory(actor, memory_id, MemoryUpdate(tags=[*memories[memory_id].tags, tag]))
            except MemoriesError as error:
                errors.append(error)
    return errors
