"""Filters that exclude memories, such as `-tag:work`, and the condition for memories of an app."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import Q

from memories.access import View
from memories.admin.memory_list.facets import Facets, Origin
from memories.admin.memory_list.search import WORD, Search
from memories.admin.memory_list.states import STATES
from memories.models import Memory, MemoryQuerySet
from memories.validation.text import clean_tag


def without_excluded(
    view: View, memories: MemoryQuerySet, search: Search, tags: Iterable[Sequence[str]], every: Facets
) -> MemoryQuerySet:
    """Return `memories` of a view without those that `search` excludes, which has the canonical `tags`."""
    for tag in tags:
        memories = memories.exclude(tags__overlap=list(tag))
    for name in search.excluded("app"):
        memories = memories.exclude(from_any(every.origins_called(name)))
    for agent in search.excluded("agent"):
        memories = memories.exclude(agent=agent)
    for state in search.excluded("is"):
        in_state = STATES[state](Memory.objects.visible_including_quarantined(view))
        memories = memories.exclude(pk__in=in_state.order_by().values("pk"))
    for word in search.excluded(WORD):
        memories = memories.exclude(Q(text__icontains=word) | Q(tags__contains=[clean_tag(word) or word]))
    return memories


def from_any(origins: Sequence[Origin]) -> Q:
    """Return the condition that a memory has one of these origins."""
    condition = Q(pk__in=[])
    for source, client in origins:
        condition |= Q(source_provider=source, stored_by=client)
    return condition
