"""The owner's page on risky calls: those that wait for a word, and what became of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import BadRequest
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.formats import date_format
from django.views.decorators.http import require_POST
from unfold.decorators import display

from mcpapi.approvals.queue import approve, reject, waiting_for
from mcpapi.models import Approval
from memories.admin.owned import ReadOnlyOwnedAdmin, owner_id, owners_view
from memories.models import Memory
from memories.selectors import memories_among

SHOWN_WAITING = 100
SHOWN_MEMORIES = 10

_State = Approval.State
_COLOURS = {"Carried out": "success", "Approved": "info", "Rejected": "danger"}


@dataclass(frozen=True, slots=True)
class Waiting:
    """A call to decide about, with the first of the memories that it concerns as they are now, and how many more."""

    approval: Approval
    memories: list[Memory]
    more: int


@admin.register(Approval)
class ApprovalAdmin(ReadOnlyOwnedAdmin):
    """What waits stands above the list, with a button for each answer; the list has all else."""

    list_before_template = "mcpapi/waiting_approvals.html"
    list_display = ("when", "app", "what", "outcome", "decided")
    list_display_links = None
    ordering = ("-asked_at",)
    sortable_by = ()
    fields = list_display
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Approval]:
        own: QuerySet[Approval] = super().get_queryset(request)
        return own.exclude(pk__in=waiting_for(owner_id(request)))

    def get_urls(self) -> list[URLPattern]:
        """Django's, and where the buttons lead."""
        decide = path("<uuid:pk>/decide/", self.admin_site.admin_view(self.decide_view), name="mcpapi_approval_decide")
        return [decide, *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The list, and what waits, oldest first."""
        shown = {"waiting": _waiting(request), **(extra_context or {})}
        return super().changelist_view(request, shown)  # type: ignore[no-any-return]

    @method_decorator(require_POST)
    def decide_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Carry out what was clicked. Of several clicks at once, here or in the app, one counts."""
        approval = get_object_or_404(Approval, pk=pk, owner_id=owner_id(request))
        match request.POST.get("decision"):
            case "approve":
                is_decided, said = approve(approval, Approval.Place.PAGE), "Approved. It is carried out once."
            case "reject":
                is_decided, said = reject(approval, Approval.Place.PAGE), "Rejected. Nothing is changed."
            case _:
                raise BadRequest("decision must be approve or reject.")
        if is_decided:
            messages.success(request, said)
        else:
            messages.error(request, "It does not wait any more: it was decided already, or its time is over.")
        return redirect("admin:mcpapi_approval_changelist")

    @admin.display(description="asked")
    def when(self, approval: Approval) -> str:
        return date_format(approval.asked_at, "DATETIME_FORMAT")

    @admin.display(description="app")
    def app(self, approval: Approval) -> str:
        """Its name as it was then."""
        return approval.client_name

    @admin.display(description="what")
    def what(self, approval: Approval) -> str:
        return approval.summary

    @display(description="result", label=_COLOURS)  # type: ignore[untyped-decorator]  # the library has no types
    def outcome(self, approval: Approval) -> str:
        is_over = approval.expires_at <= timezone.now()
        match approval.state:
            case _State.ASKED:
                return "Not decided"
            case _State.APPROVED if is_over:
                return "Approved, never carried out"
        return _State(approval.state).label

    @admin.display(description="decided", empty_value="—")
    def decided(self, approval: Approval) -> str | None:
        if approval.decided_at is None:
            return None
        return f"{date_format(approval.decided_at, 'DATETIME_FORMAT')}, {approval.get_decided_in_display()}"


def _waiting(request: HttpRequest) -> list[Waiting]:
    """Two queries, however many wait."""
    approvals = list(waiting_for(owner_id(request)).order_by("asked_at")[:SHOWN_WAITING])
    shown = {memory_id for approval in approvals for memory_id in approval.memory_ids[:SHOWN_MEMORIES]}
    memories = {memory.pk: memory for memory in memories_among(owners_view(request), shown)} if shown else {}
    return [
        Waiting(
            approval,
            [memories[pk] for pk in approval.memory_ids[:SHOWN_MEMORIES] if pk in memories],
            max(len(approval.memory_ids) - SHOWN_MEMORIES, 0),
        )
        for approval in approvals
    ]
