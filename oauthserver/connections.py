"""The apps that were let in, and how to put one out again."""

from __future__ import annotations

from django.db import transaction
from oauth2_provider.models import AccessToken, Grant, revoke_access_token

from oauthserver.models import Application


def revoke_token(token: AccessToken) -> None:
    """End an access token and the refresh token that renews it: the app is refused at its next call."""
    with transaction.atomic():
        revoke_access_token(token)


def disconnect(application: Application) -> int:
    """Revoke all that was granted to `application`, codes on their way too; how many tokens that were."""
    with transaction.atomic():
        Grant.objects.filter(application=application).delete()
        tokens = list(AccessToken.objects.filter(application=application))
        for token in tokens:
            revoke_token(token)
    return len(tokens)
