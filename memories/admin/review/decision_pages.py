"""Confirmation pages for the owner's decisions about memories: with a reason, or for what was inferred."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext

from common.pages.owner_pages import owner_page, say
from memories.access import Actor
from memories.admin.base import OwnedAdmin, acting_owner, owner_id
from memories.admin.errors import add_domain_error
from memories.admin.page_timestamps import SEEN_AT, seen_at, seen_at_now
from memories.admin.review.decisions import DECISIONS, Decision, DecisionDetails, ReasonForm, decide
from memories.admin.seen_texts import seen_id, seen_texts
from memories.admin.seen_values import SEEN
from memories.admin.undo.now import undo_address
from memories.errors import MemoriesError
from memories.models import Memory


class DecisionAdmin(OwnedAdmin):
    """An admin with a confirmation page for each decision."""

    actions = None

    def get_urls(self) -> list[URLPattern]:
        """Return Django's URLs and a page for each decision."""
        pages = [
            path(
                f"{decision.name}/",
                self.admin_site.admin_view(partial(self.decide_view, decision)),
                name=f"memories_memory_{decision.name}",
            )
            for decision in DECISIONS
        ]
        return [*pages, *super().get_urls()]

    def decide_view(self, decision: Decision, request: HttpRequest) -> HttpResponse:
        """Ask for confirmation of `decision` for the memories in the query's `ids`. On POST, carry it out."""
        shown_at = seen_at_now() if decision.apply_to_many else None
        memories = self._named_in(request)
        form = ReasonForm(request.POST if request.method == "POST" else None)
        if form.is_valid():
            details = DecisionDetails(
                form.cleaned_data["reason"],
                seen_at(request.POST) if decision.apply_to_many else None,
                seen_texts(request.POST.getlist(SEEN)),
            )
            try:
                actor = acting_owner(owner_id(request))
                errors = decide(actor, decision, [memory.pk for memory in memories], details)
            except MemoriesError as error:
                add_domain_error(form, error)
            else:
                return self._decided(request, decision, memories, errors, actor)
        context = {
            "crumb": {
                "url": _return_url(decision),
                "title": gettext("Inbox") if decision.apply_to_many else gettext("Memories"),
            },
            "decision": decision,
            "explanation": decision.explained(len(memories)),
            "memories": memories,
            SEEN_AT: request.POST.get(SEEN_AT, shown_at),
            "seen_ids": request.POST.getlist(SEEN) or [seen_id(memory) for memory in memories],
            "way_back": _return_url(decision),
            "form": form if decision.asks_why else None,
        }
        title = decision.asked(len(memories))
        return owner_page(request, "memories/decide.html", context, title=title)

    def _named_in(self, request: HttpRequest) -> list[Memory]:
        ids = request.GET.get("ids", "").split(",")
        if len(ids) > self.list_per_page or not all(part.isascii() and part.isdigit() for part in ids):
            raise Http404
        memories = list(self.get_queryset(request).filter(pk__in=set(map(int, ids))))
        if len(memories) != len(set(ids)):
            raise Http404
        return memories

    def _decided(
        self,
        request: HttpRequest,
        decision: Decision,
        memories: list[Memory],
        errors: list[MemoriesError],
        actor: Actor,
    ) -> HttpResponse:
        """Say what was done, with *Undo*, and what was refused. Return to the list, or to the page of the memory."""
        back = _return_url(decision)
        if len(memories) == 1 and not decision.apply_to_many:
            back = reverse("admin:memories_memory_change", args=[memories[0].pk])
        for error in errors:
            messages.error(request, str(error))
        if done := len(memories) - len(errors):
            say(request, decision.reported(done), undo_url=undo_address(actor.change_set, back))
        return redirect(back)


def _return_url(decision: Decision) -> str:
    return reverse("inbox" if decision.apply_to_many else "admin:memories_memory_changelist")
