"""The page that shows what undoing some changes would do, and does it."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse

from common.owner_pages import owner_page, say
from memories.access import Actor
from memories.admin.base import acting_owner, given_id, owner_id, owners_view
from memories.admin.page_timestamps import SEEN_AT, seen_at, seen_at_now
from memories.admin.undo.choices import PERIODS, Choice, read_choice
from memories.admin.undo.lines import plan_of
from memories.admin.undo.now import undo_address
from memories.errors import MemoriesError
from memories.queries.clients import client_names, clients_with_changes
from memories.undo import undoing
from memories.undo.retention import kept_since
from memories.undo.undoing import Resolution, UndoOutcome

RESOLUTION_PREFIX = "memory-"
"""Prefix of the form field that says what to do with a memory that was changed again since."""


def undo_page(request: HttpRequest) -> HttpResponse:
    """Show what undoing the changes in the query would do, or do it on POST. Without a query, ask which changes."""
    shown_at = request.POST.get(SEEN_AT) or seen_at_now()
    choice = read_choice(request.GET, seen_at(_as_query(shown_at)))
    context = {**_filters(request), SEEN_AT: shown_at, "kept_since": kept_since()}
    if choice is None:
        return owner_page(request, "memories/undo.html", context, title="Undo")
    actor = acting_owner(owner_id(request))
    try:
        if request.method == "POST":
            outcome = undoing.undo(actor, choice.selection, _resolutions(request.POST))
            return _report(request, actor, outcome)
        plan = plan_of(owners_view(request), undoing.preview(actor, choice.selection))
    except MemoriesError as error:
        messages.error(request, str(error))
        return owner_page(request, "memories/undo.html", context, title="Undo")
    context |= {"plan": plan, "crumb": {"url": _journal(), "title": "Journal"}}
    return owner_page(request, "memories/undo.html", context, title=_title(choice))


def _as_query(shown_at: str) -> QueryDict:
    query = QueryDict(mutable=True)
    query[SEEN_AT] = shown_at
    return query


def _title(choice: Choice) -> str:
    return f"Undo {choice.description}?"


def _filters(request: HttpRequest) -> dict[str, object]:
    """Return the choices of the form that asks which changes to undo."""
    names = client_names(clients_with_changes(owner_id(request)))
    return {
        "apps": sorted(names.items(), key=lambda item: item[1].casefold()),
        "periods": [(key, name) for key, (name, _) in PERIODS.items()],
        "chosen_app": request.GET.get("app", ""),
        "chosen_period": request.GET.get("period", "hour"),
    }


def _resolutions(sent: QueryDict) -> Mapping[int, Resolution]:
    """Return what the owner decided about each memory. Raises Http404 for a value that no page can have sent."""
    try:
        return {
            given_id(name.removeprefix(RESOLUTION_PREFIX)): Resolution(value)
            for name, value in sent.items()
            if name.startswith(RESOLUTION_PREFIX) and isinstance(value, str)
        }
    except ValueError:
        raise Http404 from None


def _report(request: HttpRequest, actor: Actor, outcome: UndoOutcome) -> HttpResponse:
    """Say what was done, with a button that takes it back, and show the journal."""
    groups = {"set back": outcome.restored, "forgotten": outcome.removed, "added": outcome.kept_both}
    done = ", ".join(f"{len(group)} {what}" for what, group in groups.items() if group)
    if outcome.synonyms:
        done = f"{done}, tag synonyms" if done else "tag synonyms set back"
    if done:
        say(request, f"Undone: {done}.", undo_url=undo_address(actor.change_set, _journal()))
    else:
        messages.info(request, "Nothing was changed.")
    return redirect(_journal())


def _journal() -> str:
    return reverse("admin:memories_journalentry_changelist")
