"""Decisions that the owner has to make, each with its page."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from django.db.models import Count
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from common.pages.relative_times import number, plural
from documents.review_count import review_url
from memories.access import View
from memories.queries.clients import client_names
from memories.writing.quarantine import inbox
from ownsona_site.pages.review_counts import ReviewCounts

SHOWN_APPS = 2


@dataclass(frozen=True, slots=True)
class Decision:
    """A line of the list. `icon` is a symbol of icons.svg."""

    title: str
    detail: str
    url: str
    icon: str


def decisions_of(view: View, counts: ReviewCounts, put_off: Collection[str]) -> Iterator[Decision]:
    """Yield what awaits a decision today. `put_off`: ids of memories in the inbox for which it was postponed.

    One query if other memories are in the inbox.
    """
    if counts.approvals:
        title = plural(counts.approvals, "call needs your approval", "calls need your approval")
        detail = gettext("An app waits for your answer.")
        yield Decision(title, detail, reverse("admin:mcpapi_approval_changelist"), "shield")
    if counts.inferences:
        title = plural(counts.inferences, "new memory in your inbox", "new memories in your inbox")
        yield Decision(
            title,
            ngettext(
                "%(who_inferred)s No app uses it yet.", "%(who_inferred)s No app uses them yet.", counts.inferences
            )
            % {"who_inferred": _by_app(view, put_off)},
            reverse("inbox"),
            "review",
        )
    if counts.documents:
        title = plural(counts.documents, "document awaits your review", "documents await your review")
        yield Decision(title, gettext("No app can search them until you accept them."), review_url(), "file")
    if counts.plans:
        title = plural(counts.plans, "clean-up plan", "clean-up plans")
        yield Decision(title, gettext("Nothing changes until you apply it."), reverse("cleanup"), "merge")
    if counts.findings:
        title = plural(counts.findings, "suggestion to tidy up", "suggestions to tidy up")
        detail = gettext("Memories that may contradict each other, say the same, be past, or make no sense.")
        yield Decision(title, detail, reverse("review"), "merge")


def _by_app(view: View, put_off: Collection[str]) -> str:
    """Return a sentence about the apps that inferred the memories in the inbox, without those that were postponed."""
    waiting = inbox(view).exclude(pk__in=put_off).order_by().values("quarantined_from").annotate(count=Count("pk"))
    counted = [(str(client), count) for client, count in waiting.values_list("quarantined_from", "count")]
    rows = sorted(counted, key=lambda row: -row[1])
    names = client_names([client for client, _ in rows])
    parts = [
        ngettext("%(app)s inferred %(number)s memory", "%(app)s inferred %(number)s memories", count)
        % {"app": names[client], "number": number(count)}
        for client, count in rows[:SHOWN_APPS]
    ]
    if len(rows) > SHOWN_APPS:
        rest = number(sum(count for _, count in rows[SHOWN_APPS:]))
        return gettext("%(list)s and other apps %(number)s.") % {"list": ", ".join(parts), "number": rest}
    return f"{gettext(' and ').join(parts)}."
