"""The owner's page of risky calls: the pending ones, and the outcomes of the others."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import BadRequest
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from common.pages.list_rows import Flag, ListWords, Row, in_a_line
from common.pages.relative_times import exact_time, relative_time
from common.pages.translated import translated
from common.risks import Risk
from documents.models import Document
from mcpapi.approvals.approval_store import (
    KEPT_DAYS,
    approve,
    is_about,
    minutes_to_use,
    pending_approvals,
    reject,
)
from mcpapi.models import Approval
from memories.access import Actor
from memories.admin.base import ReadOnlyOwnedAdmin, acting_owner, owner_id
from memories.models import Memory
from memories.queries.selectors import changeable_memories_with_ids

SURE = "sure"
"""The name in a query of Review that asks for the second step of an approval."""

SHOWN_WAITING = 20
SHOWN_MEMORIES = 10
"""The number of a call's memories that are shown before the others are unfolded."""

_State = Approval.State
EXPIRED = gettext_lazy("This call has expired, and nothing was done. The app must ask again.")


@dataclass(frozen=True, slots=True)
class PendingApproval:
    """A call to decide about, and the current state of its memories (the first ones, and the others) and documents.

    `is_outdated`: these have changed since the app asked, so that an approval would not let the call through.
    """

    approval: Approval
    first: list[Memory]
    others: list[Memory]
    documents: list[Document]
    is_outdated: bool

    @property
    def is_final(self) -> bool:
        """Whether the owner cannot undo what the call does, so that approving it takes two steps."""
        return Risk(self.approval.risk).is_final

    @property
    def is_deletion(self) -> bool:
        """Whether the call deletes permanently."""
        return self.approval.risk == Risk.HARD_DELETE

    @property
    def asked(self) -> str:
        """The time of the request, relative to now."""
        return relative_time(self.approval.asked_at)


@admin.register(Approval)
class ApprovalAdmin(ReadOnlyOwnedAdmin):
    """The page of approvals: pending ones above the list, with a button for each decision, all others in it."""

    # Where there is nothing, the text above the list says all there is to say.
    list_words = ListWords("")
    ordering = ("-asked_at",)
    fields = ("app", "when", "outcome", "decided")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Approval]:
        own: QuerySet[Approval] = super().get_queryset(request)
        return own.exclude(pk__in=pending_approvals(owner_id(request)))

    def get_urls(self) -> list[URLPattern]:
        """Add the URL of the buttons to Django's."""
        decide = path("<uuid:pk>/decide/", self.admin_site.admin_view(self.decide_view), name="mcpapi_approval_decide")
        return [decide, *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list, and the pending approvals, oldest first."""
        # One more than is shown, to know whether there are more.
        asked = pending_approvals(owner_id(request)).order_by("asked_at")[: SHOWN_WAITING + 1]
        waiting = with_memories(request, asked)
        shown = {
            "waiting": waiting[:SHOWN_WAITING],
            "more_wait": len(waiting) > SHOWN_WAITING,
            "kept_days": KEPT_DAYS,
            **(extra_context or {}),
        }
        return super().changelist_view(request, shown)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], **options: Any) -> HttpResponse:
        """Return the page of a past approval, with what the call was about, as it is now. Two queries."""
        past = Approval.objects.filter(pk=options["obj"].pk)
        context["item"] = next(iter(with_memories(request, past)), None)
        return super().render_change_form(request, context, **options)

    @method_decorator(require_POST)
    def decide_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Apply the clicked decision. Of several concurrent decisions, here or in the app, one counts."""
        approval = get_object_or_404(Approval, pk=pk, owner_id=owner_id(request))
        match request.POST.get("decision"):
            case "approve" if has_expired(approval):
                messages.error(request, EXPIRED)
                return redirect("admin:mcpapi_approval_changelist")
            case "approve" if is_outdated(request, approval):
                messages.error(request, _("What it affects changed after the app asked. The app must ask again."))
                return redirect("admin:mcpapi_approval_changelist")
            case "approve" if Risk(approval.risk).is_final:
                return redirect(second_step_address(approval))
            case "approve":
                is_decided, said = approve(approval, Approval.Place.PAGE), what_comes_now(approval)
            case "reject":
                is_decided, said = reject(approval, Approval.Place.PAGE), _("Rejected. Nothing is changed.")
            case _:
                raise BadRequest("decision: must be approve or reject.")
        if is_decided:
            messages.success(request, said)
        else:
            messages.error(request, _("This call is no longer pending: it was already decided, or it has expired."))
        return redirect("admin:mcpapi_approval_changelist")

    def row(self, obj: Approval) -> Row:
        outcome, is_open = self.outcome(obj), obj.state == _State.ASKED
        decided = [in_a_line(outcome), self.place(obj)] if obj.decided_at else [in_a_line(outcome)]
        said = [obj.client_name, *([] if is_open else decided)]
        flags = [Flag(in_a_line(outcome), "warn")] if is_open else []
        return Row(
            translated(obj.summary), said=said, at=obj.decided_at or obj.asked_at, flags=flags, app=obj.client_name
        )

    def place(self, approval: Approval) -> str:
        """Return where the owner decided."""
        return str(approval.get_decided_in_display())

    @admin.display(description=gettext_lazy("asked"))
    def when(self, approval: Approval) -> str:
        return exact_time(approval.asked_at)

    @admin.display(description=gettext_lazy("app"))
    def app(self, approval: Approval) -> str:
        """Return the app's name at the time of the request."""
        return approval.client_name

    @admin.display(description=gettext_lazy("result"))
    def outcome(self, approval: Approval) -> str:
        is_over = approval.expires_at <= timezone.now()
        match approval.state:
            case _State.ASKED:
                return _("Not decided")
            case _State.APPROVED if is_over:
                return _("Approved, never carried out")
        return str(_State(approval.state).label)

    @admin.display(description=gettext_lazy("decided"))
    def decided(self, approval: Approval) -> str:
        if approval.decided_at is None:
            return ""
        return f"{exact_time(approval.decided_at)}, {self.place(approval)}"


def second_step_address(approval: Approval) -> str:
    """Return the address of the page that asks again before a call is approved whose effect cannot be undone."""
    return f"{reverse('review')}?{urlencode({'show': f'a{approval.pk}', SURE: '1'})}"


def what_comes_now(approval: Approval) -> str:
    """Return what happens after the approval, for the owner."""
    # Another process may hold the app's open call, and that is not recorded anywhere.
    minutes = minutes_to_use()
    said = ngettext(
        "Approved. It is carried out now if {app} is still waiting for it, otherwise when it calls again within "
        "{minutes} minute.",
        "Approved. It is carried out now if {app} is still waiting for it, otherwise when it calls again within "
        "{minutes} minutes.",
        minutes,
    )
    return said.format(app=approval.client_name, minutes=minutes)


def has_expired(approval: Approval) -> bool:
    """Return whether nobody has decided about the call in time."""
    return approval.state == Approval.State.ASKED and approval.expires_at <= timezone.now()


def is_outdated(request: HttpRequest, approval: Approval) -> bool:
    """Return whether what the call affects has changed since the app asked."""
    asked = pending_approvals(owner_id(request)).filter(pk=approval.pk)
    return any(undecided.is_outdated for undecided in with_memories(request, asked))


def with_memories(request: HttpRequest, asked: QuerySet[Approval]) -> list[PendingApproval]:
    """Return the approvals with their memories and documents, in three queries in all."""
    approvals = list(asked)
    concerned = {memory_id for approval in approvals for memory_id in approval.memory_ids}
    owner = acting_owner(owner_id(request))
    found = {memory.pk: memory for memory in changeable_memories_with_ids(owner, concerned)} if concerned else {}
    documents = _documents(owner, {each for approval in approvals for each in approval.document_ids})
    undecided = []
    for approval in approvals:
        memories = [found[pk] for pk in approval.memory_ids if pk in found]
        affected = [documents[pk] for pk in approval.document_ids if pk in documents]
        is_outdated = not is_about(approval, memories, affected)
        first, others = memories[:SHOWN_MEMORIES], memories[SHOWN_MEMORIES:]
        undecided.append(PendingApproval(approval, first, others, affected, is_outdated))
    return undecided


def _documents(owner: Actor, ids: Collection[UUID]) -> Mapping[UUID, Document]:
    if not ids:
        return {}
    found = Document.objects.changeable_by(owner).filter(pk__in=ids).defer("metadata")
    return {document.pk: document for document in found}
