"""Numbers of the things that await a decision of the owner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import CharField, Count, QuerySet, Value
from django.http import HttpRequest

from documents.review_count import keep_count
from documents.writing.review import awaiting_review
from mcpapi.approvals.approval_store import pending_approvals
from memories.access import View
from memories.models import CleanupPlan
from memories.writing.quarantine import inbox


@dataclass(frozen=True, slots=True)
class ReviewCounts:
    """Numbers of inferred memories, calls, documents and clean-up plans that await a decision."""

    inferences: int = 0
    approvals: int = 0
    documents: int = 0
    plans: int = 0

    @property
    def total(self) -> int:
        """The sum, for the badge of the navigation."""
        return self.inferences + self.approvals + self.documents + self.plans


def review_counts(request: HttpRequest) -> ReviewCounts:
    """Count what awaits a decision of the logged-in user. One query."""
    owner_id = int(request.user.pk or 0)
    view = View.whole(owner_id)
    inferences, *others = (
        _counted("inferences", inbox(view)),
        _counted("approvals", pending_approvals(owner_id)),
        _counted("documents", awaiting_review(view)),
        _counted("plans", CleanupPlan.objects.filter(owner_id=view.owner_id, closed_at=None)),
    )
    counts = ReviewCounts(**dict(inferences.union(*others, all=True)))
    keep_count(request, counts.documents)
    return counts


def _counted(name: str, rows: QuerySet[Any]) -> QuerySet[Any, Any]:
    """Return a query for the number of rows under a name; no row for none."""
    named = rows.order_by().annotate(kind=Value(name, output_field=CharField())).values("kind")
    counted: QuerySet[Any, Any] = named.annotate(number=Count("pk")).values_list("kind", "number")
    return counted
