"""Numbers of the things that await a decision of the owner."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db.models import CharField, Count, QuerySet, Value
from django.http import HttpRequest

from documents.review_count import keep_count
from documents.writing.review import awaiting_review
from mcpapi.approvals.approval_store import pending_approvals
from memories.access import View
from memories.cleanup.stored_findings import awaiting_decision
from memories.models import CleanupPlan
from memories.writing.quarantine import inbox
from ownsona_site.pages.review.progress import Progress


@dataclass(frozen=True, slots=True)
class ReviewCounts:
    """Numbers of inferred memories, calls, documents, clean-up plans and findings that await a decision today.

    `postponed` is the number of further ones, whose cards were put off until tomorrow. Calls are counted until they
    expire: tomorrow is too late for most of them.
    """

    inferences: int = 0
    approvals: int = 0
    documents: int = 0
    plans: int = 0
    findings: int = 0
    postponed: int = 0

    @property
    def cleanup(self) -> int:
        """The number of plans and findings on the page Clean-up."""
        return self.plans + self.findings

    @property
    def due(self) -> int:
        """The number of cards of the review for today."""
        return self.inferences + self.approvals + self.cleanup

    @property
    def cards(self) -> int:
        """The number of all cards of the review."""
        return self.due + self.postponed

    @property
    def total(self) -> int:
        """The number of things to decide today, also of documents, which the library asks about."""
        return self.due + self.documents


def review_counts(request: HttpRequest) -> ReviewCounts:
    """Count what awaits a decision of the logged-in user. One query."""
    owner_id = int(request.user.pk or 0)
    view = View.whole(owner_id)
    cards = {
        "m": ("inferences", inbox(view)),
        "a": ("approvals", pending_approvals(owner_id)),
        "p": ("plans", CleanupPlan.objects.filter(owner_id=view.owner_id, closed_at=None)),
        "f": ("findings", awaiting_decision(view)),
    }
    counted = [_counted("documents", awaiting_review(view))]
    progress = Progress(request)
    for kind, (name, rows) in cards.items():
        ids = [] if kind == "a" else progress.put_off_ids(kind)
        counted.append(_counted(name, rows.exclude(pk__in=ids)))
        if ids:
            counted.append(_counted("postponed", rows.filter(pk__in=ids)))
    documents, *others = counted
    numbers = Counter[str]()
    for name, count in documents.union(*others, all=True):
        numbers[name] += count
    counts = ReviewCounts(**numbers)
    keep_count(request, counts.documents)
    return counts


def _counted(name: str, rows: QuerySet[Any]) -> QuerySet[Any, Any]:
    """Return a query for the number of rows under a name; no row for none."""
    named = rows.order_by().annotate(counted_as=Value(name, output_field=CharField())).values("counted_as")
    counted: QuerySet[Any, Any] = named.annotate(number=Count("pk")).values_list("counted_as", "number")
    return counted
