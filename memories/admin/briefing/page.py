"""Page of the briefing: a preview, the reasons for its memories, and which ones are pinned and hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext

from common.pages.owner_pages import owner_page, say
from common.pages.relative_times import number
from memories.access import View
from memories.admin.base import acting_owner, given_id, owner_id, owners_view
from memories.admin.briefing.form import PreviewForm
from memories.admin.briefing.previewed_apps import apps_of
from memories.admin.briefing.sections import sections_of
from memories.admin.review.decisions import HIDE, PIN, PLACES, UNHIDE, UNPIN, Decision, DecisionDetails
from memories.admin.undo.now import undo_address
from memories.aspects.reading import Aspect
from memories.briefing.candidates import Candidate
from memories.briefing.composition import Briefing, today
from memories.briefing.selection import FRESHNESS_HALF_LIFE_DAYS, Ranked
from memories.errors import MemoriesError
from memories.models import Memory

SHOWN_HIDDEN = 20
"""Number of hidden memories on the page. The list of memories shows all of them."""

DEFAULT_IMPORTANCE = 0.5
HIGH_IMPORTANCE = 0.8


@dataclass(frozen=True, slots=True)
class Entry:
    """A memory of the briefing, the reasons for it in words, and the decisions that the owner can make about it."""

    memory: Candidate
    reasons: Sequence[str]
    decisions: Sequence[Decision]


def briefing_page(request: HttpRequest) -> HttpResponse:
    """Show the briefing that an app gets now. On POST, pin, unpin, hide or unhide a memory."""
    if request.method == "POST":
        return _place(request)
    view = owners_view(request)
    form = PreviewForm(request.GET or None, apps=apps_of(view.owner_id))
    briefing = _preview(form, view)
    hidden = _placed(view, Memory.BriefingPlace.HIDDEN)
    shown = briefing.memory_ids if briefing else []
    context = {
        "form": form,
        "briefing": briefing,
        "sections": sections_of(briefing.text) if briefing else [],
        "entries": [_entry(each) for each in briefing.memories] if briefing else [],
        "left_out": [memory for memory in _placed(view, Memory.BriefingPlace.PINNED) if memory.pk not in shown],
        "hidden": hidden[:SHOWN_HIDDEN],
        "unpin": [UNPIN],
        "unhide": [UNHIDE],
        "more_hidden": len(hidden) > SHOWN_HIDDEN,
    }
    return owner_page(request, "memories/briefing.html", context, title=gettext("Briefing"))


def _preview(form: PreviewForm, view: View) -> Briefing | None:
    """Return the briefing, or None if the form has errors, which it shows then."""
    if form.is_bound and not form.is_valid():
        return None
    return form.compose(view)


def _place(request: HttpRequest) -> HttpResponse:
    for decision in PLACES:
        if decision.name in request.POST:
            memory_id = given_id(request.POST[decision.name])
            actor = acting_owner(owner_id(request))
            try:
                decision.apply(actor, memory_id, DecisionDetails())
            except MemoriesError as error:
                messages.error(request, str(error))
            else:
                say(request, decision.reported(1), undo_url=undo_address(actor.change_set, request.get_full_path()))
    return redirect(request.get_full_path())


def _placed(view: View, place: Memory.BriefingPlace) -> list[Memory]:
    placed = Memory.objects.visible_to(view).not_deleted().filter(briefing_place=place)
    return list(placed.newest_first()[: SHOWN_HIDDEN + 1 if place == Memory.BriefingPlace.HIDDEN else None])


def _entry(ranked: Ranked) -> Entry:
    decisions = (UNPIN if ranked.reasons.is_pinned else PIN, HIDE)
    return Entry(ranked.memory, reasons_in_words(ranked), decisions)


def reasons_in_words(ranked: Ranked) -> list[str]:
    """Return the reasons that speak for a memory more than for others. If there are none, its importance."""
    memory, reasons = ranked.memory, ranked.reasons
    words = []
    if reasons.is_pinned:
        words.append(gettext("pinned"))
    if reasons.about_owner:
        words.append(_about(ranked))
    if reasons.corrects:
        words.append(gettext("corrects another memory"))
    if memory.importance > DEFAULT_IMPORTANCE:
        is_high = memory.importance >= HIGH_IMPORTANCE
        words.append(gettext("very important") if is_high else gettext("important"))
    if memory.recalls:
        recalled = ngettext("recalled once", "recalled %(number)s times", memory.recalls)
        words.append(recalled % {"number": number(memory.recalls)})
    if reasons.upcoming:
        words.append(_upcoming(memory))
    if today() - memory.last_confirmed_at <= timedelta(days=FRESHNESS_HALF_LIFE_DAYS):
        words.append(gettext("confirmed on %(date)s") % {"date": date_format(memory.last_confirmed_at)})
    return words or [
        gettext("less important") if memory.importance < DEFAULT_IMPORTANCE else gettext("as important as most")
    ]


def _about(ranked: Ranked) -> str:
    if ranked.memory.aspect == Aspect.ANSWERS:
        return gettext("how to answer you")
    return gettext("about your family") if ranked.reasons.is_of_relative else gettext("about you")


def _upcoming(memory: Candidate) -> str:
    """Return the day of what is to come: the next of those on which it begins, ends or expires."""
    limits = [memory.valid_from, memory.valid_until, memory.expires_at]
    to_come = min(limit for limit in limits if limit is not None and limit >= today())
    if to_come == memory.valid_from:
        return gettext("upcoming: %(date)s") % {"date": _day(to_come)}
    return gettext("upcoming: until %(date)s") % {"date": _day(to_come)}


def _day(moment: datetime) -> str:
    return date_format(moment.astimezone(settings.OWNER_TIME_ZONE))
