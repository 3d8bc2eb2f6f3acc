"""Links from the inbox to other pages with something that awaits the owner's review."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest

from common.provided import Provided


@dataclass(frozen=True, slots=True)
class ReviewLink:
    """A link with its text, which has the number of things that await review."""

    text: str
    url: str


review_links: Provided[[HttpRequest], Sequence[ReviewLink]] = Provided(
    "links to what awaits the review of the logged-in user and is no memory"
)
