"""Page of the journal: every change to every memory, grouped by change set, newest first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, pgettext

from common.pages.owner_pages import owner_page
from memories.admin.base import ReadOnlyOwnedAdmin, given_id, owner_id, owners_view
from memories.admin.changes.facets import JournalFilters, facets_of
from memories.admin.changes.searching import changes_of_found
from memories.admin.changes.sets import MOST_LINES, ShownSet, newest_sets, shown_sets
from memories.models import JournalEntry


@dataclass(frozen=True, slots=True)
class Day:
    """The change sets of a day, in the owner's time zone."""

    title: str
    sets: Sequence[ShownSet]


@admin.register(JournalEntry)
class JournalEntryAdmin(ReadOnlyOwnedAdmin):
    """The journal. A single entry has no page: its change set has."""

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the change sets that the filters of the query leave, or those before the entry `before`."""
        view = owners_view(request)
        own = JournalEntry.objects.filter(owner_id=owner_id(request))
        filters = JournalFilters.of(request.GET)
        if filters.wanted:
            own = changes_of_found(view, own, filters.wanted)
        entries = filters.applied(own)
        before = request.GET.get("before")
        sets, has_more = newest_sets(view, entries, before=given_id(before) if before else None)
        context = {
            "days": _by_day(sets),
            "filters": filters,
            "facets": facets_of(own, filters),
            "older": filters.url(before=str(sets[-1].last_id)) if has_more else "",
            "is_filtered": filters != JournalFilters(),
        }
        return owner_page(request, "memories/journal.html", context, title=gettext("Journal"))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the change set of an entry."""
        if request.method == "POST":
            return super().change_view(request, object_id, form_url, extra_context)  # type: ignore[no-any-return]
        entry: JournalEntry | None = self.get_object(request, object_id)
        if entry is None:
            raise Http404
        return self._set_page(request, entry.change_set)

    def _set_page(self, request: HttpRequest, change_set: UUID) -> HttpResponse:
        (shown,) = shown_sets(owners_view(request), [change_set], limit=MOST_LINES)
        context = {
            "set": shown,
            "crumb": {"url": reverse("admin:memories_journalentry_changelist"), "title": gettext("Journal")},
        }
        return owner_page(request, "memories/change_set.html", context, title=shown.sentence)


def _by_day(sets: Iterable[ShownSet]) -> list[Day]:
    return [Day(_title(day), list(group)) for day, group in groupby(sets, key=_day)]


def _day(shown: ShownSet) -> date:
    return timezone.localtime(shown.at).date()


def _title(day: date) -> str:
    today = timezone.localdate()
    if day == today:
        return gettext("Today")
    return (
        gettext("Yesterday")
        if day == today - timedelta(days=1)
        else date_format(day, pgettext("format of a day", "l, j F Y"))
    )
