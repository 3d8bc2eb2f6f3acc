"""The reads and changes of an app, newest first, with a search and filters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from common.pages.relative_times import plural
from mcpapi.admin.app_activity.reads import reads_of
from mcpapi.admin.app_activity.week import week_of
from mcpapi.models import AuditLine
from memories.admin.base import owner_id, owners_view
from memories.admin.changes.kinds import KINDS, joined
from memories.admin.changes.lines import ChangeLine, change_lines
from memories.admin.changes.searching import changes_of_found
from memories.models import JournalEntry, PastRecall
from memories.undo.undone import with_undone

PAGE_SIZE = 12
"""Number of lines that the page shows first."""

MORE_LINES = 50
"""Number of lines that *Show more* adds."""

MOST_LINES = PAGE_SIZE + 5 * MORE_LINES
EXPORT = "export_memories"
RECENT = timedelta(days=30)
SAME_CALL = timedelta(seconds=1)
"""The largest difference between the times of a call in the activity log and in the recall log."""

MOST_RECALLS = 200
READ = "read"
SHOWN_KINDS = ("added", "changed", "forgot")
"""Kinds of changes that have a filter although there are none."""


@dataclass(frozen=True, slots=True)
class ActivityLine:
    """One thing that the app did. `change` is set for a change, else `text` says what it read."""

    at: datetime
    text: str
    url: str
    change: ChangeLine | None = None
    failed: str = ""


@dataclass(frozen=True, slots=True)
class KindChip:
    """A filter with the number of its lines in the last 30 days."""

    title: str
    url: str
    count: int
    is_on: bool


def activity_of(request: HttpRequest, client: str) -> Mapping[str, Any]:
    """Return what the page of an app shows of what the app did. At most five queries."""
    kind, wanted = request.GET.get("kind", ""), request.GET.get("q", "").strip()
    count = _count(request.GET.get("lines", ""))
    lines = _Page(owner_id(request), client, kind, wanted, count + 1).lines(request)
    more = min(count + MORE_LINES, MOST_LINES) if len(lines) > count else 0
    return {
        "client": client,
        "wanted": wanted,
        "kind": kind,
        "lines": lines[:count],
        "chips": _chips(owner_id(request), client, kind, wanted),
        "more": _query(f"line-{count + 1}", kind=kind, q=wanted, lines=str(more)) if more > count else "",
        "has_older": more == count,
        "week": week_of(owner_id(request), client),
    }


@dataclass(frozen=True, slots=True)
class _Page:
    owner_id: int
    client: str
    kind: str
    wanted: str
    limit: int

    def lines(self, request: HttpRequest) -> list[ActivityLine]:
        """Return at most `limit` lines, newest first."""
        found = [*self._read(), *self._changed(request)]
        return sorted(found, key=lambda line: line.at, reverse=True)[: self.limit]

    def _read(self) -> list[ActivityLine]:
        if self.kind not in ("", READ):
            return []
        lines = reads_of(self.owner_id, self.client)
        if self.wanted:
            lines = lines.filter(query__icontains=self.wanted)
        page = list(lines[: self.limit])
        recalls = self._recalls(line.at for line in page if line.memory_count and not line.query)
        return [ActivityLine(line.at, _what_was_read(line), self._url(line, recalls)) for line in page]

    def _recalls(self, moments: Iterable[datetime]) -> list[tuple[int, datetime]]:
        """Return the ids and times of the app's recalls at about these times. One query, or none without times."""
        times = sorted(moments)
        if not times:
            return []
        recalls = PastRecall.objects.filter(owner_id=self.owner_id, client=self.client)
        around = recalls.filter(at__range=(times[0] - SAME_CALL, times[-1] + SAME_CALL))
        return list(around.order_by("-at").values_list("pk", "at")[:MOST_RECALLS])

    def _changed(self, request: HttpRequest) -> list[ActivityLine]:
        if self.kind == READ or (self.kind and self.kind not in KINDS):
            return []
        entries = JournalEntry.objects.filter(owner_id=self.owner_id, client=self.client)
        if self.kind:
            entries = entries.filter(operation__in=KINDS[self.kind].operations)
        if self.wanted:
            entries = changes_of_found(owners_view(request), entries, self.wanted)
        # Entries of an imported archive have later ids, and the times of the other installation.
        newest = with_undone(entries).order_by("-at", "-id")[: self.limit]
        lines = change_lines(owners_view(request), newest)
        return [ActivityLine(line.at, "", line.url, line) for line in lines]

    def _url(self, line: AuditLine, recalls: Sequence[tuple[int, datetime]]) -> str:
        """Return the page that says why the app got this: with the question, as of now, else as it was then."""
        if line.query:
            return f"{reverse('ask')}?{urlencode({'app': self.client, 'q': line.query})}"
        recall = min(recalls, key=lambda each: abs(each[1] - line.at), default=None)
        if recall and line.memory_count and abs(recall[1] - line.at) <= SAME_CALL:
            return reverse("admin:memories_pastrecall_change", args=[recall[0]])
        return reverse("admin:mcpapi_auditline_change", args=[line.pk])


def _what_was_read(line: AuditLine) -> str:
    parts = [
        *([plural(line.memory_count, "memory", "memories")] if line.memory_count else []),
        *([plural(line.document_count, "document")] if line.document_count else []),
    ]
    what = joined(parts) if parts else gettext("nothing")
    if line.query:
        return gettext("Read %(what)s for “%(question)s”") % {"what": what, "question": line.query}
    sentence = gettext("Exported %(what)s") if line.tool == EXPORT else gettext("Read %(what)s")
    return sentence % {"what": what}


def _chips(owner_id: int, client: str, chosen: str, wanted: str) -> Sequence[KindChip]:
    """Return the filters. Two queries."""
    since = timezone.now() - RECENT
    entries = JournalEntry.objects.filter(owner_id=owner_id, client=client, at__gte=since)
    by_operation = dict(entries.order_by().values_list("operation").annotate(count=Count("pk")))
    counts = {name: sum(by_operation.get(each, 0) for each in kind.operations) for name, kind in KINDS.items()}
    reads = reads_of(owner_id, client).filter(at__gte=since).order_by().count()
    named = [("", gettext("All"), reads + sum(by_operation.values())), (READ, gettext("Read"), reads)]
    # The others are rare. Without them, the numbers would not add up.
    named += [
        (name, gettext(KINDS[name].title), count) for name, count in counts.items() if count or name in SHOWN_KINDS
    ]
    return [KindChip(title, _query(kind=name, q=wanted), count, name == chosen) for name, title, count in named]


def _query(place: str = "did", **values: str) -> str:
    return f"?{urlencode({name: value for name, value in values.items() if value})}#{place}"


def _count(typed: str) -> int:
    return min(max(int(typed), PAGE_SIZE), MOST_LINES) if re.fullmatch("[0-9]{1,9}", typed) else PAGE_SIZE
