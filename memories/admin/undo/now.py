"""Undoing one change set at once, from the button in a toast."""

from __future__ import annotations

from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from common.pages.owner_pages import say
from common.pages.relative_times import plural
from memories.admin.base import acting_owner, owner_id
from memories.admin.page_timestamps import SEEN_AT, seen_at, seen_at_now
from memories.admin.undo.choices import read_choice
from memories.errors import MemoriesError
from memories.undo import undoing
from memories.undo.undoing import UndoOutcome

BACK = "back"
"""Name of the parameter with the page to return to."""


def undo_address(change_set: UUID, back: str) -> str:
    """Return the address to post to for undoing a change set, which leads back to the page `back`."""
    return f"{reverse('undo_now')}?{urlencode({'change_set': change_set, BACK: back})}"


def undone_text(outcome: UndoOutcome, what: str) -> str:
    """Return the message about an undo of `what`, or about the undo of one."""
    text = gettext("Redone: %(what)s.") if outcome.is_redo else gettext("Undone: %(what)s.")
    return text % {"what": what}


def safe_path(request: HttpRequest, default: str) -> str:
    """Return the page of this site that the request names as the one to return to."""
    given = request.POST.get(BACK) or request.GET.get(BACK) or ""
    is_local = given.startswith("/") and url_has_allowed_host_and_scheme(given, allowed_hosts=None)
    return given if is_local else default


@require_POST
def undo_now(request: HttpRequest) -> HttpResponse:
    """Undo the changes that the query names. What was changed again since stays as it is, and the toast says so.

    Raises Http404 if the query names no changes.
    """
    back = safe_path(request, reverse("admin:index"))
    now = QueryDict(mutable=True)
    now[SEEN_AT] = seen_at_now()
    choice = read_choice(request.GET, seen_at(now))
    if choice is None:
        raise Http404
    actor = acting_owner(owner_id(request))
    try:
        outcome = undoing.undo(actor, choice.selection)
    except MemoriesError as error:
        messages.error(request, str(error))
        return redirect(back)
    done = _counted(len(outcome.changed_ids), len(outcome.documents.changed_ids), outcome.synonyms)
    left = _counted(len(outcome.conflicts), len(outcome.documents.conflicts))
    if left:
        warning = gettext("Changed again since, and left as they are: %(what)s. The journal can undo that, too.")
        messages.warning(request, warning % {"what": left})
    if done:
        # The page of a memory names the version that comes back, not the changes that are undone.
        is_version = {"memory", "after"} <= request.GET.keys()
        text = gettext("The version was restored.") if is_version else undone_text(outcome, done)
        say(request, text, undo_url=undo_address(actor.change_set, back))
    elif not left:
        messages.info(request, gettext("Nothing was changed."))
    return redirect(back)


def _counted(memories: int, documents: int, synonyms: int = 0) -> str:
    """Return the numbers with nouns, such as "1 memory, 2 documents"; "" if all are 0."""
    counted = (
        plural(memories, "memory", "memories") if memories else "",
        plural(documents, "document", "documents") if documents else "",
        plural(synonyms, "tag synonym", "tag synonyms") if synonyms else "",
    )
    return ", ".join(filter(None, counted))
