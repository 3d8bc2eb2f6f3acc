"""Lifetime and scope of refresh tokens. The tokens of one consent, a family, share one scope (RFC 6749, section 6)."""

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
    """Return the time of issue before which a refresh token has expired."""
    return timezone.now() - timedelta(seconds=settings.REFRESH_TOKEN_LIFETIME_SECONDS)


def keep_granted_scope(refresh_token: RefreshToken, access_token: AccessToken) -> None:
    """Store the scope of `access_token` as that of the family whose first token is `refresh_token`."""
    GrantedScope.objects.create(
        token_family=refresh_token.token_family, application=refresh_token.application, scope=access_token.scope
    )


def with_granted_scope(refresh_tokens: QuerySet[RefreshToken]) -> QuerySet[RefreshToken]:
    """Annotate each token with `granted_scope`, its own scope. The app may have requested less for the access token."""
    granted = GrantedScope.objects.filter(token_family=OuterRef("token_family")).values("scope")
    # During an upgrade, a process of the older version may issue tokens without a GrantedScope.
    with_scope: QuerySet[RefreshToken] = refresh_tokens.annotate(
        granted_scope=Coalesce(Subquery(granted), "access_token__scope")
    )
    return with_scope


def effective_scopes(scope: str, connection: Connection) -> list[str]:
    """Return the scopes in the space-separated `scope` that the owner still allows."""
    return [*allowed_scopes(scope, connection.scopes), *(name for name in scope.split() if name not in MEMORY_SCOPES)]


def delete_unused_scopes() -> None:
    """Delete the scopes of families that have no refresh token. Safe to run concurrently."""
    of_family = RefreshToken.objects.filter(token_family=OuterRef("token_family"))
    GrantedScope.objects.filter(~Exists(of_family)).delete()
