"""The cards of the review: calls that need approval, inferred memories, plans and findings, in this order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import F
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from common.pages.list_rows import Flag
from common.pages.translated import translated
from mcpapi.admin.approvals import PendingApproval, with_memories
from mcpapi.approvals.approval_store import pending_approvals
from memories.admin.base import ADMIN_CLIENT, acting_owner, owner_id, owners_view
from memories.admin.cleanup.findings import HEADINGS, reason_of
from memories.admin.cleanup.page import Plan, described_plans
from memories.admin.history import client_label, client_name
from memories.admin.memory_list.merging import merge_address
from memories.admin.rows import MemoryRow, memory_row
from memories.admin.sources import with_source
from memories.cleanup import plans
from memories.cleanup.detection.found import FindingKind
from memories.cleanup.stored_findings import REVIEWED_KINDS, StoredFinding, first_findings
from memories.models import CleanupPlan, Memory
from memories.vectors.neighbours import Neighbours
from memories.writing.quarantine import inbox, neighbours_of, rejected_among
from ownsona_site.pages.review.stops import Stop, stops_of

AHEAD = 30
"""Number of things of each kind that are read, to find the next one that was not put off."""

NEXT = 5
"""Number of things that the page lists as the next ones."""

_KINDS = {**HEADINGS, FindingKind.FRAGMENT: gettext_noop("Makes no sense on its own")}
"""The kinds of findings, in the words of a card."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something that awaits a decision. `key` names it in forms.

    `thing` is a memory, an approval, a plan or a finding.
    """

    key: str
    kind: str
    app: str
    text: str
    at: datetime
    thing: Any


@dataclass(frozen=True, slots=True)
class Inference:
    """An inferred memory with what the owner knows already, and whether a similar one was rejected.

    `stops` are what the app can be stopped from storing.
    """

    row: MemoryRow
    client: str
    known: Sequence[MemoryRow]
    forgotten: Memory | None
    was_rejected: bool
    stops: Sequence[Stop]

    @property
    def is_any_stopped(self) -> bool:
        """Whether the app cannot store some inferences any more."""
        return any(stop.is_stopped for stop in self.stops)


@dataclass(frozen=True, slots=True)
class FindingCard:
    """A finding of a search, with its memories. The one that was confirmed last comes first.

    `newer` is the id of the first memory, None if they do not belong together. `older` is that of the only other one.
    `merge_url` is the page on which the owner writes one text for all. `is_certain`: the decision to keep the first is
    the usual one. Of two that contradict each other, either may be right, and each may say more than the other.
    """

    reason: str
    rows: Sequence[MemoryRow]
    newer: int | None
    older: int | None
    merge_url: str
    is_certain: bool


def waiting(request: HttpRequest) -> list[Waiting]:
    """Return what awaits a decision, the first AHEAD of each kind. At most seven queries."""
    view, actor = owners_view(request), acting_owner(owner_id(request))
    approvals = [
        Waiting(
            f"a{each.pk}", gettext_noop("Approval"), each.client_name, translated(each.summary), each.asked_at, each
        )
        for each in pending_approvals(owner_id(request)).order_by("asked_at")[:AHEAD]
    ]
    inferred = inbox(view).annotate(client=F("quarantined_from")).annotate(client_name=client_name())[:AHEAD]
    memories = [
        Waiting(f"m{each.pk}", gettext_noop("Inbox"), _app_of(each), each.text, each.created_at, each)
        for each in inferred
    ]
    found = list(plans.open_plans(actor)[:AHEAD])
    shown = [
        Waiting(f"p{plan.pk}", gettext_noop("Plan"), "", _reason_of(plan), plan.created_at, plan) for plan in found
    ]
    return [*approvals, *memories, *shown, *map(_waiting_finding, first_findings(actor, REVIEWED_KINDS, AHEAD))]


def _reason_of(plan: CleanupPlan) -> str:
    """Return the reason of a plan: of one of the owner in the language of the page, of an app in its own words."""
    reason = translated(plan.reason) if plan.client == ADMIN_CLIENT else plan.reason
    return reason or gettext("A plan to tidy up")


def _waiting_finding(finding: StoredFinding) -> Waiting:
    newest = max(memory.updated_at for memory in finding.memories)
    return Waiting(f"f{finding.id}", _KINDS[finding.kind], "", finding.memories[0].text, newest, finding)


def _app_of(memory: Any) -> str:
    """Return the name of the app that inferred a memory, which is annotated with `client` and `client_name`."""
    return client_label(memory.client, memory.client_name)


def approval_card(request: HttpRequest, item: Waiting) -> PendingApproval | None:
    """Return the call with its memories; None if it was decided meanwhile. Three queries."""
    return next(iter(with_memories(request, pending_approvals(owner_id(request)).filter(pk=item.thing.pk))), None)


def inference_card(request: HttpRequest, item: Waiting) -> Inference:
    """Return the memory with what is known already, and what its app can be stopped from. At most five queries."""
    view, memory = owners_view(request), item.thing
    neighbours = neighbours_of(view, [memory]).get(memory.pk, Neighbours())
    forgotten = next((known for known, _ in neighbours.forgotten), None)
    return Inference(
        memory_row(memory),
        memory.quarantined_from,
        [memory_row(known) for known, _ in neighbours.active[:2]],
        forgotten,
        bool(forgotten and rejected_among(view, [forgotten.pk])),
        stops_of(request, memory),
    )


def finding_card(request: HttpRequest, item: Waiting) -> FindingCard:
    """Return the memories of a finding with their sources. One query."""
    finding: StoredFinding = item.thing
    ids = [memory.pk for memory in finding.memories]
    memories = with_source(Memory.objects.visible_to(owners_view(request))).in_bulk(ids)
    newer = finding.details.get("kept_id")
    others = [memory_id for memory_id in ids if memory_id != newer]
    in_order = sorted(ids, key=lambda memory_id: memory_id != newer)
    rows = [memory_row(memories[memory_id]) for memory_id in in_order if memory_id in memories]
    latest = Flag(gettext("confirmed last"))
    return FindingCard(
        reason_of(finding),
        [replace(row, flags=(latest, *row.flags)) if row.id == newer else row for row in rows],
        newer if isinstance(newer, int) else None,
        others[0] if newer and len(others) == 1 else None,
        merge_address(ids, reverse("review")),
        is_certain=finding.kind != FindingKind.CONTRADICTION,
    )


def plan_card(request: HttpRequest, item: Waiting) -> Plan:
    """Return the plan with its lines. Four queries."""
    (plan,) = described_plans(request, acting_owner(owner_id(request)), [item.thing])
    return plan
