"""The guide of four steps for new owners, on the overview."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.core.cache import cache
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_POST

from mcpapi.admin.app_activity.reads import reading_tools
from mcpapi.models import AuditLine
from mcpapi.stdio import CLIENT as LOCAL
from ownsona_site.pages.overview.apps import ShownApp

COOKIE = "first_steps"
YEAR_SECONDS = 365 * 86_400
LOCAL_USE_SECONDS = 10
"""Time for which the use over local connections is cached. A step takes longer, and a reload less."""

ENOUGH_MEMORIES = 20
"""Owners with an app and this many memories need no guide."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the guide. `state` is a class of the stylesheet: done, now, or empty."""

    title: str
    text: str
    state: str


@dataclass(frozen=True, slots=True)
class Use:
    """The numbers of times that an app has read and changed memories."""

    reads: int
    writes: int


@require_POST
def hide_first_steps(request: HttpRequest) -> HttpResponse:
    """Hide the guide in this browser: like the theme, it is a matter of the screen and not of the data."""
    response = redirect("admin:index")
    secure = bool(settings.SESSION_COOKIE_SECURE)
    response.set_cookie(COOKIE, "hidden", max_age=YEAR_SECONDS, httponly=True, samesite="Lax", secure=secure)
    return response


def shown_steps(request: HttpRequest, owner_id: int, apps: Sequence[ShownApp], *, memories: int) -> list[Step]:
    """Return the steps of the guide for the owner of `apps`; none if it is hidden. At most one query."""
    if request.COOKIES.get(COOKIE) == "hidden" or not first_steps(uses := [*map(_use, apps)], memories=memories):
        return []
    return first_steps([*uses, *_local_use(owner_id)], memories=memories)


def _use(app: ShownApp) -> Use:
    return Use(app.reads, app.writes)


def _local_use(owner_id: int) -> list[Use]:
    """Return the use over local (stdio) connections, which are not listed as apps, as far as it was logged."""
    key = f"first_steps:{owner_id}"
    counts: tuple[int, int, int] | None = cache.get(key)
    if counts is None:
        counts = _local_counts(owner_id)
        cache.set(key, counts, LOCAL_USE_SECONDS)
    calls, reads, writes = counts
    return [Use(reads, writes)] if calls else []


def _local_counts(owner_id: int) -> tuple[int, int, int]:
    """Return the numbers of calls over local connections, of those that read, and of those that change something."""
    lines = AuditLine.objects.filter(owner_id=owner_id, client_id=LOCAL)
    is_read, is_change = Q(tool__in=reading_tools()), ~Q(tool__in=["", *reading_tools()])
    counts = lines.aggregate(calls=Count("pk"), reads=Count("pk", filter=is_read), writes=Count("pk", filter=is_change))
    return counts["calls"], counts["reads"], counts["writes"]


def first_steps(apps: Sequence[Use], *, memories: int) -> list[Step]:
    """Return the four steps of the guide; none once they are done, or for owners who have used apps for a while."""
    has_told = memories > 0
    # The app that was told something need not read, and the other one need not write.
    has_asked = sum(app.reads + app.writes > 0 for app in apps) > 1 and any(app.reads for app in apps)
    if apps and (memories >= ENOUGH_MEMORIES or (has_told and has_asked)):
        return []
    done = [bool(apps), has_told, has_told and has_asked, False]
    now = done.index(False)
    return [
        Step(gettext(title), gettext(text), "done" if done[number] else "now" if number == now else "")
        for number, (title, text) in enumerate(_STEPS)
    ]


_STEPS = (
    (
        gettext_noop("Connect an app"),
        gettext_noop("Paste this address into your assistant. It opens this site, and you choose what it can do."),
    ),
    (
        gettext_noop("Tell it something"),
        gettext_noop("For example: “Remember that I prefer trains to flights.” The memory appears on this page."),
    ),
    (
        gettext_noop("Ask from another app"),
        gettext_noop("Connect a second app and ask it: “How do I like to travel?” It knows."),
    ),
    (
        gettext_noop("Look here"),
        gettext_noop("Correct what is wrong, forget what should not stay, and undo what an app did."),
    ),
)
