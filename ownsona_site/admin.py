"""Admin page of the background jobs, for users who run the server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from procrastinate.contrib.django.models import ProcrastinateJob
from unfold.admin import ModelAdmin
from unfold.decorators import display
from unfold.paginator import InfinitePaginator

SUCCEEDED = "succeeded"
STATUS_COLOURS = {SUCCEEDED: "success", "failed": "danger", "doing": "info", "aborted": "warning"}


class StatusFilter(admin.SimpleListFilter):
    """A filter that by default hides succeeded jobs, since several jobs succeed every minute."""

    title = "status"
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("", "Pending, running or failed"), (SUCCEEDED, "Succeeded"), ("all", "All")]

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        for value, label in self.lookup_choices:
            query = changelist.get_query_string({self.parameter_name: value} if value else {}, [self.parameter_name])
            yield {"selected": (self.value() or "") == value, "query_string": query, "display": label}

    def queryset(self, request: HttpRequest, queryset: QuerySet[ProcrastinateJob]) -> QuerySet[ProcrastinateJob]:
        if self.value() == "all":
            return queryset
        succeeded = Q(status=SUCCEEDED)
        return queryset.filter(succeeded if self.value() == SUCCEEDED else ~succeeded)


@admin.register(ProcrastinateJob)
class JobAdmin(ModelAdmin):  # type: ignore[misc]  # the library has no types
    paginator = InfinitePaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    actions = None
    list_display = ("id", "task_name", "shown_status", "attempts", "scheduled_at")
    list_display_links = ("id",)
    list_filter = (StatusFilter,)
    fields = ("task_name", "shown_status", "attempts", "scheduled_at", "args")
    readonly_fields = fields
    ordering = ("-id",)
    sortable_by = ()

    @display(description="status", label=STATUS_COLOURS)  # type: ignore[untyped-decorator]  # the library has no types
    def shown_status(self, job: ProcrastinateJob) -> str:
        return job.status

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
