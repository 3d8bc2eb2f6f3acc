"""The overview, which is the index of the admin."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext

from common.pages.owner_pages import owner_page
from documents.admin.filters import unreadable_documents
from documents.sources.selectors import count_documents, health_problem, visible_sources
from memories.admin.base import owner_id, owners_view
from memories.admin.rows import memory_row
from memories.admin.sources import with_source
from memories.models import Memory
from ownsona_site.backup.last_backup import last_backup
from ownsona_site.pages.overview.activity import activity_of
from ownsona_site.pages.overview.apps import RULE, SHOWN, apps_of, in_order, tokens_of
from ownsona_site.pages.overview.decisions import decisions_of
from ownsona_site.pages.overview.first_steps import shown_steps
from ownsona_site.pages.overview.problems import problems_of
from ownsona_site.pages.review.progress import Progress
from ownsona_site.pages.shell import Shell

RECENT, RECENT_CHARS = 5, 240


def overview(request: HttpRequest) -> HttpResponse:
    """Show the overview of the logged-in user. The number of queries does not depend on the number of memories."""
    view, shell = owners_view(request), Shell(request)
    active = Memory.objects.visible_to(view).active()
    memories = active.count()
    sources = visible_sources(view)
    documents = count_documents(view)
    apps, tokens = apps_of(owner_id(request)), tokens_of(owner_id(request))
    context = {
        "shell": shell,
        "memories": memories,
        "documents": sum(documents.values()),
        "unreadable": unreadable_documents(view).count() if documents else 0,
        "problems": problems_of(view, sources, documents, runs_server=bool(request.user.is_superuser)),
        "decisions": list(decisions_of(view, shell.counts, Progress(request).put_off_ids("m"))),
        "rows": [memory_row(memory, chars=RECENT_CHARS) for memory in with_source(active).newest_first()[:RECENT]],
        "activity": activity_of(owner_id(request)),
        "apps": in_order([*apps, *tokens])[:SHOWN],
        "app_count": sum(app.is_connected for app in apps),
        "token_count": len(tokens),
        "silent": next((app for app in apps if app.silent_days), None),
        "rule": gettext(RULE),
        "steps": shown_steps(request, owner_id(request), [*apps, *tokens], memories=memories),
        "sources": [(source, documents.get(source.name, 0), bool(health_problem(source))) for source in sources],
        "runs_server": bool(request.user.is_superuser),
        "last_backup": last_backup(),
        "mcp_url": f"{settings.PUBLIC_URL}/mcp",
        "is_only_here": settings.PUBLIC_URL_IS_LOOPBACK,
    }
    return owner_page(request, "owner/overview.html", context, title=gettext("Overview"))
