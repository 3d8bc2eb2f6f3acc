"""How much strangers may register: anyone can, any number of times, and every app is a row that is kept."""

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
"""How many registrations of one network are heard in a minute, whatever became of them."""

# With at most 5 kB each, 50 MB. At the pace above, an app has eight minutes until its own network can have pushed it
# out, and the person who is about to let it in has them.
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
    """Whether one more registration of `network` is heard in this minute; counted by all processes together."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT, [network or "", _minute()])
        (count,) = cursor.fetchone()
    return bool(count <= MAX_REGISTRATIONS_PER_MINUTE)


def forget_unused_apps(*, for_their_age: bool = True) -> None:
    """Delete the apps that came by themselves and that nobody has let in: those left alone for long, and the surplus.

    Without `for_their_age` the surplus only. Of it the oldest go, of those networks first that have registered the
    most: whoever floods pushes out what is theirs.
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
            # One that is being let in now is locked. One that was let in since the query began is no longer unused.
            locked = list(batch.select_for_update(skip_locked=True).values_list("pk", flat=True))
            _unused().filter(pk__in=locked).delete()
