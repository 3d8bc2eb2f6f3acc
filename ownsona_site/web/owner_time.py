"""The time zone of the owner's pages."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

PAGES = ("/admin/",)
"""Beginnings of the paths of pages that people read."""


def owner_time_zone(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Show and read the times of pages in the owner's time zone. Everything else is in UTC."""

    def in_owners_zone(request: HttpRequest) -> HttpResponse:
        if not request.path.startswith(PAGES):
            return get_response(request)
        with timezone.override(settings.OWNER_TIME_ZONE):
            return get_response(request)

    return in_owners_zone
