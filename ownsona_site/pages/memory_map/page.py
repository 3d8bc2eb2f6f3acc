"""The page with the map, the data that its script draws, and the list of one group."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from common.pages.admin_list import first_of_last_page
from common.pages.owner_pages import owner_page
from memories.access import View
from memories.admin.base import given_id, owner_id, owners_view
from memories.admin.rows import memory_rows
from memories.admin.sources import with_source
from memories.models import Memory, MemoryMap
from ownsona_site.pages.memory_map.computing import MAX_POINTS, MIN_POINTS, compute_soon, is_due
from ownsona_site.pages.memory_map.points import Point, points_of
from ownsona_site.pages.memory_map.schemes import schemes_of
from ownsona_site.pages.memory_map.topics import topics_of

MAX_COUNTED = 1_000
PAGE_SIZE = 50


@never_cache
def map_page(request: HttpRequest) -> HttpResponse:
    """Show the map, or have it computed (POST). It is also computed if it is missing or old."""
    view = owners_view(request)
    if request.method == "POST":
        compute_soon(view.owner_id)
        return redirect("map")
    stored = _stored(view.owner_id)
    newer = _newer_memories(view, stored)
    if is_due(stored, newer):
        compute_soon(view.owner_id)
        stored = _stored(view.owner_id)
    assert stored is not None
    points = points_of(view, stored)
    if "group" in request.GET:
        return _group_page(request, stored, points)
    schemes = schemes_of(points)
    context = {
        "stored": stored,
        "state": _state(stored),
        "is_running": stored.finished_at is None,
        "newer": newer,
        "is_many_newer": newer >= MAX_COUNTED,
        "has_map": len(points) >= MIN_POINTS,
        "shown": len(points),
        "is_sample": len(stored.xs) >= MAX_POINTS,
        "schemes": schemes,
        "topics": topics_of(points, schemes),
        "list_url": reverse("admin:memories_memory_changelist"),
    }
    return owner_page(request, "owner/map.html", context, title=gettext("Map"))


@never_cache
@require_safe
@gzip_page
def map_points(request: HttpRequest) -> JsonResponse:
    """Return the points for the script of the page, column by column. It contains no secrets: see BREACH."""
    stored = _stored(owner_id(request))
    points = points_of(owners_view(request), stored) if stored else []
    schemes = schemes_of(points)
    topics = topics_of(points, schemes)
    data: dict[str, Any] = {
        "ids": [point.id for point in points],
        "xs": [point.x for point in points],
        "ys": [point.y for point in points],
        "texts": [point.text for point in points],
        "colours": {scheme.key: "".join(map(str, scheme.colours)) for scheme in schemes},
        "names": {scheme.key: scheme.names for scheme in schemes},
        "labels": [[topic.x, topic.y, topic.name] for topic in topics],
    }
    return JsonResponse(data, json_dumps_params={"separators": (",", ":"), "ensure_ascii": False})


@never_cache
@require_safe
def map_progress(request: HttpRequest) -> JsonResponse:
    """Return whether the map is being computed, for the script of the page."""
    stored = _stored(owner_id(request))
    if stored is None:
        raise Http404
    return JsonResponse({"state": _state(stored), "words": gettext("The map is being computed."), "problem": ""})


def _group_page(request: HttpRequest, stored: MemoryMap, points: list[Point]) -> HttpResponse:
    """Show the memories and documents of a group as a list with the actions of the list of memories."""
    number, page = given_id(request.GET["group"]), given_id(request.GET.get("page", "1"))
    topic = next((topic for topic in topics_of(points, schemes_of(points)) if topic.number == number), None)
    if topic is None:
        raise Http404
    mine = [point for point in points if point.group == number]
    ids = sorted((point.id for point in mine if isinstance(point.id, int)), reverse=True)
    page = min(max(page, 1), first_of_last_page(len(ids), PAGE_SIZE) // PAGE_SIZE + 1)
    first = (page - 1) * PAGE_SIZE
    chosen = Memory.objects.visible_to(owners_view(request)).active().filter(pk__in=ids[first : first + PAGE_SIZE])
    context = {
        "topic": topic,
        "rows": memory_rows(with_source(chosen).order_by("-pk")),
        "documents": [point for point in mine if point.is_document] if page <= 1 else [],
        "next_url": f"{reverse('map')}?group={number}&page={page + 1}" if len(ids) > first + PAGE_SIZE else "",
        "list_url": reverse("admin:memories_memory_changelist"),
        "crumb": {"url": reverse("map"), "title": gettext("Map")},
    }
    return owner_page(request, "owner/map_group.html", context, title=topic.name)


def _stored(owner: int) -> MemoryMap | None:
    return MemoryMap.objects.filter(owner_id=owner).first()


def _state(stored: MemoryMap) -> str:
    return "running" if stored.finished_at is None else "done"


def _newer_memories(view: View, stored: MemoryMap | None) -> int:
    """Return how many memories are newer than the map, MAX_COUNTED at most."""
    memories = Memory.objects.visible_to(view).active()
    if stored and stored.computed_at:
        memories = memories.filter(created_at__gt=stored.computed_at)
    return memories[:MAX_COUNTED].count()
