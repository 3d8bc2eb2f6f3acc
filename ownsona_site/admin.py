"""Admin page of the background jobs, for users who run the server."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Model, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext
from procrastinate.contrib.django.models import ProcrastinateEvent, ProcrastinateJob

from common.pages.admin import StrictModelAdmin
from common.pages.list_rows import Flag, ListWords, Row
from common.pages.relative_times import exact_time
from ownsona_site.job_names import job_name

WAITING, SUCCEEDED = "todo", "succeeded"
FLAGS = {"failed": "bad", "aborted": "warn"}
STATES = {
    WAITING: gettext_noop("queued"),
    "doing": gettext_noop("running"),
    SUCCEEDED: gettext_noop("done"),
    "failed": gettext_noop("failed"),
    "cancelled": gettext_noop("cancelled"),
    "aborting": gettext_noop("being stopped"),
    "aborted": gettext_noop("stopped"),
}
"""The states of a job in words, by the names that the queue has for them."""


class StatusFilter(admin.SimpleListFilter):
    """A filter that by default hides succeeded jobs, since several jobs succeed every minute."""

    title = gettext_lazy("status")
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("", _("Waiting, running or failed")), (SUCCEEDED, _("Done")), ("all", _("All"))]

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
class JobAdmin(StrictModelAdmin):
    list_title = gettext_lazy("Jobs")
    list_words = ListWords(
        gettext_lazy("No job is waiting, running or failed"),
        gettext_lazy(
            "OwnSona works in the background: it prepares memories for the search by meaning, reads documents, imports "
            "files and tidies up."
        ),
        intro=gettext_lazy(
            "What OwnSona does in the background. Most jobs run again by themselves after a failure. The log of the "
            "server has the reason."
        ),
        symbol="check",
    )
    actions = None
    list_filter = (StatusFilter,)
    fields = ("shown_status", "changed", "next_start", "shown_attempts", "task_name", "args")
    readonly_fields = fields
    technical_fields = ("task_name", "args")
    ordering = ("-id",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ProcrastinateJob]:
        """Return the jobs, each with the time of its last event as `changed_at`."""
        latest = ProcrastinateEvent.objects.filter(job=OuterRef("pk")).order_by("-at").values("at")[:1]
        jobs: QuerySet[ProcrastinateJob] = super().get_queryset(request).annotate(changed_at=Subquery(latest))
        return jobs

    def row(self, obj: ProcrastinateJob) -> Row:
        attempts = [ngettext("{count} attempt", "{count} attempts", obj.attempts).format(count=obj.attempts)]
        kind = FLAGS.get(obj.status, "")
        flags = [Flag(_state(obj), kind)] if kind else []
        said = [*([] if kind else [_state(obj)]), *(attempts if obj.attempts > 1 else [])]
        at = obj.scheduled_at if obj.status == WAITING and obj.scheduled_at else _changed_at(obj)
        return Row(job_name(obj.task_name), said=said, at=at, flags=flags)

    @admin.display(description=gettext_lazy("status"))
    def shown_status(self, job: ProcrastinateJob) -> str:
        return _state(job)

    @admin.display(description=gettext_lazy("last change"))
    def changed(self, job: ProcrastinateJob) -> str:
        at = _changed_at(job)
        return exact_time(at) if at else ""

    @admin.display(description=gettext_lazy("next start"))
    def next_start(self, job: ProcrastinateJob) -> str:
        """Return the planned time of a job that waits."""
        return exact_time(job.scheduled_at) if job.status == WAITING and job.scheduled_at else ""

    @admin.display(description=gettext_lazy("attempts"))
    def shown_attempts(self, job: ProcrastinateJob) -> str:
        return str(job.attempts) if job.attempts > 1 else ""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def _changed_at(job: ProcrastinateJob) -> datetime | None:
    """Return the time of the last event of a job of `JobAdmin.get_queryset`."""
    at: datetime | None = getattr(job, "changed_at", None)
    return at


def _state(job: ProcrastinateJob) -> str:
    return _(STATES.get(job.status, job.status))
