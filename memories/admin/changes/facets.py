"""The filters of the journal with their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from urllib.parse import urlencode

from django.db.models import Case, Count, Q, QuerySet, Value, When
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from memories.admin.changes.kinds import KINDS, SUBJECT_COLUMNS, SUBJECTS, kind_of
from memories.admin.history import titled_client
from memories.models import JournalEntry
from memories.queries.clients import client_names

PERIODS: Mapping[str, tuple[str, timedelta | None]] = {
    "7": (gettext_noop("Last 7 days"), timedelta(days=7)),
    "30": (gettext_noop("Last 30 days"), timedelta(days=30)),
    "": (gettext_noop("Everything"), None),
}


@dataclass(frozen=True, slots=True)
class Facet:
    """A value of a filter: its address, and the number of changes that it leaves."""

    title: str
    url: str
    count: int
    is_on: bool


@dataclass(frozen=True, slots=True)
class JournalFilters:
    """Filters of the journal: words, an app, a kind, what was changed, and a period. Unknown values filter nothing."""

    wanted: str = ""
    app: str = ""
    kind: str = ""
    what: str = ""
    days: str = ""

    @classmethod
    def of(cls, query: QueryDict) -> JournalFilters:
        """Read the filters of an address."""
        kind, what, days = query.get("kind", ""), query.get("what", ""), query.get("days", "")
        return cls(
            query.get("q", "").strip(),
            query.get("app", ""),
            kind if kind in KINDS else "",
            what if what in SUBJECTS else "",
            days if days in PERIODS else "",
        )

    def url(self, **changes: str) -> str:
        """Return the address of the journal with these filters and `changes`."""
        values = {"q": self.wanted, "app": self.app, "kind": self.kind, "what": self.what, "days": self.days} | changes
        return f"?{urlencode({name: value for name, value in values.items() if value})}"

    def in_period(self, entries: QuerySet[JournalEntry]) -> QuerySet[JournalEntry]:
        """Filter `entries` by the period."""
        length = PERIODS[self.days][1]
        return entries.filter(at__gte=timezone.now() - length) if length else entries

    def applied(self, entries: QuerySet[JournalEntry]) -> QuerySet[JournalEntry]:
        """Filter `entries` by period, app, kind and what was changed."""
        entries = self.in_period(entries)
        if self.app:
            entries = entries.filter(client=self.app)
        if self.what:
            entries = entries.filter(**{f"{SUBJECT_COLUMNS[self.what]}__isnull": False})
        return entries.filter(operation__in=KINDS[self.kind].operations) if self.kind else entries


@dataclass(frozen=True, slots=True)
class JournalFacets:
    """The filters of the journal."""

    periods: Sequence[Facet]
    apps: Sequence[Facet]
    kinds: Sequence[Facet]
    subjects: Sequence[Facet]

    @property
    def chosen(self) -> list[Facet]:
        """The filters that are on."""
        return [
            facet for facet in (*self.periods, *self.apps, *self.kinds, *self.subjects) if facet.is_on and facet.title
        ]


def facets_of(entries: QuerySet[JournalEntry], filters: JournalFilters) -> JournalFacets:
    """Count `entries` by period, and by app, kind and what was changed within the period. Three queries.

    They are all changes of the owner, or those with the words of the search. The numbers of each filter leave the
    chosen values of the others in.
    """
    subject = Case(
        *(When(**{f"{column}__isnull": False}, then=Value(name)) for name, column in SUBJECT_COLUMNS.items())
    )
    rows = filters.in_period(entries).order_by().annotate(what=subject).values_list("client", "operation", "what")
    apps: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    subjects: Counter[str] = Counter()
    for client, operation, what, count in rows.annotate(count=Count("pk")):
        kind = kind_of(operation).name
        is_app, is_kind = filters.app in ("", client), filters.kind in ("", kind)
        is_subject = filters.what in ("", what)
        apps[client] += count * (is_kind and is_subject)
        kinds[kind] += count * (is_app and is_subject)
        subjects[what] += count * (is_app and is_kind)
    apps, kinds, subjects = +apps, +kinds, +subjects
    names = client_names(set(apps) | ({filters.app} if filters.app else set()))
    return JournalFacets(
        _periods(entries, filters),
        [
            _facet(filters, "app", titled_client(client, name), client, apps[client])
            for client, name in _by_count(names, apps)
        ],
        [_facet(filters, "kind", gettext(KINDS[name].title), name, kinds[name]) for name in KINDS if kinds[name]],
        [
            _facet(filters, "what", gettext(title), name, subjects[name])
            for name, title in SUBJECTS.items()
            if subjects[name]
        ],
    )


def _periods(entries: QuerySet[JournalEntry], filters: JournalFilters) -> list[Facet]:
    """Count the entries of each period that the other filters leave. One query."""
    now = timezone.now()
    counts = {
        f"in_{days}": Count("pk", filter=Q(at__gte=now - length)) if length else Count("pk")
        for days, (_, length) in PERIODS.items()
    }
    found = replace(filters, days="").applied(entries).order_by().aggregate(**counts)
    return [
        Facet(gettext(title), filters.url(days=days), found[f"in_{days}"], days == filters.days)
        for days, (title, _) in PERIODS.items()
    ]


def _by_count(names: Mapping[str, str], counts: Counter[str]) -> list[tuple[str, str]]:
    return sorted(names.items(), key=lambda item: (-counts[item[0]], item[1].casefold()))


def _facet(filters: JournalFilters, name: str, title: str, value: str, count: int) -> Facet:
    is_on = getattr(filters, name) == value
    return Facet(title, filters.url(**{name: "" if is_on else value}), count, is_on)
