"""The connection failures, as the owner sees them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, Func, GenericIPAddressField, Min, OuterRef, Q, Sum
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from common.networking.addresses import IPV6_SITE_BITS
from oauthserver.connections.failure_log import WRONG_CODE, WRONG_PASSWORD, Step
from oauthserver.connections.usable_tokens import connected_people
from oauthserver.models import PERSONAL_CLIENT, Application, Connection, FailedHandshake, LoginAttempt, PersonalToken
from oauthserver.resource_server.bearer import SCRIPT_CLIENT
from ownsona_site.doctor.remedies import remedy_for

UNNAMED = gettext_noop("An app without a name")
PERSONAL_TOKEN = gettext_noop("A personal token")
LOCKED = gettext_noop("Too many wrong passwords or codes")
LOGINS = {
    WRONG_PASSWORD: gettext_noop("A wrong name or password"),
    WRONG_CODE: gettext_noop("A wrong code"),
}


@dataclass(frozen=True, slots=True)
class RefusedApp:
    """A connection failure: the app that was refused, if known, and what the owner can do about it.

    For a login, `who` says what happened. `url` is the page of the owner's app or token, or empty.
    """

    who: str
    record: FailedHandshake
    remedy: str
    url: str

    @property
    def is_login(self) -> bool:
        """Whether no app was refused, but a login of the owner, or of somebody who pretends to be the owner."""
        return self.record.step == Step.LOGIN


def refused_apps(limit: int, owner_id: int) -> list[RefusedApp]:
    """Return the newest `limit` connection failures, with the pages of the owner's apps and tokens. Four queries.

    An `owner_id` of 0 is nobody's.
    """
    records = list(FailedHandshake.objects.order_by("-last_at")[:limit])
    ids = {record.client for record in records}
    names = dict(Application.objects.filter(client_id__in=ids).values_list("client_id", "name"))
    urls = {
        client: reverse("admin:oauthserver_connection_change", args=[pk])
        for client, pk in Connection.objects.filter(user_id=owner_id, application__client_id__in=ids).values_list(
            "application__client_id", "pk"
        )
    }
    for pk, name in PersonalToken.objects.filter(user_id=owner_id).values_list("pk", "name"):
        names[f"{PERSONAL_CLIENT}{pk}"] = name
        urls[f"{PERSONAL_CLIENT}{pk}"] = reverse("admin:oauthserver_personaltoken_change", args=[pk])
    return [
        RefusedApp(
            names.get(record.client) or _name(record),
            record,
            remedy_for(record.step, record.reason),
            urls.get(record.client, ""),
        )
        for record in records
    ]


def _name(record: FailedHandshake) -> str:
    if record.client == SCRIPT_CLIENT or record.client.startswith(PERSONAL_CLIENT):
        return gettext(PERSONAL_TOKEN)
    if record.step == Step.LOGIN:
        return gettext(LOGINS.get(record.reason, LOCKED))
    return record.client or gettext(UNNAMED)


@dataclass(frozen=True, slots=True)
class RefusedAttempts:
    """A number of refused attempts. `since` is the time of the first one, if that is longer ago than a day."""

    count: int
    since: datetime | None


def refused_today() -> RefusedAttempts:
    """Count the attempts of the failures that occurred in the last 24 hours, as the list of failures counts them.

    Repeated failures are counted together, so that earlier ones cannot be told apart. What the owner has caused does
    not count: Deny, pausing or disconnecting an app, and a wrong password or code before a login that succeeded.
    """
    since = timezone.now() - timedelta(hours=24)
    recent = FailedHandshake.objects.filter(last_at__gte=since).exclude(step=Step.CONSENT).exclude(reason="app_paused")
    recent = recent.exclude(_of_disconnected_apps()).exclude(_before_a_login())
    found = recent.aggregate(count=Sum("count"), first=Min("first_at"))
    is_older = found["first"] is not None and found["first"] < since
    return RefusedAttempts(found["count"] or 0, found["first"] if is_older else None)


def _of_disconnected_apps() -> Q:
    disconnected = Application.objects.annotate(people=connected_people()).filter(people=0, connections__isnull=False)
    return Q(reason__in=("invalid_token", "refresh_revoked"), client__in=disconnected.values("client_id"))


def _before_a_login() -> Q:
    logins = LoginAttempt.objects.filter(
        succeeded=True, network=_NetworkOf(OuterRef("address")), at__gte=OuterRef("last_at")
    )
    return Q(Exists(logins), step=Step.LOGIN, reason__in=(WRONG_PASSWORD, WRONG_CODE))


class _NetworkOf(Func):
    """The network of an address as `network_of` computes it."""

    template = (
        f"host(network(set_masklen(%(expressions)s, CASE family(%(expressions)s) WHEN 6 THEN {IPV6_SITE_BITS} "
        "ELSE 32 END)))::inet"
    )
    output_field = GenericIPAddressField()
