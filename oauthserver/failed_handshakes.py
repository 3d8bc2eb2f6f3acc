"""What apps fail at on their way in: noted where they are refused, so that the owner can see why one does not connect.

Anyone can cause such notes. So they are merged and written behind the request, and only the newest are kept; what a
client says of itself is cut and cleaned, and nothing that could be a secret is taken from the request.
"""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address

from django.core import signing
from django.db import connection
from django.http import HttpRequest
from django.utils import timezone

from common.write_behind import WriteBehind
from oauthserver.models import FailedHandshake

Step = FailedHandshake.Step

KEPT_ROWS = 1000
KEPT_FOR = timedelta(days=30)
WRITTEN_AFTER_SECONDS = 2.0
MAX_WAITING = 100
"""How many different failures one process writes at a time; those beyond are a flood, of which these are enough."""

QUERY = re.compile(r"\?[^\s'\"]+")
REHEARSAL = "OwnSona-Doctor/"
REHEARSAL_SALT = "ownsona.doctor"
REHEARSAL_SECONDS = 120

INSERT = """
    INSERT INTO oauthserver_failedhandshake AS kept
           (step, reason, client, address, user_agent, details, first_at, last_at, count)
    SELECT * FROM unnest(%s::text[], %s::text[], %s::text[], %s::inet[], %s::text[], %s::text[],
                         %s::timestamptz[], %s::timestamptz[], %s::bigint[])
        ON CONFLICT (step, reason, client, address, user_agent) DO UPDATE
       SET details = excluded.details, last_at = excluded.last_at, count = kept.count + excluded.count
"""
TRIM = """
    DELETE FROM oauthserver_failedhandshake
     WHERE last_at <= (SELECT last_at FROM oauthserver_failedhandshake ORDER BY last_at DESC OFFSET %s LIMIT 1)
"""


@dataclass(frozen=True, slots=True)
class Failure:
    """Who failed at what: failures that agree in all of it are one line with a count."""

    step: str
    reason: str
    client: str
    address: str | None
    user_agent: str


@dataclass(frozen=True, slots=True)
class Note:
    """What is new since the failure was last written down."""

    details: str
    first_at: datetime
    last_at: datetime
    count: int


def note_failure(request: HttpRequest, step: Step, reason: str, details: str, client: str = "") -> None:
    """Keep that `request` was refused at `step`: a stable code, one sentence, and who the app says it is."""
    user_agent = request.headers.get("User-Agent", "")
    if _is_rehearsal(user_agent):
        return
    failure = Failure(
        step.value,
        cleaned(reason, 50),
        cleaned(client, 200),
        _address(request),
        cleaned(user_agent, 200),
    )
    now = timezone.now()
    failures.add(failure, Note(cleaned(details, 300), now, now, 1))


def rehearsal_agent(version: str) -> str:
    """The User-Agent of a check that fails on purpose: signed, so that nobody else goes unnoted by it."""
    return f"{REHEARSAL}{version} {signing.TimestampSigner(salt=REHEARSAL_SALT).sign('check')}"


def forget_old_failures() -> None:
    """Delete what is older than `KEPT_FOR`."""
    FailedHandshake.objects.filter(last_at__lt=timezone.now() - KEPT_FOR).delete()


def cleaned(text: str, limit: int) -> str:
    """`text` on one line of at most `limit` printable characters, without the queries of URLs."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text[: 4 * limit])
    return QUERY.sub("?…", " ".join(printable.split()))[:limit]


def _address(request: HttpRequest) -> str | None:
    """The client's address without the zone that a link-local one has, which the database cannot keep."""
    try:
        return str(ip_address(request.META.get("REMOTE_ADDR", "").partition("%")[0]))
    except ValueError:
        return None


def _is_rehearsal(user_agent: str) -> bool:
    if not user_agent.startswith(REHEARSAL):
        return False
    try:
        signing.TimestampSigner(salt=REHEARSAL_SALT).unsign(user_agent.rpartition(" ")[2], max_age=REHEARSAL_SECONDS)
    except signing.BadSignature:
        return False
    return True


def _merge(kept: Note, new: Note) -> Note:
    return Note(new.details, kept.first_at, new.last_at, kept.count + new.count)


def _write(waiting: dict[Failure, Note]) -> None:
    # In one order, so that two processes never wait for each other's rows.
    rows = sorted((astuple(failure) + astuple(note) for failure, note in waiting.items()), key=repr)
    with connection.cursor() as cursor:
        cursor.execute(INSERT, [list(column) for column in zip(*rows, strict=True)])
        cursor.execute(TRIM, [KEPT_ROWS])


failures = WriteBehind(_write, _merge, limit=MAX_WAITING, seconds=WRITTEN_AFTER_SECONDS)
