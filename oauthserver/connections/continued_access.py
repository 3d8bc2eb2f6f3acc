"""Whether an app still has the access with which a long call began."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from oauth2_provider.models import AccessToken

from oauthserver.connections.usage import PermissionKey
from oauthserver.models import Connection, PersonalToken


def still_has_access(permission: PermissionKey, scopes: Collection[str], tags: Sequence[str]) -> bool:
    """Return whether the app is still connected and not paused, has at least `scopes`, and sees the same tags.

    One query.
    """
    kind, key = permission
    rows = kind.objects.filter(
        pk=key, paused_at=None, user__is_active=True, scopes__contains=list(scopes), tags=list(tags)
    )
    if kind is Connection:
        tokens = AccessToken.objects.filter(user_id=OuterRef("user_id"), application_id=OuterRef("application_id"))
        return rows.filter(Exists(tokens)).exists()
    if kind is PersonalToken:
        return rows.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now())).exists()
    return rows.exists()
