"""Base class of the owner's pages in Django's admin."""

from __future__ import annotations

from typing import Any, NoReturn

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import BadRequest, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from unfold.admin import ModelAdmin


class StrictModelAdmin(ModelAdmin):  # type: ignore[misc]  # the library has no types
    """An admin that responds with 404 to an unknown id. Django would redirect to the overview."""

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Return the list. Raises BadRequest for a selection of other things than ids of its rows."""
        assert self.opts.pk is not None
        try:
            for value in request.POST.getlist(ACTION_CHECKBOX_NAME):
                self.opts.pk.to_python(value)
        except ValidationError:
            raise BadRequest("The selection is not a list of ids.") from None
        return super().changelist_view(request, extra_context)  # type: ignore[no-any-return]

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: object, object_id: str) -> NoReturn:
        raise Http404
