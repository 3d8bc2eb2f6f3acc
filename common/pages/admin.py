"""Base classes of the owner's pages in Django's admin."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NoReturn

from django.contrib import messages
from django.contrib.admin import ModelAdmin, ShowFacets
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import BadRequest, ValidationError
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.text import Truncator, capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from common.pages.admin_list import OwnersChangeList
from common.pages.list_rows import ListWords, Row
from common.pages.owner_pages import say

NAME_CHARS = 60
"""The longest name of a row in the sentence that says what was done with it."""

_ModelAdmin: Any = ModelAdmin
"""Django's class without its types, which spell out the arguments of hooks that are only passed on here."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact on the page of a row: a field of the admin, its label and its value."""

    name: str
    label: str
    text: str


class StrictModelAdmin(_ModelAdmin):  # type: ignore[misc]  # has no types
    """An admin with lists and forms in the owner's design. It responds with 404 to an unknown id.

    Django would redirect to the overview. The templates are `admin/change_list.html` and `admin/change_form.html`.
    """

    list_title: Any = ""
    """The heading of the list, by default the plural of the model's name."""

    list_words = ListWords(_("Nothing here yet"))
    has_selection = True
    """Whether rows can be selected for the actions."""

    add_verb: Any = _("Save")
    """The text of the button of the form for a new row."""

    delete_hint: Any = ""
    delete_verb: Any = _("Delete")
    """The effect of deleting a row, by default that it cannot be undone."""

    technical_fields: Collection[str] = ()
    """Facts of the page of a row that are shown only on demand."""

    search_help_text: Any = _("Search")
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    list_per_page = 50

    # --- The list

    def row(self, obj: Any) -> Row:
        """Return `obj` as a row of the list. The row has no address: `rows_of` adds it."""
        return Row(str(obj), is_title=True)

    def row_url(self, obj: Any) -> str:
        """Return the address of the page of a row."""
        return self._url("change", obj.pk)

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[OwnersChangeList]:
        """Return the class of lists."""
        return OwnersChangeList

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Return the list. Raises BadRequest for a selection of other things than ids of its rows."""
        assert self.opts.pk is not None
        try:
            for value in request.POST.getlist(ACTION_CHECKBOX_NAME):
                self.opts.pk.to_python(value)
        except ValidationError:
            raise BadRequest("The selection is not a list of ids.") from None
        response: HttpResponse = super().changelist_view(request, extra_context)
        if isinstance(response, TemplateResponse) and response.context_data:
            # Of the page that asks before selected rows are deleted, too.
            response.context_data["delete_hint"] = self.delete_hint
        if isinstance(response, TemplateResponse) and response.context_data and "cl" in response.context_data:
            changelist = response.context_data["cl"]
            response.context_data["rows"] = [
                (obj.pk, self.row_url(obj), self.row(obj)) for obj in changelist.result_list
            ]
            response.context_data |= {
                "title": self._list_title(),
                "is_selectable": self.has_selection and bool(response.context_data.get("action_form")),
                "words": self.list_words,
                "add_url": self._url("add") if self.list_words.add and self.has_add_permission(request) else "",
            }
        return response

    # --- The page of a row

    def heading(self, obj: Any) -> str:
        """Return the heading of the page of `obj`."""
        return self.row(obj).text

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], **options: Any) -> HttpResponse:
        """Return the page of a row: its fields, and the facts that cannot be changed."""
        obj = options.get("obj")
        shown = [field for fieldset in context["adminform"] for line in fieldset for field in line]
        facts = [field for field in shown if getattr(field, "is_readonly", False)]
        told = [fact for field in facts if (fact := _fact(field)).text]
        heading = self.heading(obj) if obj else self.list_words.add
        fields = [field.field for field in shown if field not in facts]
        context |= {
            "title": heading,
            "form": context["adminform"].form if fields else None,
            "facts": [fact for fact in told if fact.name not in self.technical_fields],
            "technical": [fact for fact in told if fact.name in self.technical_fields],
            "fields": fields,
            "verb": _("Save") if obj else self.add_verb,
            "delete_url": self._url("delete", obj.pk) if obj and self.has_delete_permission(request, obj) else "",
            "delete_verb": self.delete_verb,
            "crumb": self.crumb_of(obj),
            "cancel_url": self.crumb_of(obj)["url"],
        }
        return super().render_change_form(request, context, **options)  # type: ignore[no-any-return]

    def crumb_of(self, obj: Any | None) -> dict[str, str]:
        """Return where the form of `obj` leads back to; of a new one if it is None."""
        return self.crumb()

    def crumb(self) -> dict[str, str]:
        """Return the way back to the list."""
        return {"url": self._url("changelist"), "title": self._list_title()}

    def delete_hint_of(self, obj: Any) -> Any:
        """Return what deleting `obj` means."""
        return self.delete_hint

    def render_delete_form(self, request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
        """Return the page that asks before a row is deleted."""
        obj = context["object"]
        crumb = {"url": self._url("change", obj.pk), "title": self.heading(obj)}
        hint = self.delete_hint_of(obj)
        return super().render_delete_form(request, context | {"crumb": crumb, "delete_hint": hint})  # type: ignore[no-any-return]

    # --- What the owner is shown after a change

    def message_user(self, request: HttpRequest, message: Any, level: Any = messages.INFO, **options: Any) -> None:
        """Show a warning of Django. Its texts about what was done are replaced by those below."""
        if level != messages.SUCCESS:
            super().message_user(request, message, level, **options)

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        """Say that `obj` was added, and redirect to the list."""
        say(request, gettext("“%(name)s” was added.") % {"name": self.short_name(obj)})
        return self.response_post_save_add(request, obj)  # type: ignore[no-any-return]

    def response_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        """Say that `obj` was saved, and redirect to the list."""
        say(request, gettext("“%(name)s” was saved.") % {"name": self.short_name(obj)})
        return self.response_post_save_change(request, obj)  # type: ignore[no-any-return]

    def response_delete(self, request: HttpRequest, obj_display: str, obj_id: Any) -> HttpResponse:
        """Say that a row was deleted, and redirect to the list."""
        say(request, gettext("“%(name)s” was deleted.") % {"name": Truncator(obj_display).chars(NAME_CHARS)})
        return redirect(self._url("changelist"))

    def short_name(self, obj: Any) -> str:
        """Return the name of `obj` in messages."""
        return Truncator(self.heading(obj)).chars(NAME_CHARS)

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: object, object_id: str) -> NoReturn:
        raise Http404

    def _list_title(self) -> str:
        return str(self.list_title or gettext(capfirst(str(self.opts.verbose_name_plural))))

    def _url(self, page: str, *args: object) -> str:
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_{page}", args=args)


def _fact(field: Any) -> Fact:
    """Return a read-only field of a form, without a text if it is empty."""
    text = field.contents()
    label = capfirst(str(field.field["label"]))
    return Fact(str(field.field["name"]), label, "" if text == field.empty_value_display else text)


class OwnersAdmin(StrictModelAdmin):
    """An admin in which every user may do everything with their own rows. `get_queryset` must select them.

    Django's permissions per model are not used.
    """

    def has_module_permission(self, request: HttpRequest) -> bool:
        return True

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return True

    def has_add_permission(self, request: HttpRequest) -> bool:
        return True

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return True

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return True
