"""List of sources, and the URLs of their pages. Every write goes through the domain."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext

from common.pages.owner_pages import owner_page
from documents.admin.source_pages.add_page import add_page
from documents.admin.source_pages.remove_page import remove_page
from documents.admin.source_pages.rows import source_rows, with_document_count
from documents.admin.source_pages.settings_page import settings_page
from documents.admin.source_pages.source_page import source_page
from documents.admin.source_pages.sync_pages import ACTIONS, act
from documents.models import Source
from memories.admin.base import OwnedAdmin, given_id

MOST_SHOWN = 300


@admin.register(Source)
class SourceAdmin(OwnedAdmin):
    def get_queryset(self, request: HttpRequest) -> QuerySet[Source]:
        sources: QuerySet[Source] = super().get_queryset(request)
        return with_document_count(sources)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list."""
        shown = list(self.get_queryset(request).order_by("name", "pk")[: MOST_SHOWN + 1])
        context = {
            "sources": source_rows(shown[:MOST_SHOWN]),
            "has_more": len(shown) > MOST_SHOWN,
            "add_url": reverse("admin:documents_source_add"),
        }
        return owner_page(request, "admin/documents/source/list.html", context, title=gettext("Sources"))

    # --- The other pages

    def get_urls(self) -> list[URLPattern]:
        """Return Django's URLs, those of the buttons, of the settings and of the removal."""

        def page(url: str, view: Callable[..., HttpResponse], name: str) -> URLPattern:
            return path(f"<int:source_id>/{url}/", self.admin_site.admin_view(view), name=f"documents_source_{name}")  # type: ignore[no-any-return]

        buttons = [page(name, partial(act, name), name) for name in ACTIONS]
        pages = [page("settings", settings_page, "settings"), page("remove", remove_page, "remove")]
        return [*buttons, *pages, *super().get_urls()]

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: object = None) -> HttpResponse:
        """Return the page for a new source."""
        return add_page(request)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: object = None
    ) -> HttpResponse:
        """Return the page of a source."""
        return source_page(request, given_id(object_id))

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: object = None) -> HttpResponse:
        """Redirect to the page that asks what becomes of the documents."""
        return redirect("admin:documents_source_remove", given_id(object_id))

    def history_view(self, request: HttpRequest, object_id: str, extra_context: object = None) -> HttpResponse:
        """Redirect to the page of the source: Django's log has no entries."""
        return redirect("admin:documents_source_change", given_id(object_id))
