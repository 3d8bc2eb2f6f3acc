"""Pages to browse, search, change, forget and restore memories. Every write goes through the domain."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.text import Truncator
from django.utils.translation import gettext, gettext_lazy

from common.pages.list_rows import ListWords
from common.pages.owner_pages import say
from memories.admin.base import acting_owner, given_id, owner_id, owners_view
from memories.admin.forms import CHANGED_FIELDS, ChangedMemoryForm, NewMemoryForm
from memories.admin.kept_secrets.messages import report_deleted_values
from memories.admin.memory_list.actions import act_on_memories
from memories.admin.memory_list.editing import edit_row
from memories.admin.memory_list.merging import merge_page
from memories.admin.memory_list.page import memory_list_page
from memories.admin.memory_page.page import memory_page
from memories.admin.review.decision_pages import DecisionAdmin
from memories.admin.review.decisions import ACCEPT, DecisionDetails
from memories.admin.seen_values import SEEN
from memories.admin.sources import with_source
from memories.admin.states import state_of, validity_of
from memories.admin.tag_messages import report_tag_changes
from memories.admin.undo.now import undo_address
from memories.errors import MemoriesError
from memories.models import Memory, MemoryQuerySet
from memories.vectors.indexing import has_vector
from memories.writing.lifecycle import hard_delete_memory
from memories.writing.quarantine import rejected_among
from memories.writing.remembering import RememberOutcome, RememberRequest, remember
from memories.writing.updating import UpdateOutcome, update_memory

HEADING_CHARS = 120


@admin.register(Memory)
class MemoryAdmin(DecisionAdmin):
    list_words = ListWords("", add=gettext_lazy("Add a memory"))
    technical_fields = ("number", "state", "source", "captured", "session", "shown_agent", "created", "updated")
    form = ChangedMemoryForm
    delete_verb = gettext_lazy("Delete permanently")
    add_form = NewMemoryForm
    readonly_fields = (
        "number", "state", "source", "captured", "session", "shown_agent", "created", "updated", "holds"
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> MemoryQuerySet:
        return with_source(Memory.objects.visible_including_quarantined(owners_view(request))).annotate(
            has_vector=has_vector()
        )

    # --- The list

    def get_urls(self) -> list[URLPattern]:
        """Return Django's URLs, the timeline, and the pages for merging and for editing a row."""
        wrap = self.admin_site.admin_view
        pages = [
            path("timeline/", wrap(partial(memory_list_page, is_timeline=True)), name="memories_memory_timeline"),
            path("merge/", wrap(merge_page), name="memories_memory_merge"),
            path("<int:memory_id>/edit/", wrap(edit_row), name="memories_memory_edit"),
        ]
        return [*pages, *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list, or carry out one of its actions."""
        return act_on_memories(request) if request.method == "POST" else memory_list_page(request)

    # --- One memory

    def heading(self, obj: Memory) -> str:
        return Truncator(obj.text).chars(HEADING_CHARS)

    @admin.display(description=gettext_lazy("state"))
    def state(self, memory: Memory) -> str:
        return gettext(state_of(memory))

    @admin.display(description=gettext_lazy("ID"))
    def number(self, memory: Memory) -> int:
        return memory.pk

    @admin.display(description=gettext_lazy("Source provider"))
    def source(self, memory: Memory) -> str:
        return memory.source_provider or ""

    @admin.display(description=gettext_lazy("Capture mode"))
    def captured(self, memory: Memory) -> str:
        return gettext("Explicit") if memory.capture_mode == Memory.CaptureMode.EXPLICIT else gettext("Inferred")

    @admin.display(description=gettext_lazy("Session id"))
    def session(self, memory: Memory) -> str:
        return memory.session_id or ""

    @admin.display(description=gettext_lazy("Agent"))
    def shown_agent(self, memory: Memory) -> str:
        return memory.agent or ""

    @admin.display(description=gettext_lazy("Created at"))
    def created(self, memory: Memory) -> datetime:
        return memory.created_at

    @admin.display(description=gettext_lazy("Updated at"))
    def updated(self, memory: Memory) -> datetime:
        return memory.updated_at

    @admin.display(description=gettext_lazy("Holds"))
    def holds(self, memory: Memory) -> str:
        return validity_of(memory)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponseBase:
        """Show the memory. With `?fields=all` and on POST, show or save the form with all of its fields."""
        if request.method == "POST" or request.GET.get("fields") == "all":
            return super().change_view(request, object_id, form_url, extra_context)  # type: ignore[no-any-return]
        return memory_page(request, given_id(object_id))

    def get_fieldsets(self, request: HttpRequest, obj: Memory | None = None) -> list[tuple[str | None, dict[str, Any]]]:
        """Return the fields that the owner may change, and those of the memory's origin."""
        if obj is None:
            return [(None, {"fields": ("text", "tags", "importance", "valid_from", "valid_until", "expires_at")})]
        edited = (*CHANGED_FIELDS, SEEN)
        dated = ("holds",) if obj.valid_from or obj.valid_until else ()
        of_agent = ("shown_agent",) if obj.agent else ()
        came_with = (
            ("number", "state"),
            *dated,
            ("source", "captured"),
            "session",
            *of_agent,
            ("created", "updated"),
        )
        return [(None, {"fields": edited}), (gettext("Origin"), {"fields": came_with})]

    def get_form(self, request: HttpRequest, obj: Memory | None = None, change: bool = False, **options: Any) -> Any:
        """Return the form for a new memory, or for an existing one."""
        form = super().get_form(request, obj, change, form=self.form if change else self.add_form, **options)
        return type(form.__name__, (form,), {"owner_id": owner_id(request)})

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Return False for a forgotten memory, which can only be viewed, restored or deleted."""
        return not (isinstance(obj, Memory) and obj.deleted_at)

    def crumb_of(self, obj: Memory | None) -> dict[str, str]:
        """Return the way back to the page of the memory."""
        return {"url": self._url("change", obj.pk), "title": gettext("Memory")} if obj else self.crumb()

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], **options: Any) -> HttpResponse:
        """Render the form, with "Save and keep" beside "Save" for a memory in the inbox."""
        memory = options.get("obj")
        if memory is not None and memory.quarantined_from is not None and memory.deleted_at is None:
            context["accept"] = ACCEPT.name
        return super().render_change_form(request, context, **options)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponseBase:
        """Show or save the form. Show an error if another client changed the memory between validation and saving."""
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)  # type: ignore[no-any-return]
        except MemoriesError as error:
            messages.error(request, str(error))
            return redirect(request.get_full_path())

    def save_model(
        self, request: HttpRequest, obj: Memory, form: NewMemoryForm | ChangedMemoryForm, change: bool
    ) -> None:
        """Remember a new memory, or change one. With the button "Save and keep" a quarantined one is accepted, too."""
        actor = acting_owner(owner_id(request))
        if isinstance(form, ChangedMemoryForm):
            updated = update_memory(actor, obj.pk, form.changes()) if form.changed_data else UpdateOutcome([])
            _report_updated(request, updated, undo_address(actor.change_set, request.get_full_path()))
            report_tag_changes(request, updated.tag_changes)
            report_deleted_values(request, updated)
            if ACCEPT.name in request.POST:
                ACCEPT.apply(actor, obj.pk, DecisionDetails())
                messages.success(request, gettext("Accepted."))
        else:
            remembered = remember(actor, RememberRequest(form.draft()))
            obj.pk = remembered.memory_id
            _report_remembered(request, remembered)

    def response_add(self, request: HttpRequest, obj: Memory, post_url_continue: str | None = None) -> HttpResponse:
        return redirect("admin:memories_memory_change", obj.pk)

    def response_change(self, request: HttpRequest, obj: Memory) -> HttpResponse:
        if ACCEPT.name in request.POST:
            return redirect("inbox")
        return redirect("admin:memories_memory_change", obj.pk)

    # --- Deleting for good

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        return [str(memory) for memory in objs], {}, set(), []

    def delete_model(self, request: HttpRequest, obj: Memory) -> None:
        hard_delete_memory(acting_owner(owner_id(request)), obj.pk)

    def response_delete(self, request: HttpRequest, obj_display: str, obj_id: int) -> HttpResponse:
        messages.success(request, gettext("The memory was permanently deleted."))
        return redirect("admin:memories_memory_changelist")


def _report_updated(request: HttpRequest, updated: UpdateOutcome, undo_url: str) -> None:
    if updated.changed_fields:
        say(request, gettext("Saved."), undo_url=undo_url)
    else:
        messages.info(request, gettext("Nothing was changed."))


def _report_remembered(request: HttpRequest, remembered: RememberOutcome) -> None:
    if remembered.is_duplicate:
        messages.info(request, gettext("You already have this memory. It is shown below."))
        return
    messages.success(request, gettext("Remembered."))
    report_tag_changes(request, remembered.tag_changes)
    if not remembered.indexed:
        messages.warning(request, gettext("Its vector is pending: until then only keyword search finds it."))
    near = [memory.pk for memory, _ in remembered.neighbours.active]
    forgotten = [memory.pk for memory, _ in remembered.neighbours.forgotten]
    rejected = rejected_among(owners_view(request), forgotten)
    said = [(gettext("Memory {} says almost the same."), pk) for pk in near]
    for pk in forgotten:
        rejection, forgetting = (
            gettext("You did not keep something very similar: {}."),
            gettext("You forgot something very similar: {}."),
        )
        said.append((rejection if pk in rejected else forgetting, pk))
    for text, pk in said:
        url = reverse("admin:memories_memory_change", args=[pk])
        messages.warning(request, format_html(text, format_html('<a href="{}">#{}</a>', url, pk)))
