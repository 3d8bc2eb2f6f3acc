"""The part of the page Clean-up that shows findings: searching, dismissing, and making plans of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.text import Truncator
from django.utils.translation import gettext, gettext_noop

from common.pages.owner_pages import say
from common.pages.relative_times import number
from memories.access import Actor
from memories.admin.base import given_id
from memories.admin.cleanup.reopening import findings_address
from memories.cleanup.detection.found import FindingKind
from memories.cleanup.search import search_soon
from memories.cleanup.stored_findings import (
    REVIEWED_KINDS,
    StoredFinding,
    count_findings,
    dismiss_findings,
    open_findings,
    plan_findings,
)
from memories.models import CleanupSearch, Memory

SHOWN = 10
"""Number of findings of each kind on the page, the surest first."""

QUOTED_CHARS = 80
"""Characters of a memory that a reason quotes."""

SEARCH_LIMIT = timedelta(minutes=30)
"""Time after which a search without a result counts as interrupted."""

SEARCH, _PLAN, _DISMISS = "find", "plan", "dismiss"
FINDINGS = frozenset({SEARCH, _PLAN, _DISMISS})
"""The decisions about findings."""

HEADINGS = {
    FindingKind.DUPLICATES: gettext_noop("May say the same"),
    FindingKind.CONTRADICTION: gettext_noop("May contradict each other"),
    FindingKind.PAST: gettext_noop("Over"),
    FindingKind.FRAGMENT: gettext_noop("Make no sense on their own"),
    FindingKind.UNUSED: gettext_noop("Not needed for a year"),
    FindingKind.SAME_TAGS: gettext_noop("Tags that may mean the same"),
    FindingKind.TAG_SUGGESTION: gettext_noop("Could have a tag"),
}


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """A finding with its reason in the words of the pages."""

    id: int
    memories: Sequence[Memory]
    reason: str
    details: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Group:
    """The findings of one kind that are shown, and how many there are.

    `is_reviewed`: the review asks about them, and the number of the tab counts them.
    """

    kind: str
    heading: str
    findings: Sequence[ShownFinding]
    count: int
    is_reviewed: bool


def shown_findings(actor: Actor) -> dict[str, Any]:
    """Return what the page shows: the findings by kind, and when the last search was."""
    last = CleanupSearch.objects.filter(owner_id=actor.owner_id).first()
    is_searching = last is not None and last.finished_at is None and last.started_at > timezone.now() - SEARCH_LIMIT
    counts = count_findings(actor)
    groups = [
        Group(kind.value, HEADINGS[kind], [_shown(each) for each in shown], counts[kind], kind in REVIEWED_KINDS)
        for kind in FindingKind
        if counts[kind] and (shown := open_findings(actor, kind, SHOWN))
    ]
    return {"groups": groups, "is_searching": is_searching, "searched_at": last and last.finished_at}


def _shown(finding: StoredFinding) -> ShownFinding:
    return ShownFinding(finding.id, finding.memories, reason_of(finding), finding.details)


def reason_of(finding: StoredFinding) -> str:
    """Return the reason of a finding for its owner: with days in the owner's time zone, and with quotes."""
    memory = finding.memories[0] if finding.memories else None
    match finding.kind:
        case FindingKind.PAST if memory and memory.valid_until:
            return gettext("The time for which it holds ended on %(day)s.") % {"day": _day(memory.valid_until)}
        case FindingKind.UNUSED if memory:
            text = gettext("It was not recalled for a year, and last confirmed on %(day)s.")
            return text % {"day": _day(memory.last_confirmed_at)}
        case FindingKind.CONTRADICTION | FindingKind.DUPLICATES:
            kept = next((each for each in finding.memories if each.pk == finding.details.get("kept_id")), None)
            if kept:
                values = {"memory": Truncator(kept.text).chars(QUOTED_CHARS), "day": _day(kept.last_confirmed_at)}
                return gettext("“%(memory)s” was confirmed last, on %(day)s.") % values
    return finding.reason


def _day(moment: datetime) -> str:
    return date_format(timezone.localtime(moment))


def decide_about_findings(request: HttpRequest, actor: Actor, decision: str) -> None:
    """Carry out the decision of the form. Raises MemoriesError, and Http404 for a form that no page can have sent."""
    if decision == SEARCH:
        search_soon(actor.owner_id)
        messages.success(request, gettext("The search has begun. This page shows what it finds."))
        return
    finding_ids = [given_id(value) for value in request.POST.getlist("findings")]
    if not finding_ids:
        messages.warning(request, gettext("Select at least one finding."))
    elif decision == _DISMISS:
        dismissed = dismiss_findings(actor, finding_ids)
        said = gettext("%(number)s dismissed.") % {"number": number(len(dismissed))}
        say(request, said, undo_url=findings_address(dismissed, reverse("cleanup")) if dismissed else "")
    else:
        plan_findings(actor, finding_ids)
        messages.success(request, gettext("A plan was created. Review it on this page."))
