"""Number of documents that await the owner's review, for the menu and the pages that link to them."""

from __future__ import annotations

from django.http import HttpRequest
from django.urls import reverse

from common.pages.relative_times import plural
from documents.writing.review import awaiting_review
from memories.access import View

_CACHED = "_documents_awaiting_review"


def count_awaiting_review(request: HttpRequest) -> int:
    """Return the number of documents that await the review of the logged-in user. One query per request."""
    if not hasattr(request, _CACHED):
        setattr(request, _CACHED, awaiting_review(View.whole(int(request.user.pk or 0))).count())
    count: int = getattr(request, _CACHED)
    return count


def keep_count(request: HttpRequest, count: int) -> None:
    """Keep the number for `count_awaiting_review`, because another query of this request has counted it."""
    setattr(request, _CACHED, count)


def review_text(count: int) -> str:
    """Return a sentence about the number of documents that await review."""
    return plural(count, "document awaits your review", "documents await your review")


def review_url() -> str:
    """Return the address of the list of documents that await review."""
    return f"{reverse('admin:documents_document_changelist')}?state=review"
