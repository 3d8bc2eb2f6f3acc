"""Data of the owner's overview page: counts of memories and connected apps, and the health of the server."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from django.conf import settings
from django.db.models import Count, Q
from django.utils import timezone
from oauth2_provider.models import AccessToken

from mcpapi.approvals.approval_store import pending_approvals
from memories.access import View
from memories.admin.models_page import Move, current_move
from memories.embeddings import Space
from memories.models import JournalEntry, Memory
from memories.queries.selectors import MemoryStats, memory_stats
from memories.vectors.indexing import pending_memories
from memories.vectors.spaces import differently_configured_space, space_in_use_or_none
from memories.writing.quarantine import inbox
from oauthserver.budgets.balances import nearly_used_budgets
from ownsona_site.doctor.refused_apps import refused_today
from ownsona_site.monitoring.health import Component, components

SHOWN_TAGS = 12

LATE = timedelta(minutes=5)
"""Age from which a memory without vectors indicates a problem: the job process embeds such memories every minute."""


@dataclass(frozen=True, slots=True)
class Dashboard:
    """One user's overview. `space` names the embedding model in use, `pending_vectors` counts memories without vectors.

    `inferences` and `approvals` count memories and calls that wait for the user's decision. `nearly_used_budgets`
    counts budgets of which at least four fifths are used. Only those who run the
    server see `other_model`, which the settings name instead of the one in use, a `move` to another model that is under
    way, and `refused_today`.
    """

    mcp_url: str
    stats: MemoryStats
    this_week: int
    changes_this_week: int
    pending_vectors: int
    inferences: int
    connected_apps: int
    approvals: int
    nearly_used_budgets: int
    space: Space | None
    other_model: Space | None
    move: Move | None
    components: list[Component]
    refused_today: int


def dashboard(user_id: int, *, runs_server: bool) -> Dashboard:
    """Return the overview of a user, counted now. The number of queries does not depend on the number of memories."""
    week_ago = timezone.now() - timedelta(days=7)
    view = View.whole(user_id)
    pending = pending_memories().visible_to(view).not_deleted()
    is_late = Q(updated_at__lt=timezone.now() - LATE)
    counts = pending.aggregate(all=Count("pk"), late=Count("pk", filter=is_late))
    move = current_move() if runs_server else None
    own = Memory.objects.visible_to(view)
    return Dashboard(
        mcp_url=f"{settings.PUBLIC_URL}/mcp",
        stats=memory_stats(view),
        this_week=own.active().filter(created_at__gte=week_ago).count(),
        changes_this_week=JournalEntry.objects.filter(owner_id=user_id, at__gte=week_ago).count(),
        pending_vectors=counts["all"],
        inferences=inbox(view).count(),
        connected_apps=AccessToken.objects.filter(user_id=user_id).values("application").distinct().count(),
        approvals=pending_approvals(user_id).count(),
        nearly_used_budgets=len(nearly_used_budgets(user_id)),
        space=in_use.space if (in_use := space_in_use_or_none()) else None,
        other_model=differently_configured_space() if runs_server and move is None else None,
        move=move,
        components=_components(counts["late"]),
        refused_today=refused_today() if runs_server else 0,
    )


def _components(late: int) -> list[Component]:
    """Return the parts, with the embeddings unhealthy if `late` memories have waited too long for vectors.

    The health check looks only at files and settings, so it does not detect an embedding endpoint that is down.
    """
    problem = (
        f"Memories that have waited for vectors for more than five minutes: {late}. The model is not reachable, is "
        "slow or refuses them, or the job process is not running. See the log for the cause."
    )
    return [
        replace(component, problem=problem)
        if late and component.name == "embeddings" and component.is_healthy
        else component
        for component in components()
    ]
