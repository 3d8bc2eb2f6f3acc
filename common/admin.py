"""Base class of the owner's pages in Django's admin."""

from __future__ import annotations

from typing import NoReturn

from django.http import Http404, HttpRequest
from unfold.admin import ModelAdmin


class StrictModelAdmin(ModelAdmin):  # type: ignore[misc]  # the library has no types
    """An admin that responds with 404 to an unknown id. Django would redirect to the overview."""

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: object, object_id: str) -> NoReturn:
        raise Http404
