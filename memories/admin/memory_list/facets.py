"""Counts of tags, apps and states beside the list, and the apps that a name stands for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Count, F, Q
from django.db.models.functions import Now

from memories.access import View
from memories.admin.memory_list.states import ADDITION_UNDONE
from memories.admin.sources import proper_name
from memories.models import JournalEntry, Memory
from memories.queries.clients import BUILTIN_CLIENTS, client_names
from memories.queries.selectors import list_tags

SECONDS = 60
"""The lifetime of counts. Every change of the owner's memories drops them at once; only expiries come late."""

SHOWN = 12

Origin = tuple[str | None, str]
"""The `source_provider` and the `stored_by` of a memory."""


@dataclass(frozen=True, slots=True)
class Facets:
    """Names with their counts, most used first. `origins` are the origins that each name of an app stands for."""

    tags: Sequence[tuple[str, int]]
    apps: Sequence[tuple[str, int]]
    states: dict[str, int]
    origins: dict[str, list[Origin]]

    def origins_called(self, name: str) -> list[Origin]:
        """Return the origins of an app, however its name is spelled; else those of a source that an app has given, and
        of apps whose name begins with `name`.
        """
        wanted = proper_name(name).casefold()
        exact = [origin for app, origins in self.origins.items() if app.casefold() == wanted for origin in origins]
        given = [
            origin
            for origins in self.origins.values()
            for origin in origins
            if proper_name(origin[0] or "").casefold() == wanted
        ]
        begun = [
            o for app, origins in self.origins.items() if app.casefold().startswith(name.casefold()) for o in origins
        ]
        return exact or list(dict.fromkeys([*given, *begun]))

    def name_of(self, origin: Origin) -> str:
        """Return the name of the app of an origin."""
        return next((app for app, origins in self.origins.items() if origin in origins), "")


def facets_of_all(view: View) -> Facets:
    """Return the counts over all active memories of a view. One query, and five more if they are not cached."""
    latest = JournalEntry.objects.filter(owner_id=view.owner_id).order_by("-id").values_list("pk", flat=True).first()
    key = f"memory-facets-{view.owner_id}-{latest}"
    found: Facets | None = cache.get(key)
    if found is None:
        found = _count(view)
        cache.set(key, found, SECONDS)
    return found


def facets_among(memories: Iterable[tuple[Sequence[str], str | None, str]], every: Facets) -> Facets:
    """Return the counts over some memories, given as tags, source and client. `every` has the names of the apps."""
    tags: Counter[str] = Counter()
    apps: Counter[str] = Counter()
    names = {origin: app for app, origins in every.origins.items() for origin in origins}
    for tags_of_one, source, client in memories:
        tags.update(tags_of_one)
        name = names.get((source, client)) or source
        apps.update([name] if name else ())
    return Facets(_top(tags), _top(apps), every.states, every.origins)


def _top(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]


def _count(view: View) -> Facets:
    everything = Memory.objects.visible_including_quarantined(view)
    # Of all memories, so that a name also finds what its app has stored and the owner has forgotten.
    active = Q(deleted_at=None, quarantined_from=None) & (Q(expires_at=None) | Q(expires_at__gt=Now()))
    origins = everything.order_by().values_list("source_provider", "stored_by")
    rows = list(origins.annotate(count=Count("pk", filter=active)))
    named = client_names({client for _, client, _ in rows if client})
    apps: Counter[str] = Counter()
    by_name: dict[str, list[Origin]] = {}
    spelled: dict[str, str] = {}
    for source, client, count in sorted(rows, key=lambda row: -row[2]):
        name = _name_of((source, client), named)
        if name:
            name = spelled.setdefault(name.casefold(), name)
            apps[name] += count
            by_name.setdefault(name, []).append((source, client))
    tags = list_tags(view, limit=SHOWN)
    return Facets(tags, [app for app in _top(apps) if app[1]], _states(view), by_name)


def _name_of(origin: Origin, named: Mapping[str, str]) -> str:
    """Return the name of the app, as `with_source` does. `named` are the names of the clients."""
    source, client = origin
    # The name of an app that is gone is its id, which says nothing.
    name = named[client] if named.get(client, client) != client else ""
    return proper_name(source) if source and (client in BUILTIN_CLIENTS or not name) else name


def _states(view: View) -> dict[str, int]:
    """Return the numbers of memories by state, without states that are empty. Their memories are those of `STATES`."""
    forgotten = Q(deleted_at__isnull=False, quarantined_from=None)
    kept = Q(deleted_at=None, quarantined_from=None)
    active = kept & (Q(expires_at=None) | Q(expires_at__gt=Now()))
    numbers = Memory.objects.visible_including_quarantined(view).aggregate(
        active=Count("pk", filter=active),
        pinned=Count("pk", filter=active & Q(briefing_place="pinned")),
        hidden=Count("pk", filter=active & Q(briefing_place="hidden")),
        past=Count("pk", filter=active & Q(valid_until__lt=Now(), last_confirmed_at__lte=F("valid_until"))),
        expiring=Count("pk", filter=active & Q(expires_at__isnull=False)),
        inferred=Count("pk", filter=active & Q(capture_mode=Memory.CaptureMode.INFERRED)),
        expired=Count("pk", filter=kept & Q(expires_at__lte=Now())),
        replaced=Count("pk", filter=forgotten & Q(replaced_by__isnull=False)),
        forgotten=Count("pk", filter=forgotten & Q(replaced_by__isnull=True) & ~ADDITION_UNDONE),
        undone=Count("pk", filter=forgotten & Q(replaced_by__isnull=True) & ADDITION_UNDONE),
    )
    return {state: number for state, number in numbers.items() if number or state == "active"}
