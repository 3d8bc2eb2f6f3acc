"""The tokens with which an app is connected."""

from __future__ import annotations

from django.db.models import Count, IntegerField, OuterRef, Q, Subquery
from django.utils import timezone
from oauth2_provider.models import AccessToken


def active_tokens() -> Subquery:
    """Return an annotation of connections: the number of tokens that can still be used or renewed."""
    own = AccessToken.objects.filter(user=OuterRef("user"), application=OuterRef("application")).order_by()
    usable = Q(expires__gt=timezone.now()) | Q(refresh_token__isnull=False, refresh_token__revoked=None)
    counted = own.filter(usable).values("application").annotate(count=Count("pk")).values("count")
    return Subquery(counted, output_field=IntegerField())
