"""Token introspection (RFC 7662)."""

from __future__ import annotations

from django.conf import settings
from django.utils import timezone
from oauth2_provider.models import AccessToken, RefreshToken

from oauthserver.models import Application, Connection
from oauthserver.tokens.access_tokens import TokenError, token_checksum, verified_claims
from oauthserver.tokens.granted_scopes import effective_scopes, oldest_active, with_granted_scope
from oauthserver.tokens.resources import audience

Description = dict[str, object]


def describe_token(token: str, client: Application) -> Description | None:
    """Describe a token (RFC 7662, section 2.2). Return None for a token that is not active or not of `client`."""
    own = {"token_checksum": token_checksum(token), "application": client, "user__is_active": True}
    access_token = AccessToken.objects.filter(**own, expires__gt=timezone.now()).first()
    if access_token:
        signed = _signed_part(token)
        return None if signed is None else _describe(client, access_token.user_id, access_token.scope, signed)
    active = RefreshToken.objects.filter(**own, revoked=None, created__gt=oldest_active(), access_token__isnull=False)
    refresh_token = with_granted_scope(active).first()
    return refresh_token and _describe(client, refresh_token.user_id, refresh_token.granted_scope, {})


def _signed_part(access_token: str) -> Description | None:
    """Return the members that only access tokens have, or None if the resource server would refuse the token."""
    try:
        claims = verified_claims(access_token)
    except TokenError:
        return None
    return {"token_type": "Bearer", **{name: claims[name] for name in ("jti", "exp", "iat", "nbf")}}


def _describe(client: Application, user_id: int, scope: str, signed: Description) -> Description | None:
    connection = Connection.objects.filter(application=client, user_id=user_id).first()
    if connection is None or connection.paused_at:
        return None
    return {
        "iss": settings.PUBLIC_URL,
        "scope": " ".join(effective_scopes(scope, connection)),
        "client_id": client.client_id,
        "sub": str(user_id),
        "aud": audience(),
        **signed,
    }
