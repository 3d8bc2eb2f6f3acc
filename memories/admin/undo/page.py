"""The page that shows what undoing some changes would do, and does it."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from common.pages.owner_pages import owner_page, say
from common.pages.relative_times import number
from memories.access import Actor
from memories.admin.base import acting_owner, given_id, owner_id, owners_view
from memories.admin.history import titled_client
from memories.admin.page_timestamps import SEEN_AT, seen_at, seen_at_now
from memories.admin.undo.choices import PERIODS, read_choice
from memories.admin.undo.lines import plan_of
from memories.admin.undo.now import safe_path, undo_address, undone_text
from memories.errors import LimitExceeded, MemoriesError
from memories.queries.clients import client_names, clients_with_changes
from memories.undo import undoing
from memories.undo.background import start_undo
from memories.undo.outcomes import Resolution
from memories.undo.parts import selected_ids
from memories.undo.retention import kept_since
from memories.undo.undoing import UndoOutcome

RESOLUTION_PREFIX = "item-"
"""Prefix of the form field that says what to do with a memory or document that was changed again since."""


def undo_page(request: HttpRequest) -> HttpResponse:
    """Show what undoing the changes in the query would do, or do it on POST. Without a query, ask which changes."""
    shown_at = request.POST.get(SEEN_AT) or seen_at_now()
    choice = read_choice(request.GET, seen_at(_as_query(shown_at)))
    way_back = _way_back(request)
    context = {**_filters(request), SEEN_AT: shown_at, "kept_since": kept_since()}
    if choice is None:
        return owner_page(request, "memories/undo.html", context, title=gettext("Undo"))
    actor = acting_owner(owner_id(request))
    try:
        if "in_background" in request.POST:
            return redirect("undo_job", start_undo(actor, choice.selection, choice.question).pk)
        if request.method == "POST":
            outcome = undoing.undo(actor, choice.selection, _resolutions(request.POST))
            return _report(request, actor, outcome, back=way_back["url"])
        plan = plan_of(owners_view(request), undoing.preview(actor, choice.selection))
    except LimitExceeded:
        context |= {"too_many": len(selected_ids(actor, choice.selection)), "at_once": undoing.MAX_ITEMS}
        context |= {"crumb": way_back}
        return owner_page(request, "memories/undo.html", context, title=choice.question)
    except MemoriesError as error:
        messages.error(request, str(error))
        return owner_page(request, "memories/undo.html", context, title=gettext("Undo"))
    context |= {"plan": plan, "crumb": way_back}
    return owner_page(request, "memories/undo.html", context, title=choice.question)


def _way_back(request: HttpRequest) -> dict[str, str]:
    """Return the page that the query names as the one that led here, by default the journal."""
    url = safe_path(request, _journal())
    return {"url": url, "title": gettext("Journal") if url == _journal() else gettext("Back")}


def _as_query(shown_at: str) -> QueryDict:
    query = QueryDict(mutable=True)
    query[SEEN_AT] = shown_at
    return query


def _filters(request: HttpRequest) -> dict[str, object]:
    """Return the choices of the form that asks which changes to undo."""
    named = client_names(clients_with_changes(owner_id(request)))
    names = {client: _named_changes(client, name) for client, name in named.items()}
    return {
        "apps": sorted(names.items(), key=lambda item: item[1].casefold()),
        "periods": [(key, gettext(name)) for key, (name, _) in PERIODS.items()],
        "chosen_app": request.GET.get("app", ""),
        "chosen_period": request.GET.get("period", "hour"),
    }


def _named_changes(client: str, name: str) -> str:
    """Return the name of an app; of changes that no app has made, what they are."""
    changes = {"admin": gettext("Your own changes"), "import": gettext("Imports")}
    return changes.get(client) or titled_client(client, name)


def _resolutions(sent: QueryDict) -> Mapping[int | UUID, Resolution]:
    """Return what the owner decided about memories and documents. Raises Http404 for what no page can have sent."""
    try:
        return {
            _item_id(name.removeprefix(RESOLUTION_PREFIX)): Resolution(value)
            for name, value in sent.items()
            if name.startswith(RESOLUTION_PREFIX) and isinstance(value, str)
        }
    except ValueError:
        raise Http404 from None


def _item_id(given: str) -> int | UUID:
    return UUID(given) if "-" in given else given_id(given)


def _report(request: HttpRequest, actor: Actor, outcome: UndoOutcome, *, back: str) -> HttpResponse:
    """Say what was done, with a button that takes it back, and show the page `back`."""
    documents = outcome.documents
    counts = {
        gettext_noop("%(number)s restored"): len(outcome.restored) + len(documents.restored),
        gettext_noop("%(number)s forgotten"): len(outcome.removed) + len(documents.removed),
        gettext_noop("%(number)s added"): len(outcome.kept_both),
    }
    done = [gettext(text) % {"number": number(count)} for text, count in counts.items() if count]
    if outcome.synonyms:
        done.append(gettext("tag synonyms") if done else gettext("tag synonyms restored"))
    if done:
        say(
            request,
            undone_text(outcome, ", ".join(done)),
            undo_url=undo_address(actor.change_set, back),
        )
    else:
        messages.info(request, gettext("Nothing was changed."))
    return redirect(back)


def _journal() -> str:
    return reverse("admin:memories_journalentry_changelist")
