"""The page with the open plans, and what the owner decides about their lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext, gettext_noop, ngettext

from common.pages.owner_pages import owner_page, say
from common.pages.relative_times import day_or_time, number
from common.pages.translated import translated
from common.texts import ngettext_noop
from memories.access import Actor
from memories.admin.base import ADMIN_CLIENT, acting_owner, given_id, owner_id, owners_view
from memories.admin.cleanup.findings import FINDINGS, decide_about_findings, shown_findings
from memories.admin.cleanup.reopening import lines_address
from memories.admin.undo.now import undo_address
from memories.cleanup import plans
from memories.cleanup.actions import Action
from memories.errors import MemoriesError
from memories.models import CleanupLine, CleanupPlan, Memory
from memories.queries.clients import client_names

PAGE_SIZE = 3
"""Number of plans on the page, latest first."""

VERBS = {
    Action.MERGE: gettext_noop("Merge"),
    Action.SPLIT: gettext_noop("Split"),
    Action.CORRECT: gettext_noop("Correct"),
    Action.RETAG: gettext_noop("Change tags"),
    Action.EXPIRE: gettext_noop("Let expire"),
    Action.FORGET: gettext_noop("Forget"),
    Action.CONFIRM: gettext_noop("Confirm"),
}
_TITLES = {
    "": (
        ngettext_noop("To tidy up: %(number)s memory", "To tidy up: %(number)s memories"),
        ngettext_noop("%(app)s wants to tidy up %(number)s memory", "%(app)s wants to tidy up %(number)s memories"),
    ),
    "Merge": (
        ngettext_noop("To merge: %(number)s memory", "To merge: %(number)s memories"),
        ngettext_noop("%(app)s wants to merge %(number)s memory", "%(app)s wants to merge %(number)s memories"),
    ),
    "Split": (
        ngettext_noop("To split: %(number)s memory", "To split: %(number)s memories"),
        ngettext_noop("%(app)s wants to split %(number)s memory", "%(app)s wants to split %(number)s memories"),
    ),
    "Correct": (
        ngettext_noop("To correct: %(number)s memory", "To correct: %(number)s memories"),
        ngettext_noop("%(app)s wants to correct %(number)s memory", "%(app)s wants to correct %(number)s memories"),
    ),
    "Change tags": (
        ngettext_noop("To get other tags: %(number)s memory", "To get other tags: %(number)s memories"),
        ngettext_noop(
            "%(app)s wants to change the tags of %(number)s memory",
            "%(app)s wants to change the tags of %(number)s memories",
        ),
    ),
    "Let expire": (
        ngettext_noop("To let expire: %(number)s memory", "To let expire: %(number)s memories"),
        ngettext_noop(
            "%(app)s wants to let expire %(number)s memory", "%(app)s wants to let expire %(number)s memories"
        ),
    ),
    "Forget": (
        ngettext_noop("To forget: %(number)s memory", "To forget: %(number)s memories"),
        ngettext_noop("%(app)s wants to forget %(number)s memory", "%(app)s wants to forget %(number)s memories"),
    ),
    "Confirm": (
        ngettext_noop("To confirm: %(number)s memory", "To confirm: %(number)s memories"),
        ngettext_noop("%(app)s wants to confirm %(number)s memory", "%(app)s wants to confirm %(number)s memories"),
    ),
}
"""By the verb of all lines, if they have the same one: the title of a plan of the owner, and of one of an app."""

_SKIPPED = {
    plans.CHANGED_SINCE: gettext_noop("changed since, so it would be skipped"),
    plans.ALREADY_SO: gettext_noop("already so, so it would be skipped"),
}
"""Why a line would be skipped, in the words of the page."""

_APPLY, _REJECT = "apply", "reject"


@dataclass(frozen=True, slots=True)
class Line:
    """An open line: its number, what would be done with which memories, the new texts or tags, and why.

    `skipped_because` says why it would be skipped. `replaces_text`: the results are texts in place of those of the
    memories.
    """

    position: int
    verb: str
    memories: list[Memory]
    results: list[str]
    reason: str
    skipped_because: str
    replaces_text: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """An open plan."""

    id: int
    app: str
    reason: str
    made: CleanupPlan
    lines: list[Line]

    @property
    def is_own(self) -> bool:
        """Whether the owner made it, on a page."""
        return self.made.client == ADMIN_CLIENT

    @property
    def applicable(self) -> int:
        """The number of lines that would not be skipped."""
        return sum(not line.skipped_because for line in self.lines)

    @property
    def title(self) -> str:
        """A sentence about who proposes what, such as "ChatGPT wants to forget 12 memories"."""
        count = sum(len(line.memories) for line in self.lines)
        verbs = {line.verb for line in self.lines}
        of_owner, of_app = _TITLES[next(iter(verbs)) if len(verbs) == 1 else ""]
        if self.is_own:
            return ngettext(*of_owner, count) % {"number": number(count)}
        return ngettext(*of_app, count) % {"app": self.app, "number": number(count)}


def cleanup_page(request: HttpRequest) -> HttpResponse:
    """Show the open plans, or decide on POST."""
    actor = acting_owner(owner_id(request))
    if request.method == "POST":
        try:
            _decide(request, actor)
        except plans.NotOpen:
            report_decided(request)
        except MemoriesError as error:
            messages.error(request, str(error))
        return redirect("cleanup")
    found = list(plans.open_plans(actor)[: PAGE_SIZE + 1])
    shown = found[:PAGE_SIZE]
    context = {
        "plans": described_plans(request, actor, shown),
        "has_more": len(found) > PAGE_SIZE,
        **shown_findings(actor),
    }
    return owner_page(request, "memories/cleanup.html", context, title=gettext("Clean-up"))


def _decide(request: HttpRequest, actor: Actor) -> None:
    """Carry out the decision of the form. Raises MemoriesError, and Http404 for a form that no page can have sent."""
    decision = request.POST.get("decision", "")
    if decision in FINDINGS:
        decide_about_findings(request, actor, decision)
        return
    plan_id = given_id(request.POST.get("plan", ""))
    positions = [given_id(value) for value in request.POST.getlist("lines")]
    if decision not in {_APPLY, _REJECT}:
        raise Http404
    if not positions:
        messages.warning(request, gettext("Select at least one change."))
    elif decision == _APPLY:
        report_outcomes(request, actor, plans.apply_plan(actor, plan_id, positions), reverse("cleanup"))
    else:
        rejected = plans.reject_lines(actor, plan_id, positions)
        say(
            request,
            ngettext("%(number)s change rejected.", "%(number)s changes rejected.", len(rejected))
            % {"number": number(len(rejected))},
            undo_url=lines_address(plan_id, rejected, reverse("cleanup")),
        )


def report_decided(request: HttpRequest) -> None:
    """Say that a plan was decided already, for example in another tab. Pages show no numbers of plans."""
    messages.warning(request, gettext("It was decided in the meantime."))


def report_outcomes(request: HttpRequest, actor: Actor, outcomes: list[plans.LineOutcome], back: str) -> None:
    """Say how many lines were applied, and why others were not. *Undo* leads to `back`."""
    applied = sum(outcome.state == CleanupLine.State.APPLIED for outcome in outcomes)
    if applied:
        say(
            request,
            ngettext("%(number)s change applied.", "%(number)s changes applied.", applied)
            % {"number": number(applied)},
            undo_url=undo_address(actor.change_set, back),
        )
    for outcome in outcomes:
        if outcome.message:
            messages.warning(
                request,
                gettext("Change %(number)s was not applied. %(message)s")
                % {"number": outcome.position + 1, "message": translated(outcome.message)},
            )


def described_plans(request: HttpRequest, actor: Actor, shown: list[CleanupPlan]) -> list[Plan]:
    """Return plans as the pages show them. Three queries, and one for each plan."""
    names = client_names({plan.client for plan in shown})
    ids = {
        memory_id
        for plan in shown
        for line in plan.lines.all()
        for memory_id in (*line.memory_ids, *filter(None, [line.details.get("replaced_by_id")]))
    }
    memories = Memory.objects.visible_including_quarantined(owners_view(request)).in_bulk(ids)
    return [
        Plan(plan.pk, names[plan.client], plan.reason, plan, _lines(plan, plans.skipped_lines(actor, plan), memories))
        for plan in shown
    ]


def _lines(plan: CleanupPlan, skipped: Mapping[int, str], memories: Mapping[int, Memory]) -> list[Line]:
    return [
        Line(
            line.position,
            VERBS[Action(line.action)],
            [memories[memory_id] for memory_id in line.memory_ids if memory_id in memories],
            _results(line, memories),
            line.reason,
            _SKIPPED.get(skipped.get(line.position, ""), ""),
            replaces_text=bool({"text", "texts", "replaced_by_id"} & line.details.keys()),
        )
        for line in plan.lines.all()
        if line.state == CleanupLine.State.OPEN
    ]


def _results(line: CleanupLine, memories: Mapping[int, Memory]) -> list[str]:
    """Return what the memories would become: new texts, tags, the end, or the successor."""
    details = line.details
    tagged = memories.get(line.memory_ids[0])
    successor = memories.get(details.get("replaced_by_id", 0))
    return [
        *([details["text"]] if "text" in details else []),
        *details.get("texts", []),
        *([_new_tags(tagged.tags if tagged else (), details["tags"])] if "tags" in details else []),
        *([gettext("Expires: %(day)s") % {"day": _day(details["expires_at"])}] if "expires_at" in details else []),
        *([gettext("replaced by: %(text)s") % {"text": successor.text}] if successor else []),
    ]


def _new_tags(before: Sequence[str], after: Sequence[str]) -> str:
    """Return the tags that the memory has now, and those that it would have."""
    old, new = (", ".join(tags) or gettext("none") for tags in (before, after))
    return gettext("Tags until now: %(old)s. New tags: %(new)s.") % {"old": old, "new": new}


def _day(moment: str) -> str:
    """Return a stored time, or its day if it is a whole one; what cannot be read, as it is."""
    parsed = parse_datetime(moment)
    return day_or_time(parsed) if parsed and timezone.is_aware(parsed) else moment
