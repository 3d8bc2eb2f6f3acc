"""The frame of the owner's pages: the navigation, the tabs of the area, and where the current page belongs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext

from common.pages.relative_times import number
from ownsona_site.pages.areas import AREAS, Tab, place_of
from ownsona_site.pages.review.progress import Progress
from ownsona_site.pages.review_counts import ReviewCounts, review_counts

OVERVIEW = "admin:index"


@dataclass(frozen=True, slots=True)
class ShownLink:
    """A link of the navigation or a tab. `count` is 0 if it shows none, `counted` has it in the words of a tab."""

    title: str
    url: str
    is_current: bool
    count: int = 0
    icon: str = ""
    counted: str = ""


class Shell:
    """The frame of the page that answers `request`. Counts only if a template shows it."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request
        match = request.resolver_match
        self._view_name = match.view_name if match else ""
        self._area, self._tab = place_of(self._view_name)

    @cached_property
    def counts(self) -> ReviewCounts:
        """The numbers of things that await a decision. Pages show these numbers, so that they are counted once."""
        return review_counts(self._request)

    @cached_property
    def postponed(self) -> dict[str, set[int]]:
        """The ids of the inferences, plans and findings whose cards were put off until tomorrow. They are not counted
        today, so the lists that show them say so."""
        progress = Progress(self._request)
        kinds = {"inferences": "m", "plans": "p", "findings": "f"}
        return {name: set(map(int, progress.put_off_ids(kind))) for name, kind in kinds.items()}

    @property
    def is_overview(self) -> bool:
        """Whether the page is the overview."""
        return self._view_name == OVERVIEW

    @property
    def areas(self) -> Iterator[ShownLink]:
        """The navigation."""
        for area in AREAS:
            count = sum(self._number(tab.count) for tab in area.tabs)
            yield ShownLink(gettext(area.title), reverse(area.tabs[0].view), area == self._area, count, area.icon)

    @property
    def area_title(self) -> str:
        """The name of the area, empty on the overview."""
        return gettext(self._area.title) if self._area else ""

    @property
    def tabs(self) -> list[ShownLink]:
        """The tabs of the area, or none on the overview."""
        shown = [tab for tab in (self._area.tabs if self._area else ()) if tab.is_shown(self._request)]
        return [self._link(tab) for tab in shown]

    @property
    def tab(self) -> ShownLink | None:
        """The tab that the page belongs to."""
        return next((tab for tab in self.tabs if tab.is_current), None)

    @property
    def heading(self) -> str:
        """The name of the tab as a heading."""
        return gettext(self._tab.heading or self._tab.title) if self._tab else ""

    @property
    def is_tab(self) -> bool:
        """Whether the page is that of its tab, and not one of a single row."""
        return self._tab is not None and self._tab.view == self._view_name

    @property
    def initial(self) -> str:
        """The first letter of the name of the user."""
        return self._request.user.get_username()[:1].upper()

    def _link(self, tab: Tab) -> ShownLink:
        count = self._number(tab.count)
        counted = gettext(tab.counted) % {"number": number(count)} if count else ""
        return ShownLink(gettext(tab.title), reverse(tab.view), tab == self._tab, count, counted=counted)

    def _number(self, name: str) -> int:
        return int(getattr(self.counts, name)) if name else 0
