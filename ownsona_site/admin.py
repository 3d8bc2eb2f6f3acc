"""Background jobs, for whoever runs the server."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from procrastinate.contrib.django.models import ProcrastinateJob
from unfold.admin import ModelAdmin
from unfold.decorators import display
from unfold.paginator import InfinitePaginator

STATUS_COLOURS = {"succeeded": "success", "failed": "danger", "doing": "info", "aborted": "warning"}


@admin.register(ProcrastinateJob)
class JobAdmin(ModelAdmin):  # type: ignore[misc]  # the library has no types
    paginator = InfinitePaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    actions = None
    list_display = ("id", "task_name", "shown_status", "attempts", "scheduled_at")
    list_display_links = None
    list_filter = ("status",)
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
