"""Pages of the recall log, newest first, with the owner's judgements."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.core.exceptions import BadRequest
from django.db.models import BigIntegerField, Exists, Model, OuterRef, QuerySet, Subquery
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from common.pages.admin_list import TimeFilter
from common.pages.list_rows import ListWords, Row
from common.pages.owner_pages import owner_page
from common.pages.relative_times import plural
from memories.admin.base import OwnedAdmin, given_id, owner_id, owners_view
from memories.admin.history import client_label, client_name
from memories.admin.recall_details import load_recalled_memories
from memories.errors import MemoriesError
from memories.models import Memory, PastRecall, Verdict
from memories.recall_log.judgements import Judgement, judge, search_eligible_memories
from memories.recall_log.past_recalls import keeps_queries, keeps_recalls

SHOWN_CHARS = 140
FOUND_CHARS = 100
"""The part of the best match that stands for a question that was not stored."""

HEADING_CHARS = 300
LOOK = "look"
"""Query parameter of a recall's page: the words by which the owner searches for further memories."""


class AppFilter(SimpleListFilter):
    title = gettext_lazy("app")
    parameter_name = "app"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        clients = PastRecall.objects.filter(owner_id=owner_id(request)).order_by().values("client").distinct()
        named = clients.annotate(client_name=client_name()).values_list("client", "client_name")
        return sorted(((client, client_label(client, name)) for client, name in named), key=lambda app: app[1])

    def queryset(self, request: HttpRequest, queryset: QuerySet[PastRecall]) -> QuerySet[PastRecall]:
        return queryset.filter(client=app) if (app := self.value()) else queryset


class VerdictFilter(SimpleListFilter):
    title = gettext_lazy("judgement")
    parameter_name = "verdict"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        return [("useful", _("With a useful match")), ("wrong", _("With a wrong match")), ("none", _("Not judged"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[PastRecall]) -> QuerySet[PastRecall]:
        verdicts = Verdict.objects.filter(recall=OuterRef("pk"))
        match self.value():
            case "useful":
                return queryset.filter(Exists(verdicts.filter(is_useful=True)))
            case "wrong":
                return queryset.filter(Exists(verdicts.filter(is_useful=False)))
            case "none":
                return queryset.filter(~Exists(verdicts))
        return queryset


@admin.register(PastRecall)
class PastRecallAdmin(OwnedAdmin):
    list_words = ListWords(
        gettext_lazy("No app has asked yet"),
        gettext_lazy("Each time an app gets memories, they are listed here."),
        symbol="search",
    )
    delete_hint = gettext_lazy(
        "The question, the list of what was found and your judgements are removed. The memories stay."
    )
    list_filter = (AppFilter, VerdictFilter, ("at", TimeFilter))
    search_fields = ("query",)
    search_help_text = gettext_lazy("Search questions")
    ordering = ("-at", "-id")

    def get_queryset(self, request: HttpRequest) -> QuerySet[PastRecall]:
        own: QuerySet[PastRecall] = super().get_queryset(request)
        first_id = Cast(KeyTextTransform("id", KeyTransform(0, "matches")), BigIntegerField())
        memories = Memory.objects.visible_to(owners_view(request)).filter(pk=OuterRef("first_id"))
        annotated = own.annotate(client_name=client_name(), first_id=first_id)
        return annotated.annotate(first_text=Subquery(memories.values("text"))).prefetch_related("verdicts")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_urls(self) -> list[URLPattern]:
        """Return Django's URLs and the one that the judgement buttons post to."""
        judged = path("<int:pk>/judge/", self.admin_site.admin_view(self.judge_view), name="memories_pastrecall_judge")
        return [judged, *super().get_urls()]

    # --- The list

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list below a text about what is logged."""
        shown = {
            "are_kept": keeps_recalls(),
            "keeps_queries": keeps_queries(),
            **(extra_context or {}),
        }
        response = super().changelist_view(request, shown)
        if isinstance(response, TemplateResponse) and response.context_data and not keeps_recalls():
            response.context_data["words"] = replace(self.list_words, empty_hint="")
        return response

    def row(self, obj: PastRecall) -> Row:
        app = _app(obj)
        found = len(obj.matches)
        return Row(
            self.heading(obj),
            said=[
                app,
                plural(found, "memory", "memories") if found else _("nothing found"),
                *verdicts(obj),
            ],
            at=obj.at,
            app=app,
        )

    def heading(self, obj: PastRecall) -> str:
        """Return the question; without it, the best match."""
        if obj.query:
            return Truncator(obj.query).chars(SHOWN_CHARS)
        first = getattr(obj, "first_text", None)
        return (
            _("Returned “%(memory)s”") % {"memory": Truncator(first).chars(FOUND_CHARS)} if first else _("A question")
        )

    # --- One recall

    @method_decorator(require_safe)
    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the matches and near misses of a recall, with buttons to judge them."""
        past = self.get_object(request, object_id)
        if past is None:
            raise Http404
        wanted = request.GET.get(LOOK, "")
        context = {
            "crumb": self.crumb(),
            "original": past,
            "shown_chars": HEADING_CHARS,
            "is_folded": len(past.query) > HEADING_CHARS or "\n" in past.query.strip(),
            "app": _app(past),
            "answers": load_recalled_memories(past),
            "keeps_queries": keeps_queries(),
            "wanted": wanted,
            "candidates": _candidates(request, past, wanted) if past.query and wanted.strip() else [],
        }
        return owner_page(request, "memories/recall.html", context, title=_("Recall"))

    @method_decorator(require_POST)
    def judge_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Store the owner's judgement of one memory and redirect back to it."""
        memory_id = given_id(request.POST.get("memory", ""))
        try:
            word = Judgement(request.POST.get("word", ""))
        except ValueError:
            raise BadRequest(f"word: must be one of {', '.join(Judgement)}.") from None
        if not self.get_queryset(request).filter(pk=pk).exists():
            raise Http404
        try:
            judge(owner_id(request), pk, memory_id, word)
        except MemoriesError as error:
            messages.error(request, str(error))
        return redirect(f"{reverse('admin:memories_pastrecall_change', args=[pk])}#memory-{memory_id}")


def verdicts(past: PastRecall) -> list[str]:
    """Return the numbers of matches that the owner judged, in words."""
    said = Counter(verdict.is_useful for verdict in past.verdicts.all())
    words = ((True, _("{count} useful")), (False, _("{count} wrong")))
    return [text.format(count=said[is_useful]) for is_useful, text in words if said[is_useful]]


def _app(past: PastRecall) -> str:
    return client_label(past.client, past.client_name)  # type: ignore[attr-defined]  # annotated


def _candidates(request: HttpRequest, past: PastRecall, wanted: str) -> list[Memory]:
    """Return the memories with the words or the id `wanted` that were not returned."""
    returned = {match["id"] for match in past.matches}
    try:
        return [memory for memory in search_eligible_memories(past, wanted) if memory.pk not in returned]
    except MemoriesError as error:
        messages.error(request, str(error))
        return []
