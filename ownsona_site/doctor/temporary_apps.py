"""The deletion of the temporary apps that the check registers."""

from __future__ import annotations

import hashlib
from datetime import timedelta

from django.utils import timezone

from mcpapi.models import Session
from oauthserver.connections.connection_changes import delete_application
from oauthserver.models import Application, RedeemedCode
from ownsona_site.doctor.context import APP_NAME, REDIRECT_URI

ABANDONED_AFTER = timedelta(hours=1)


def delete_temporary_app(client_id: str, code: str | None) -> None:
    """Delete the app with everything that it was granted, its sessions, and the record of its redeemed code."""
    Session.objects.filter(client_id=client_id).delete()
    for application in Application.objects.filter(client_id=client_id):
        delete_application(application.pk)
    if code is not None:
        RedeemedCode.objects.filter(code_sha256=hashlib.sha256(code.encode()).hexdigest()).delete()


def forget_abandoned_apps() -> int:
    """Delete the temporary apps of checks that were killed. Return how many there were."""
    abandoned = Application.objects.filter(
        name=APP_NAME, redirect_uris=REDIRECT_URI, created__lt=timezone.now() - ABANDONED_AFTER
    )
    client_ids = list(abandoned.values_list("client_id", flat=True))
    for client_id in client_ids:
        delete_temporary_app(client_id, None)
    return len(client_ids)
