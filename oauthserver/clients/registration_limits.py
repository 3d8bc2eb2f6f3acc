"""Limits on registrations. Anyone can register apps, and every app is a stored row."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import timedelta

from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, QuerySet, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from oauthserver.models import Application, Connection, RegistrationCount

MAX_REGISTRATIONS_PER_MINUTE = 120
"""Maximum number of registrations from one network per minute, successful or not."""

# Rows have at most 5 kB, so all of them together have at most 50 MB. At the rate above, an unused app lasts for at
# least eight minutes before its network can displace it, which leaves the owner time to consent.
MAX_UNUSED_OF_NETWORK = 1000
MAX_UNUSED = 10_000
UNUSED_FOR = timedelta(days=7)
BATCH_SIZE = 1000

COUNT = """
    INSERT INTO oauthserver_registrationcount AS kept (network, minute, count) VALUES (%s, %s, 1)
        ON CONFLICT (network) DO UPDATE
       SET count = CASE kept.minute WHEN excluded.minute THEN kept.count + 1 ELSE 1 END, minute = excluded.minute
 RETURNING count
"""


def take_registration_slot(network: str | None) -> bool:
    """Count one more registration from `network`, across all processes. Return whether it is within the limit."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT, [network or "", _minute()])
        (count,) = cursor.fetchone()
    return bool(count <= MAX_REGISTRATIONS_PER_MINUTE)


def delete_unused_apps(*, for_their_age: bool = True) -> None:
    """Delete apps without a connection that were not entered by hand: the old ones, and those above the limits.

    Without `for_their_age`, only those above the limits. The oldest apps of the networks with the most registrations
    are deleted first, so that a flood displaces the registrations of its own network.
    """
    RegistrationCount.objects.filter(minute__lt=_minute()).delete()
    in_network = Window(RowNumber(), partition_by="registered_from", order_by=F("created").desc())
    newest_first = _unused().annotate(in_network=in_network)
    old = _unused().filter(created__lt=timezone.now() - UNUSED_FOR)
    for surplus in (
        old if for_their_age else old.none(),
        newest_first.filter(in_network__gt=MAX_UNUSED_OF_NETWORK),
        newest_first.order_by("in_network", "-created")[MAX_UNUSED:],
    ):
        _delete_unused(list(surplus.values_list("pk", flat=True)))


def _minute() -> int:
    return int(time.time() // 60)


def _unused() -> QuerySet[Application]:
    let_in = Connection.objects.filter(application=OuterRef("pk"))
    return Application.objects.filter(~Exists(let_in)).exclude(
        registration_source=Application.RegistrationSource.MANUAL
    )


def _delete_unused(application_ids: Sequence[int]) -> None:
    for start in range(0, len(application_ids), BATCH_SIZE):
        batch = _unused().filter(pk__in=application_ids[start : start + BATCH_SIZE])
        with transaction.atomic():
            # An app that is being connected now is locked and skipped. One that was connected since the first query
            # is not in `_unused` any more.
            locked = list(batch.select_for_update(skip_locked=True).values_list("pk", flat=True))
            _unused().filter(pk__in=locked).delete()
