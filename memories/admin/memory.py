"""Pages to browse, search, change, forget and restore memories. Every write goes through the domain."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import admin, messages
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.text import Truncator
from unfold.decorators import display

from memories.admin.base import acting_owner, owner_id, owners_view
from memories.admin.decision_pages import DecisionAdmin
from memories.admin.decisions import ACCEPT, CONFIRM, FORGET, REJECT, RESTORE, Decision, DecisionDetails, placing
from memories.admin.filters import BriefingFilter, SourceFilter, StateFilter, TagFilter
from memories.admin.forms import ChangedMemoryForm, NewMemoryForm
from memories.admin.history import history_of
from memories.admin.search import MemoryChangeList, is_by_meaning, search
from memories.admin.sources import with_source
from memories.admin.states import State, past_since, state_of, validity_of
from memories.errors import MemoriesError
from memories.models import Memory, MemoryQuerySet
from memories.tags import TagChange
from memories.vectors.indexing import has_vector
from memories.writing.lifecycle import hard_delete_memory
from memories.writing.quarantine import rejected_among
from memories.writing.remembering import RememberOutcome, RememberRequest, remember
from memories.writing.updating import UpdateOutcome, update_memory

SHOWN_CHARS = 140
STATE_COLOURS = {
    State.ACTIVE: "success",
    State.PENDING_VECTOR: "info",
    State.EXPIRED: "warning",
    State.IN_INBOX: "info",
    State.FORGOTTEN: "danger",
}


@admin.register(Memory)
class MemoryAdmin(DecisionAdmin):
    form = ChangedMemoryForm
    add_form = NewMemoryForm
    list_filter = (StateFilter, TagFilter, SourceFilter, BriefingFilter, "capture_mode", "created_at")
    list_display_links = ("shown_text",)
    search_fields = ("text",)
    search_help_text = "Search your memories"
    ordering = ("-created_at", "-id")
    sortable_by = ("shown_importance", "confirmed", "created")
    readonly_fields = (
        "id", "state", "source_provider", "capture_mode", "session_id", "created_at", "updated_at", "holds"
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> MemoryQuerySet:
        return with_source(Memory.objects.visible_including_quarantined(owners_view(request))).annotate(
            has_vector=has_vector()
        )

    # --- The list

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[MemoryChangeList]:
        return MemoryChangeList

    def get_list_display(self, request: HttpRequest) -> list[str]:
        """Return the columns. A search by meaning shows the score in place of the time of confirmation."""
        columns = ["shown_text", "shown_tags", "shown_importance", "source", "state"]
        return ["score", *columns, "created"] if is_by_meaning(request) else [*columns, "confirmed", "created"]

    def get_search_results(
        self, request: HttpRequest, queryset: MemoryQuerySet, search_term: str
    ) -> tuple[MemoryQuerySet, bool]:
        """Return the matches in `queryset`. A search that fails finds nothing and shows the error."""
        if not search_term.strip():
            return queryset, False
        try:
            return search(request, owners_view(request), queryset, search_term), False
        except MemoriesError as error:
            messages.error(request, str(error))
            return queryset.none(), False

    @admin.display(description="text")
    def shown_text(self, memory: Memory) -> str:
        """Return the beginning of the text, or after a search by meaning that of the nearest passage."""
        passage: str | None = getattr(memory, "passage", None)
        text = memory.text if passage is None or memory.text.startswith(passage) else f"…{passage}"
        shown = Truncator(text).chars(SHOWN_CHARS)
        return f"{shown} ({past_since(memory)})" if memory.is_past else shown

    @admin.display(description="tags")
    def shown_tags(self, memory: Memory) -> str:
        return render_to_string("memories/tags.html", {"tags": memory.tags})

    @admin.display(description="importance", ordering="importance")
    def shown_importance(self, memory: Memory) -> str:
        return f"{memory.importance:g}"

    @admin.display(description="source", empty_value="—")
    def source(self, memory: Memory) -> str | None:
        """See `with_source`."""
        return memory.source_name  # type: ignore[attr-defined, no-any-return]  # annotated

    @display(description="state", label=STATE_COLOURS)  # type: ignore[untyped-decorator]  # the library has no types
    def state(self, memory: Memory) -> State:
        return state_of(memory)

    @admin.display(description="Holds")
    def holds(self, memory: Memory) -> str:
        return validity_of(memory)

    @admin.display(description="confirmed", ordering="last_confirmed_at")
    def confirmed(self, memory: Memory) -> str:
        return date_format(memory.last_confirmed_at)

    @admin.display(description="created", ordering="created_at")
    def created(self, memory: Memory) -> str:
        return date_format(memory.created_at)

    @admin.display(description="similarity")
    def score(self, memory: Memory) -> str:
        return f"{memory.score:.2f}"  # type: ignore[attr-defined]  # annotated by the search

    # --- One memory

    def get_fieldsets(self, request: HttpRequest, obj: Memory | None = None) -> list[tuple[str | None, dict[str, Any]]]:
        """Return the fields that the owner may change, and those of the memory's origin."""
        if obj is None:
            return [(None, {"fields": ("text", "tags", "importance", ("valid_from", "valid_until"), "expires_at")})]
        edited = ("text", "tags", "importance", ("valid_from", "valid_until"), "expires_at", "last_confirmed_at")
        dated = ("holds",) if obj.valid_from or obj.valid_until else ()
        came_with = (
            ("id", "state"),
            *dated,
            ("source_provider", "capture_mode"),
            "session_id",
            ("created_at", "updated_at"),
        )
        return [(None, {"fields": edited}), ("Origin", {"fields": came_with})]

    def get_form(self, request: HttpRequest, obj: Memory | None = None, change: bool = False, **options: Any) -> Any:
        """Return the form for a new memory, or for an existing one."""
        return super().get_form(request, obj, change, form=self.form if change else self.add_form, **options)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Return False for a forgotten memory, which can only be viewed, restored or deleted."""
        return not (isinstance(obj, Memory) and obj.deleted_at)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], **options: Any) -> HttpResponse:
        """Render the form, with the possible decisions above and the memory's history below."""
        memory = options.get("obj")
        context.update(show_save_and_add_another=False, show_save_and_continue=False)
        if memory is not None and memory.quarantined_from is not None and memory.deleted_at is None:
            # Accept must come first. The library cannot put a button before its own "Save", so a template does that.
            context.update(accept=ACCEPT.name, show_save=False)
            context["actions_submit_line"] = [{"action_name": "_save", "description": "Save"}]
        if memory is not None:
            context.update(
                history=history_of(owner_id(request), memory.pk),
                decisions=_decisions_about(memory),
            )
        return super().render_change_form(request, context, **options)  # type: ignore[no-any-return]

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
        """Remember a new memory, or change one. With the button "Accept" a quarantined one is accepted, too."""
        actor = acting_owner(owner_id(request))
        if isinstance(form, ChangedMemoryForm):
            updated = update_memory(actor, obj.pk, form.changes()) if form.changed_data else UpdateOutcome([])
            messages.success(request, "Saved." if updated.changed_fields else "Nothing was changed.")
            _report_tag_changes(request, updated.tag_changes)
            if ACCEPT.name in request.POST:
                ACCEPT.apply(actor, obj.pk, DecisionDetails())
                messages.success(request, "Accepted.")
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
        messages.success(request, f"Memory #{obj_id} was permanently deleted.")
        return redirect("admin:memories_memory_changelist")


def _decisions_about(memory: Memory) -> tuple[Decision, ...]:
    if memory.deleted_at is not None:
        return (RESTORE,)
    # A quarantined memory is accepted by the button below the form, along with the changes typed.
    return (CONFIRM, FORGET, *placing(memory)) if memory.quarantined_from is None else (REJECT,)


def _report_tag_changes(request: HttpRequest, changes: Iterable[TagChange]) -> None:
    for change in changes:
        if change.stored is None:
            messages.info(
                request, f"The tag “{change.given}” was dropped: a tag must have at least two letters or digits."
            )
        else:
            messages.info(
                request, f"The tag “{change.given}” was stored as “{change.stored}”, as defined in your tag synonyms."
            )


def _report_remembered(request: HttpRequest, remembered: RememberOutcome) -> None:
    if remembered.is_duplicate:
        messages.info(request, "You already have this memory. It is shown below.")
        return
    messages.success(request, "Remembered.")
    _report_tag_changes(request, remembered.tag_changes)
    if not remembered.indexed:
        messages.warning(request, "Its vector is pending: until then only keyword search finds it.")
    near = [memory.pk for memory, _ in remembered.neighbours.active]
    forgotten = [memory.pk for memory, _ in remembered.neighbours.forgotten]
    rejected = rejected_among(owners_view(request), forgotten)
    said = [("Memory {} says almost the same.", pk) for pk in near]
    for pk in forgotten:
        verb = "rejected" if pk in rejected else "forgot"
        said.append((f"You {verb} something very similar: {{}}.", pk))
    for text, pk in said:
        url = reverse("admin:memories_memory_change", args=[pk])
        messages.warning(request, format_html(text, format_html('<a href="{}">#{}</a>', url, pk)))
