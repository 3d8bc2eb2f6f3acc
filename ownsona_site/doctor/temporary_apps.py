"""The deletion of the temporary apps that the check registers."""

from __future__ import annotations

import hashlib
import time
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from mcpapi.models import AuditLine, Session
from mcpapi.observability.audit import FLUSH_DELAY_SECONDS, audit_lines
from oauthserver.connections.connection_changes import delete_application
from oauthserver.models import Application, RedeemedCode
from ownsona_site.doctor.context import APP_NAME, REDIRECT_URI

ABANDONED_AFTER = timedelta(hours=1)
WRITTEN_AFTER_SECONDS = 1.5 * FLUSH_DELAY_SECONDS


def delete_temporary_app(client_id: str, code: str | None) -> None:
    """Delete the app with everything that it was granted, its sessions, and the record of its redeemed code."""
    Session.objects.filter(client_id=client_id).delete()
    _forget_calls(client_id)
    for application in Application.objects.filter(client_id=client_id):
        delete_application(application.pk)
    if code is not None:
        RedeemedCode.objects.filter(code_sha256=hashlib.sha256(code.encode()).hexdigest()).delete()


def _forget_calls(client_id: str) -> None:
    """Delete the calls of the check from the activity log. Every process writes its last ones a moment later."""
    if not settings.AUDIT_DAYS:
        return
    audit_lines.flush()
    time.sleep(WRITTEN_AFTER_SECONDS)
    AuditLine.objects.filter(client_id=client_id).delete()


def forget_abandoned_apps() -> int:
    """Delete the temporary apps of checks that were killed. Return how many there were."""
    abandoned = Application.objects.filter(
        name=APP_NAME, redirect_uris=REDIRECT_URI, created__lt=timezone.now() - ABANDONED_AFTER
    )
    client_ids = list(abandoned.values_list("client_id", flat=True))
    for client_id in client_ids:
        delete_temporary_app(client_id, None)
    return len(client_ids)
