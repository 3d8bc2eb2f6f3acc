"""The page “Connection check”, which checks this server and lists the connection failures."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from common.pages.owner_pages import owner_page
from oauthserver.models import FailedHandshake, User
from ownsona_site.doctor.findings import CheckOutcome
from ownsona_site.doctor.refused_apps import refused_apps
from ownsona_site.doctor.report import summary
from ownsona_site.doctor.runner import check, own_url

SHOWN_REFUSED = 50


def connection_check(request: HttpRequest) -> HttpResponse:
    """Show the connection failures (GET), run the check as the logged-in user (POST), or clear the failures.

    A POST with `clear` deletes the recorded failures. Only superusers have access. The check never calls an address
    other than this server's own.
    """
    person = request.user
    if not isinstance(person, User) or not person.is_superuser:
        raise PermissionDenied
    if "clear" in request.POST:
        FailedHandshake.objects.all().delete()
        return redirect("admin:connection_check")
    lines = check(own_url(), person) if request.method == "POST" else []
    tried = [line for line in lines if line.was_tried]
    passed = [line for line in tried if line.finding.outcome is CheckOutcome.PASSED]
    context = {
        "url": own_url(),
        "remarkable": [line for line in tried if line not in passed],
        "passed": passed,
        "waiting": sum(not line.was_tried for line in lines),
        "summary": summary(lines) if lines else "",
        "refused": refused_apps(SHOWN_REFUSED, person.pk),
    }
    return owner_page(request, "admin/connection_check.html", context, title=_("Connection check"))
