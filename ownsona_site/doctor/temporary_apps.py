"""What a check puts into the database, and how it gets out again."""

from __future__ import annotations

import hashlib
from datetime import timedelta

from django.utils import timezone

from mcpapi.models import Session
from oauthserver.connections.connections import delete_application
from oauthserver.models import Application, RedeemedCode
from ownsona_site.doctor.context import APP_NAME, REDIRECT_URI

ABANDONED_AFTER = timedelta(hours=1)


def delete_temporary_app(client_id: str, code: str | None) -> None:
    """Delete the app with all that it was granted, its sessions, and the trace of the code that it redeemed."""
    Session.objects.filter(client_id=client_id).delete()
    for application in Application.objects.filter(client_id=client_id):
        delete_application(application.pk)
    if code is not None:
        RedeemedCode.objects.filter(code_sha256=hashlib.sha256(code.encode()).hexdigest()).delete()


def forget_abandoned_apps() -> int:
    """Delete the apps of checks that were killed in the middle; how many."""
    abandoned = Application.objects.filter(
        name=APP_NAME, redirect_uris=REDIRECT_URI, created__lt=timezone.now() - ABANDONED_AFTER
    )
    client_ids = list(abandoned.values_list("client_id", flat=True))
    for client_id in client_ids:
        delete_temporary_app(client_id, None)
    return len(client_ids)
