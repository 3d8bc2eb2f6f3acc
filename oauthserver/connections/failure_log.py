"""Log of connection failures, by which the owner can see why an app does not connect.

Anyone can cause failures, so they are merged and written after the request, and only the newest are kept. Each network
has a share of the rows: a flood from one network displaces neither the failures of others nor those of known apps.
Text from clients is shortened and cleaned, and nothing that could be a secret is taken from the request.
"""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass, replace
from datetime import datetime, timedelta

from django.core import signing
from django.db import connection
from django.http import HttpRequest
from django.utils import timezone

from common.clock import TOLERANCE
from common.networking.addresses import IPV6_SITE_BITS, network_of, parse_address
from common.write_behind import MergeBehind
from oauthserver.models import FailedHandshake

Step = FailedHandshake.Step

WRONG_PASSWORD, WRONG_CODE = "wrong_password", "wrong_code"
"""Reasons of failures at the login. Neither the name nor the password nor the code is recorded."""

MAX_ROWS = 1000
MAX_ROWS_PER_NETWORK = 50
MAX_UNKNOWN_PER_NETWORK = 10
"""Maximum number of rows per network for unknown apps, which can use any number of names."""
MERGED_CLIENT = "Apps with many different names"

RETENTION = timedelta(days=30)
FLUSH_DELAY_SECONDS = 2.0
MAX_WAITING = 100
"""Maximum number of networks whose failures one process holds for a write. Any more are a flood and are dropped."""

QUERY = re.compile(r"\?[^\s'\"]+")
CHECK_AGENT_PREFIX = "OwnSona-Doctor/"
CHECK_AGENT_SALT = "ownsona.doctor"
CHECK_AGENT_SECONDS = 120

INSERT = """
    INSERT INTO oauthserver_failedhandshake AS kept
           (step, reason, client, address, user_agent, details, first_at, last_at, count)
    SELECT * FROM unnest(%s::text[], %s::text[], %s::text[], %s::inet[], %s::text[], %s::text[],
                         %s::timestamptz[], %s::timestamptz[], %s::bigint[])
        ON CONFLICT (step, reason, client, address, user_agent) DO UPDATE
       SET details = excluded.details, last_at = excluded.last_at, count = kept.count + excluded.count
"""
# Rows with a time in the future are deleted first: after the clock was set back, they would displace all new rows.
TRIM = """
    WITH attributed AS (
        SELECT id, CASE WHEN last_at > %(latest)s THEN '-infinity' ELSE last_at END AS last_at,
               network(set_masklen(address, CASE family(address) WHEN 6 THEN %(site_bits)s ELSE 32 END)) AS
               network, EXISTS (SELECT FROM oauthserver_application WHERE client_id = client) AS is_known
          FROM oauthserver_failedhandshake
    ), ranked AS (
        SELECT id, is_known,
               row_number() OVER (PARTITION BY network, is_known ORDER BY last_at DESC) AS place_among_such,
               row_number() OVER (PARTITION BY network ORDER BY is_known DESC, last_at DESC) AS place_in_network,
               row_number() OVER (ORDER BY is_known DESC, last_at DESC) AS place
          FROM attributed
    )
    DELETE FROM oauthserver_failedhandshake
     WHERE id IN (SELECT id FROM ranked WHERE place > %(rows)s OR place_in_network > %(of_a_network)s
                                           OR (NOT is_known AND place_among_such > %(unknown)s))
"""


@dataclass(frozen=True, slots=True)
class FailureKey:
    """The identity of a failure. Failures with equal keys are merged into one row with a count."""

    step: str
    reason: str
    client: str
    address: str | None
    user_agent: str


@dataclass(frozen=True, slots=True)
class FailureCount:
    """Occurrences of a failure since it was last written."""

    details: str
    first_at: datetime
    last_at: datetime
    count: int


def record_failure(request: HttpRequest, step: Step, reason: str, details: str, client: str = "") -> None:
    """Record that `request` was refused at `step`.

    `reason` is a stable code, `details` one sentence, and `client` the app's unverified id or name.
    """
    user_agent = request.headers.get("User-Agent", "")
    if _is_connection_check(user_agent):
        return
    failure = FailureKey(
        step.value,
        cleaned(reason, 50),
        cleaned(client, 200),
        _address(request),
        cleaned(user_agent, 200),
    )
    now = timezone.now()
    pending_failures.add(network_of(failure.address or ""), {failure: FailureCount(cleaned(details, 300), now, now, 1)})


def connection_check_user_agent(version: str) -> str:
    """Build the User-Agent of a connection check, whose failures are intended and not recorded.

    It is signed, so that other clients cannot avoid being recorded.
    """
    return f"{CHECK_AGENT_PREFIX}{version} {signing.TimestampSigner(salt=CHECK_AGENT_SALT).sign('check')}"


def delete_old_failures() -> None:
    """Delete failures that last occurred longer than `RETENTION` ago."""
    FailedHandshake.objects.filter(last_at__lt=timezone.now() - RETENTION).delete()


def cleaned(text: str, limit: int) -> str:
    """Return `text` as one line of at most `limit` printable characters, without the queries of URLs."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text[: 4 * limit])
    return QUERY.sub("?…", " ".join(printable.split()))[:limit]


def _address(request: HttpRequest) -> str | None:
    address = parse_address(request.META.get("REMOTE_ADDR", ""))
    return str(address) if address else None


def _is_connection_check(user_agent: str) -> bool:
    if not user_agent.startswith(CHECK_AGENT_PREFIX):
        return False
    try:
        signing.TimestampSigner(salt=CHECK_AGENT_SALT).unsign(
            user_agent.rpartition(" ")[2], max_age=CHECK_AGENT_SECONDS
        )
    except signing.BadSignature:
        return False
    return True


def _merge(kept: dict[FailureKey, FailureCount], new: dict[FailureKey, FailureCount]) -> dict[FailureKey, FailureCount]:
    """Add new failures of one network to the unwritten ones. Above the limit, further names are merged into one."""
    for failure, note in new.items():
        is_one_too_many = failure not in kept and len(kept) >= MAX_UNKNOWN_PER_NETWORK
        key = _without_name(failure) if is_one_too_many else failure
        before = kept.get(key)
        if before:
            kept[key] = FailureCount(note.details, before.first_at, note.last_at, before.count + note.count)
        else:
            kept[key] = note
    return kept


def _without_name(failure: FailureKey) -> FailureKey:
    return replace(failure, client=MERGED_CLIENT, address=network_of(failure.address or ""), user_agent="")


def _write(waiting: dict[str | None, dict[FailureKey, FailureCount]]) -> None:
    notes = [item for of_network in waiting.values() for item in of_network.items()]
    # Sorted: two processes that write the rows in different orders would deadlock.
    rows = sorted((astuple(failure) + astuple(note) for failure, note in notes), key=repr)
    with connection.cursor() as cursor:
        cursor.execute(INSERT, [list(column) for column in zip(*rows, strict=True)])
        cursor.execute(
            TRIM,
            {
                "rows": MAX_ROWS,
                "of_a_network": MAX_ROWS_PER_NETWORK,
                "unknown": MAX_UNKNOWN_PER_NETWORK,
                "site_bits": IPV6_SITE_BITS,
                "latest": timezone.now() + TOLERANCE,
            },
        )


pending_failures = MergeBehind(_write, _merge, limit=MAX_WAITING, seconds=FLUSH_DELAY_SECONDS)
