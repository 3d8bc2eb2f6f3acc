"""The limit of requests per minute, counted in PostgreSQL for all processes together.

The count belongs to the connection (an app, a personal token, an external identity), not to the access token: a client
that renews its token, or holds several, gets no more requests.
"""

from __future__ import annotations

import math
import time
from itertools import accumulate

from django.conf import settings
from django.db import connection

from common.disk_space import unless_disk_is_full
from mcpapi.models import RateWindow
from mcpapi.rpc.jsonrpc import RATE_LIMITED, RpcError
from oauthserver.resource_server.principal import Principal

# The current second and the sixty whole ones before it, so that no period of sixty seconds exceeds the limit.
SLOTS = 61
KEPT_SECONDS = 3600
"""Longer than any window, so that differences between two clocks do not matter."""

CLOCK_STEP_SECONDS = 5
"""A window further in the future was written before the clock was set back, and counts as the current one.

A statement that waited for the row lags behind it by less.
"""

# The number of seconds since the row was written, and its slots with as many empty ones appended.
_NEW = f"least(greatest(excluded.second - kept.second, 0), {SLOTS})::int"
_SLOTS = f"(kept.slots || array_fill(0, ARRAY[{_NEW}]))[{_NEW} + 1:]"
# A single statement: of two concurrent ones the second waits for the row lock, then counts on from the first.
SPEND = f"""
    INSERT INTO mcpapi_ratewindow AS kept (permission, second, slots)
    VALUES (%(permission)s, floor(extract(epoch FROM clock_timestamp())),
            array_fill(0, ARRAY[{SLOTS - 1}]) || %(requests)s::int)
        ON CONFLICT (permission) DO UPDATE
       SET second = CASE WHEN kept.second > excluded.second + {CLOCK_STEP_SECONDS} THEN excluded.second
                         ELSE greatest(kept.second, excluded.second) END,
           slots = ({_SLOTS})[:{SLOTS - 1}] || ({_SLOTS})[{SLOTS}] + %(requests)s::int
     WHERE (SELECT sum(slot) FROM unnest({_SLOTS}) AS slot) + %(requests)s::int <= %(limit)s::int
"""  # noqa: S608 - made of what stands above
# Run for a refused request, which writes nothing else: without it the wait would be based on the clock as it was.
MOVE_BACK = f"""
    UPDATE mcpapi_ratewindow SET second = floor(extract(epoch FROM clock_timestamp()))
     WHERE permission = %s AND second > extract(epoch FROM clock_timestamp()) + {CLOCK_STEP_SECONDS}
"""  # noqa: S608 - a number of seconds
WINDOW = """
    SELECT slots, second, extract(epoch FROM clock_timestamp())::float FROM mcpapi_ratewindow WHERE permission = %s
"""


def consume_rate_limit(principal: Principal, requests: int) -> None:
    """Count `requests`. Raises RpcError -32004 (HTTP 429), and counts none of them, if they exceed the limit.

    The limit is MCP_RATE_LIMIT_PER_MINUTE in any sixty seconds; 0 means none. The owner's own programs have no limit.
    """
    limit = settings.MCP_RATE_LIMIT_PER_MINUTE
    permission = principal.permission_name
    if not limit or permission is None:
        return
    # A request that cannot be counted is allowed: a full disk must not stop clients that only read.
    with unless_disk_is_full():
        if requests > limit or not _is_counted(permission, requests, limit):
            raise _rate_limited(limit, _wait_seconds(permission, requests, limit))


def delete_old_windows() -> None:
    """Delete the windows that no longer limit anything, and those in the future."""
    now = time.time()
    RateWindow.objects.exclude(second__range=(now - KEPT_SECONDS, now + KEPT_SECONDS)).delete()


def _is_counted(permission: str, requests: int, limit: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(SPEND, {"permission": permission, "requests": requests, "limit": limit})
        return bool(cursor.rowcount)


def _wait_seconds(permission: str, requests: int, limit: int) -> int:
    """Return the whole seconds until there is room for `requests`. A batch above the limit needs an empty window."""
    with connection.cursor() as cursor:
        cursor.execute(MOVE_BACK, [permission])
        cursor.execute(WINDOW, [permission])
        slots, second, now = cursor.fetchone() or ([0], 0, 0.0)
    excess = min(sum(slots) + requests - limit, sum(slots))
    gone_after = next(index for index, gone in enumerate(accumulate(slots)) if gone >= excess)
    return max(1, math.ceil(second + 1 + gone_after - now))


def _rate_limited(limit: int, wait_seconds: int) -> RpcError:
    return RpcError(
        RATE_LIMITED,
        "Rate limit exceeded",
        reason="rate_limited",
        status=429,
        headers={"Retry-After": str(wait_seconds)},
        limit_per_minute=limit,
        retry_after_seconds=wait_seconds,
        details=f"At most {limit} requests per minute are allowed; each message of a batch counts. Wait {wait_seconds} "
        f"seconds.",
    )
