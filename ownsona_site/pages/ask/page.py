"""The page on which the owner asks what an app would receive."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from common.pages.owner_pages import owner_page
from memories.access import View
from memories.admin.base import owner_id
from memories.admin.briefing.previewed_apps import apps_of
from memories.admin.briefing.sections import sections_of
from memories.briefing.composition import compose_briefing, today
from memories.errors import MemoriesError
from memories.recall_log.past_recalls import keeps_queries, keeps_recalls
from memories.validation.text import has_words
from ownsona_site.pages.ask.answers import answers_to

MAX_CHARS = 2_000


@require_safe
def ask_page(request: HttpRequest) -> HttpResponse:
    """Show what the app `app` of the query would receive for the question `q`. Without a question, its briefing."""
    owner = owner_id(request)
    apps = apps_of(owner)
    chosen = next((app for app in apps if app.client == request.GET.get("app")), None)
    question = request.GET.get("q", "").strip()[:MAX_CHARS]
    view = View(owner, chosen.tags if chosen else ())
    context: dict[str, Any] = {
        "keeps_recalls": keeps_recalls(),
        "keeps_queries": keeps_queries(),
        "apps": apps,
        "chosen": chosen,
        "name": chosen.name if chosen else gettext("An app"),
        "question": question,
        "address": urlencode({"back": request.get_full_path()}),
    }
    try:
        if question and not has_words(question):
            messages.error(request, gettext("The question has no words. Ask in words."))
        elif question:
            context["answers"] = answers_to(view, question)
        else:
            context["briefing"] = sections_of(compose_briefing(view, today()).text)
    except MemoriesError as error:
        messages.error(request, str(error))
    return owner_page(request, "owner/ask.html", context, title=gettext("Ask"))
