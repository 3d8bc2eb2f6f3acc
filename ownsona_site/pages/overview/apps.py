"""The connected apps of an owner, with their last use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from oauthserver.connections.usable_tokens import active_tokens
from oauthserver.models import Connection, PersonalToken

SILENT = timedelta(days=7)
SHOWN = 6
NEVER = datetime.min.replace(tzinfo=UTC)

RULE = gettext_noop("Before you answer, recall what OwnSona knows about the topic.")
"""The line that makes an app use its memory, for its instructions."""


@dataclass(frozen=True, slots=True)
class ShownApp:
    """An app, connected or not. `silent_days` is 0 if it was used within a week, or cannot be used."""

    name: str
    url: str
    last_used_at: datetime | None
    silent_days: int
    is_paused: bool
    is_connected: bool = field(default=True, kw_only=True)
    reads: int
    writes: int


def apps_of(owner_id: int) -> list[ShownApp]:
    """Return the apps in the order of `in_order`. One query."""
    found = Connection.objects.filter(user_id=owner_id).exclude(scopes=[]).select_related("application")
    found = found.annotate(tokens=active_tokens())
    return in_order(map(_shown, found))


def _shown(connection: Any) -> ShownApp:
    is_usable = bool(connection.tokens) and connection.paused_at is None
    quiet = timezone.now() - (connection.last_used_at or connection.created_at)
    return ShownApp(
        name=connection.application.name or gettext("An app without a name"),
        url=reverse("admin:oauthserver_connection_change", args=[connection.pk]),
        last_used_at=connection.last_used_at,
        silent_days=quiet.days if quiet >= SILENT and is_usable else 0,
        is_paused=connection.paused_at is not None,
        is_connected=bool(connection.tokens),
        reads=connection.reads,
        writes=connection.writes,
    )


def tokens_of(owner_id: int) -> list[ShownApp]:
    """Return the personal tokens that can be used. One query."""
    usable = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    return [
        ShownApp(
            name=token.name,
            url=reverse("admin:oauthserver_personaltoken_change", args=[token.pk]),
            last_used_at=token.last_used_at,
            # A script is used when it is needed.
            silent_days=0,
            is_paused=token.paused_at is not None,
            reads=token.reads,
            writes=token.writes,
        )
        for token in PersonalToken.objects.filter(usable, user_id=owner_id)
    ]


def in_order(apps: Iterable[ShownApp]) -> list[ShownApp]:
    """Return the connected apps, last used first, then the others, and at the end those that were never used."""
    return sorted(
        apps, key=lambda app: (app.last_used_at is not None, app.is_connected, app.last_used_at or NEVER), reverse=True
    )
