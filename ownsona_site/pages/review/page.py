"""The page of the review."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from common.pages.owner_pages import owner_page, say
from documents.review_count import count_awaiting_review, review_text, review_url
from mcpapi.admin.approvals import SURE
from memories.admin.base import acting_owner, owner_id
from memories.admin.cleanup.findings import SEARCH, decide_about_findings
from memories.admin.cleanup.page import report_decided
from memories.admin.page_timestamps import SEEN_AT, seen_at_now
from memories.admin.seen_values import SEEN, shown_values
from memories.cleanup.plans import NotOpen
from memories.errors import MemoriesError
from memories.writing.seen_values import ChangedMeanwhile
from ownsona_site.pages.review.cards import (
    NEXT,
    Waiting,
    approval_card,
    finding_card,
    inference_card,
    plan_card,
    waiting,
)
from ownsona_site.pages.review.decisions import EDIT, EDITED, LATER, decide, said_of_later, second_step
from ownsona_site.pages.review.progress import Progress
from ownsona_site.pages.review.stops import ALLOW, STOP, stop_or_allow

ALL, FIND = "all", "find"
"""Decisions without a card: to show what was put off, and to search for what could be tidied up."""


AGAIN = "again"
"""The name in a query of a card that was put off, and is to be shown after all."""


def review_page(request: HttpRequest) -> HttpResponse:
    """Show the next card, or the one that `show` in the query names. On POST, decide."""
    progress = Progress(request)
    return _decide(request, progress) if request.method == "POST" else _show(request, progress)


def _show(request: HttpRequest, progress: Progress, refused: MemoriesError | None = None) -> HttpResponse:
    """Show a card. With `refused`, show the one of the form again, with what was typed and the problem."""
    shown_at = seen_at_now()
    items = {item.key: item for item in waiting(request)}
    open_keys = progress.without_later(list(items))
    left = [items[key] for key in items if key not in open_keys]
    done = progress.done(items)
    chosen = request.POST.get("card", "") if refused else request.GET.get("show", "")
    current = items.get(chosen) or (items[open_keys[0]] if open_keys else None)
    context: dict[str, Any] = {
        "item": current,
        "next": [items[key] for key in open_keys if not current or key != current.key][:NEXT],
        **_put_off(left),
        "place": done + min(len(left) + 1, len(items)),
        "done": done,
        "newest_id": max((item.thing.pk for item in items.values() if item.kind == "Inbox"), default=0),
        "is_second_step": request.GET.get(SURE) == "1",
        "is_editing": refused is not None or request.GET.get("edit") == "1",
        "refused": refused and refused.problem[:1].upper() + refused.problem[1:],
        "is_changed": isinstance(refused, ChangedMeanwhile),
        "typed": request.POST.get("text", ""),
        SEEN_AT: shown_at,
    }
    if count := count_awaiting_review(request):
        context |= {"documents": review_text(count), "documents_url": review_url()}
    if current:
        context |= _card(request, current)
    return owner_page(request, "owner/review.html", context, title=gettext("Review"))


def _put_off(left: Sequence[Waiting]) -> dict[str, Any]:
    """Describe the cards that were put off: those of calls expire before tomorrow."""
    calls = [item.thing for item in left if item.key[0] == "a"]
    return {
        "left": len(left),
        "postponed": len(left) - len(calls),
        "waiting_calls": len(calls),
        "first_expires_at": min((call.expires_at for call in calls), default=None),
    }


def _card(request: HttpRequest, item: Waiting) -> dict[str, Any]:
    match item.key[0]:
        case "a":
            return {"approval": approval_card(request, item)}
        case "m":
            return {"inference": inference_card(request, item), SEEN: shown_values(item.thing, EDITED)}
        case "f":
            return {"finding": finding_card(request, item)}
    return {"plan": plan_card(request, item)}


def _address(**query: str) -> str:
    return f"{reverse('review')}?{urlencode(query)}"


def _decide(request: HttpRequest, progress: Progress) -> HttpResponse:
    key, decision = request.POST.get("card", ""), request.POST.get("do", "")
    if decision == ALL:
        progress.show_all()
    elif decision == FIND:
        decide_about_findings(request, acting_owner(owner_id(request)), SEARCH)
        return redirect("cleanup")
    elif again := request.GET.get(AGAIN, ""):
        progress.take_back(again)
        return redirect(_address(show=again))
    elif not key or len(key) > 50:
        raise Http404
    elif decision in {STOP, ALLOW}:
        stop_or_allow(request, key, decision, request.POST.get("about", ""))
        return redirect(_address(show=key))
    elif decision == LATER:
        progress.put_off(key)
        say(request, said_of_later(request, key), undo_url=_address(**{AGAIN: key}))
    elif address := second_step(request, key, decision):
        return redirect(address)
    else:
        try:
            decide(request, key, decision)
        except NotOpen:
            report_decided(request)
        except MemoriesError as error:
            if decision == EDIT and key in {item.key for item in waiting(request)}:
                return _show(request, progress, error)
            messages.error(request, str(error))
        else:
            progress.count(key)
    return redirect("review")
