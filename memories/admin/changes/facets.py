"""The filters of the journal with their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlencode

from django.db.models import Count, QuerySet
from django.http import QueryDict
from django.utils import timezone

from memories.admin.changes.kinds import KINDS, kind_of
from memories.models import JournalEntry
from memories.queries.clients import client_names

PERIODS: Mapping[str, tuple[str, timedelta | None]] = {
    "7": ("Last 7 days", timedelta(days=7)),
    "30": ("Last 30 days", timedelta(days=30)),
    "": ("Everything", None),
}


@dataclass(frozen=True, slots=True)
class Facet:
    """A value of a filter: its address, and the number of changes that it leaves. None if that is not counted."""

    title: str
    url: str
    count: int | None
    is_on: bool


@dataclass(frozen=True, slots=True)
class JournalFilters:
    """What the owner filters the journal by: words, an app, a kind and a period. Unknown values filter nothing."""

    wanted: str = ""
    app: str = ""
    kind: str = ""
    days: str = ""

    @classmethod
    def of(cls, query: QueryDict) -> JournalFilters:
        """Read the filters of an address."""
        kind, days = query.get("kind", ""), query.get("days", "")
        return cls(
            query.get("q", "").strip(),
            query.get("app", ""),
            kind if kind in KINDS else "",
            days if days in PERIODS else "",
        )

    def url(self, **changes: str) -> str:
        """Return the address of the journal with these filters and `changes`."""
        values = {"q": self.wanted, "app": self.app, "kind": self.kind, "days": self.days} | changes
        return f"?{urlencode({name: value for name, value in values.items() if value})}"

    def in_period(self, entries: QuerySet[JournalEntry]) -> QuerySet[JournalEntry]:
        """Filter `entries` by the period."""
        length = PERIODS[self.days][1]
        return entries.filter(at__gte=timezone.now() - length) if length else entries

    def applied(self, entries: QuerySet[JournalEntry]) -> QuerySet[JournalEntry]:
        """Filter `entries` by period, app and kind."""
        entries = self.in_period(entries)
        if self.app:
            entries = entries.filter(client=self.app)
        return entries.filter(operation__in=KINDS[self.kind].operations) if self.kind else entries


@dataclass(frozen=True, slots=True)
class JournalFacets:
    """The filters of the journal."""

    periods: Sequence[Facet]
    apps: Sequence[Facet]
    kinds: Sequence[Facet]

    @property
    def chosen(self) -> list[Facet]:
        """The filters that are on."""
        return [facet for facet in (*self.periods, *self.apps, *self.kinds) if facet.is_on and facet.title]


def facets_of(entries: QuerySet[JournalEntry], filters: JournalFilters) -> JournalFacets:
    """Count `entries`, all of the owner, by app and kind within the period. Three queries.

    The numbers of apps leave the chosen kind in, and those of kinds the chosen app.
    """
    rows = filters.in_period(entries).order_by().values_list("client", "operation").annotate(count=Count("pk"))
    apps: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for client, operation, count in rows:
        kind = kind_of(operation).name
        if filters.kind in ("", kind):
            apps[client] += count
        if filters.app in ("", client):
            kinds[kind] += count
    names = client_names(set(apps) | ({filters.app} if filters.app else set()))
    total = sum(apps.values()) if not filters.app else apps[filters.app]
    return JournalFacets(
        [
            Facet(title, filters.url(days=days), total if days == filters.days else None, days == filters.days)
            for days, (title, _) in PERIODS.items()
        ],
        [_facet(filters, "app", name, client, apps[client]) for client, name in _by_count(names, apps)],
        [_facet(filters, "kind", KINDS[name].title, name, kinds[name]) for name in KINDS if kinds[name]],
    )


def _by_count(names: Mapping[str, str], counts: Counter[str]) -> list[tuple[str, str]]:
    return sorted(names.items(), key=lambda item: (-counts[item[0]], item[1].casefold()))


def _facet(filters: JournalFilters, name: str, title: str, value: str, count: int) -> Facet:
    is_on = getattr(filters, name) == value
    return Facet(f"{title[:1].upper()}{title[1:]}", filters.url(**{name: "" if is_on else value}), count, is_on)
