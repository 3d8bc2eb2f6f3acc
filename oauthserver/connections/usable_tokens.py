"""The tokens with which an app is connected."""

from __future__ import annotations

from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from oauth2_provider.models import AccessToken

from oauthserver.models import Application


def active_tokens() -> Subquery:
    """Return an annotation of connections: the number of tokens that can still be used or renewed."""
    own = _usable().filter(user=OuterRef("user"), application=OuterRef("application"))
    counted = own.values("application").annotate(count=Count("pk")).values("count")
    return Subquery(counted, output_field=IntegerField())


def connected_people() -> Coalesce:
    """Return an annotation of apps: the number of users who have a token that can still be used or renewed."""
    tokens = _usable().filter(application=OuterRef("pk"))
    counted = tokens.values("application").annotate(count=Count("user", distinct=True)).values("count")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def disconnected_clients(user_id: int) -> QuerySet[Application, dict[str, str]]:
    """Return the client ids of registered apps that the user has not connected, or not any more."""
    connected = _usable().filter(user_id=user_id).values("application")
    return Application.objects.exclude(pk__in=connected).values("client_id")


def _usable() -> QuerySet[AccessToken]:
    usable = Q(expires__gt=timezone.now()) | Q(refresh_token__isnull=False, refresh_token__revoked=None)
    tokens: QuerySet[AccessToken] = AccessToken.objects.filter(usable).order_by()
    return tokens
