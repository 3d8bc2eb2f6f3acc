"""Inbox of memories that apps inferred and that await the owner's decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.db.models import Count, F
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from common.pages.owner_pages import owner_page, say
from common.pages.relative_times import number
from memories.access import View
from memories.admin.base import acting_owner, given_id, owner_id, owners_view
from memories.admin.errors import add_domain_error
from memories.admin.history import client_label, client_name
from memories.admin.page_timestamps import SEEN_AT, seen_at, seen_at_now
from memories.admin.review.decisions import ACCEPT, REJECT, Decision, DecisionDetails, ReasonForm
from memories.admin.review.review_links import review_links
from memories.admin.undo.now import undo_address
from memories.errors import MemoriesError
from memories.models import Memory, MemoryQuerySet
from memories.vectors.neighbours import Neighbours
from memories.writing.quarantine import decide_all_from, inbox, neighbours_of, rejected_among

PAGE_SIZE = 20
SAMPLE_SIZE = 10
"""Number of texts shown on the confirmation page for all memories from an app."""

CHOSEN = "chosen"


@dataclass(frozen=True, slots=True)
class Inference:
    """A quarantined memory, the name of the app that inferred it, and its near-duplicates."""

    memory: Memory
    app: str
    neighbours: Neighbours


@dataclass(frozen=True, slots=True)
class App:
    """An app and its number of memories in the inbox."""

    client: str
    name: str
    count: int


def inbox_page(request: HttpRequest) -> HttpResponse:
    """Show the inbox, newest first, or decide on POST. `app` and `before` (an id) in the query filter the list."""
    if request.method == "POST":
        return _decide(request)
    shown_at = seen_at_now()
    view, client = owners_view(request), request.GET.get("app", "")
    apps = _apps(view)
    found = inbox(view).annotate(client=F("quarantined_from")).annotate(client_name=client_name())
    if client:
        found = found.filter(quarantined_from=client)
    if before := request.GET.get("before"):
        found = found.filter(pk__lt=given_id(before))
    page = list(found[: PAGE_SIZE + 1])
    shown = page[:PAGE_SIZE]
    inferences = _inferences(view, shown)
    context = {
        "inferences": inferences,
        "rejected": rejected_among(
            view, [known.pk for inference in inferences for known, _ in inference.neighbours.forgotten]
        ),
        "review_links": review_links(request),
        "apps": apps,
        "chosen_app": next((app for app in apps if app.client == client), None),
        SEEN_AT: shown_at,
        "newest_id": page[0].pk if page else 0,
        "older": _query(app=client, before=shown[-1].pk) if len(page) > len(shown) else "",
    }
    return owner_page(request, "memories/inbox.html", context, title=gettext("Inbox"))


def _decide(request: HttpRequest) -> HttpResponse:
    """Accept the chosen memories at once. For a rejection, redirect to the page that asks for a reason."""
    decision = REJECT if REJECT.name in request.POST else ACCEPT
    meant = request.POST.get(decision.name, "")
    ids = [given_id(value) for value in (request.POST.getlist("ids") if meant == CHOSEN else [meant])]
    if not ids:
        messages.warning(request, gettext("Select at least one memory."))
    elif decision is REJECT:
        page = reverse("admin:memories_memory_reject")
        return redirect(f"{page}?ids={','.join(map(str, ids))}")
    else:
        _carry_out(request, decision, ids)
    return redirect(request.get_full_path())


def decide_all_page(decision: Decision, request: HttpRequest) -> HttpResponse:
    """Ask for confirmation of `decision` for all from `app` up to the memory `up_to`. On POST, carry it out."""
    client, up_to_id, shown_at = (
        request.GET.get("app", ""),
        given_id(request.GET.get("up_to", "")),
        seen_at(request.GET),
    )
    meant = inbox(owners_view(request)).filter(quarantined_from=client, pk__lte=up_to_id)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and decision.apply_to_many:
        actor = acting_owner(owner_id(request))
        apply, details = decision.apply_to_many, DecisionDetails(form.cleaned_data["reason"], shown_at)
        try:
            done = decide_all_from(actor, client, up_to_id, lambda actor, ids: apply(actor, ids, details))
        except MemoriesError as error:
            add_domain_error(form, error)
        else:
            _report(request, decision.reported(done), done, meant, undo_address(actor.change_set, reverse("inbox")))
            return redirect("inbox")
    count, sample = meant.count(), list(meant[:SAMPLE_SIZE])
    context = {
        "crumb": {"url": reverse("inbox"), "title": gettext("Inbox")},
        "decision": decision,
        "explanation": decision.explained(count),
        "memories": sample,
        "more": count - len(sample),
        "way_back": reverse("inbox"),
        "form": form if decision.asks_why else None,
    }
    return owner_page(request, "memories/decide.html", context, title=decision.asked(count))


def _carry_out(request: HttpRequest, decision: Decision, memory_ids: Sequence[int]) -> None:
    assert decision.apply_to_many is not None
    try:
        actor, details = acting_owner(owner_id(request)), DecisionDetails(seen_at=seen_at(request.POST))
        done = decision.apply_to_many(actor, memory_ids, details)
    except MemoriesError as error:
        messages.error(request, str(error))
    else:
        left = inbox(owners_view(request)).filter(pk__in=memory_ids)
        undo_url = undo_address(actor.change_set, request.get_full_path())
        _report(request, decision.reported(done), done, left, undo_url)


def _report(request: HttpRequest, said: str, done: int, left: MemoryQuerySet, undo_url: str) -> None:
    """Say what was done, with *Undo*, and how many memories are left because they changed after the page was shown."""
    changed = left.count()
    if done or not changed:
        say(request, said, undo_url=undo_url if done else "")
    if changed:
        text = ngettext(
            "Changed in the meantime, review again: one memory.",
            "Changed in the meantime, review again: %(number)s memories.",
            changed,
        )
        messages.warning(request, text % {"number": number(changed)})


def _apps(view: View) -> list[App]:
    """Return the apps with memories in the inbox, those with the most first."""
    counts = inbox(view).order_by().values(client=F("quarantined_from")).annotate(count=Count("pk"))
    rows = counts.annotate(client_name=client_name()).order_by("-count", "client")
    return [App(row["client"], client_label(row["client"], row["client_name"]), row["count"]) for row in rows]


def _inferences(view: View, memories: Sequence[Memory]) -> list[Inference]:
    neighbours = neighbours_of(view, memories)
    return [
        Inference(
            memory,
            client_label(memory.client, memory.client_name),  # type: ignore[attr-defined]  # annotated
            neighbours.get(memory.pk, Neighbours()),
        )
        for memory in memories
    ]


def _query(**values: object) -> str:
    query = QueryDict(mutable=True)
    query.update({name: str(value) for name, value in values.items() if value})
    return f"?{query.urlencode()}"
