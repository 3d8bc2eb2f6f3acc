"""Lifetime and scope of refresh tokens. All those of one consent, a family, have one scope (RFC 6749, section 6)."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from oauth2_provider.models import AccessToken, RefreshToken

from oauthserver.connections.scopes import MEMORY_SCOPES, allowed_scopes
from oauthserver.models import Connection, GrantedScope


def oldest_active() -> datetime:
    """Return when the oldest of the refresh tokens that have not expired was issued."""
    return timezone.now() - timedelta(seconds=settings.REFRESH_TOKEN_LIFETIME_SECONDS)


def keep_granted_scope(refresh_token: RefreshToken, access_token: AccessToken) -> None:
    """Record that `refresh_token`, the first one of its family, is good for the scope of `access_token`."""
    GrantedScope.objects.create(
        token_family=refresh_token.token_family, application=refresh_token.application, scope=access_token.scope
    )


def with_granted_scope(refresh_tokens: QuerySet[RefreshToken]) -> QuerySet[RefreshToken]:
    """Add `granted_scope` to each token: its own scope, of which the app may have asked less for the access token."""
    granted = GrantedScope.objects.filter(token_family=OuterRef("token_family")).values("scope")
    # A process of an older version may still issue tokens while a new one starts.
    with_scope: QuerySet[RefreshToken] = refresh_tokens.annotate(
        granted_scope=Coalesce(Subquery(granted), "access_token__scope")
    )
    return with_scope


def effective_scopes(scope: str, connection: Connection) -> list[str]:
    """Return what of the space-separated `scope` the owner still allows."""
    return [*allowed_scopes(scope, connection.scopes), *(name for name in scope.split() if name not in MEMORY_SCOPES)]


def forget_unused_scopes() -> None:
    """Delete the records of families without a refresh token. Several processes may do so at once."""
    of_family = RefreshToken.objects.filter(token_family=OuterRef("token_family"))
    GrantedScope.objects.filter(~Exists(of_family)).delete()
