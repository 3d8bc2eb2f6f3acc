"""Numbers of the things that await a decision of the owner."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest

from documents.admin.review_count import count_awaiting_review
from mcpapi.approvals.approval_store import pending_approvals
from memories.admin.base import owner_id, owners_view
from memories.writing.quarantine import inbox


@dataclass(frozen=True, slots=True)
class ReviewCounts:
    """Numbers of inferred memories, of calls and of documents that await a decision."""

    inferences: int
    approvals: int
    documents: int

    @property
    def total(self) -> int:
        """The sum, for the badge of the navigation."""
        return self.inferences + self.approvals + self.documents


def review_counts(request: HttpRequest) -> ReviewCounts:
    """Count what awaits a decision of the logged-in user. Three queries."""
    return ReviewCounts(
        inferences=inbox(owners_view(request)).count(),
        approvals=pending_approvals(owner_id(request)).count(),
        documents=count_awaiting_review(request),
    )
