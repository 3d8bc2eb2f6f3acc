"""The activity log: one line per call, written a moment later. It never contains the text of a memory or document."""

from __future__ import annotations

import itertools
import time
from collections.abc import Container, Hashable
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from common.row_copy import copy_rows
from common.write_behind import MergeBehind
from mcpapi.calls.caller import Caller
from mcpapi.catalog import catalog
from mcpapi.models import AuditLine, Session
from mcpapi.observability.call_counts import count_call
from mcpapi.rpc.jsonrpc import RATE_LIMITED, Call, RpcError
from memories.errors import SecretRejected
from memories.recall_log import past_recalls
from memories.validation.text import make_storable, refuse_secrets
from oauthserver.resource_server.principal import Principal

FLUSH_DELAY_SECONDS = 1.0
MAX_WAITING = 5_000
"""The most lines that one process holds between two writes. Further lines are lost if the database is too slow."""

MAX_IDS = 100
MAX_QUERY_CHARS = 500
MAX_NAME_CHARS = 200
UNKNOWN = "(unknown)"
"""Stands for an unknown method or tool, whose name could contain anything."""

CUSTOM = "(custom)"
"""Stands for every custom tool in the metrics, which have one counter for each name."""

STREAM_OPENED, STREAM_ENDED = "(stream opened)", "(stream ended)"
"""Stand for the method of a stream, which is not a call. The line of its end has the time that it was open."""

HIDDEN_QUERY = "(looks like a secret)"


def record_call(
    principal: Principal,
    methods: Container[str],
    call: Call,
    *,
    caller: Caller | None,
    error: RpcError | None,
    started_at: float,
) -> None:
    """Record `call` of `principal`, which began at `started_at` (time.perf_counter) and ends now.

    `methods` are those of the era. `caller` is None if the call was not admitted, `error` is None if it returned a
    result. Costs microseconds and never waits for the database. Of a connection's calls over the rate limit, one per
    second is recorded.
    """
    seconds = time.perf_counter() - started_at
    method = call.method if call.method in methods else UNKNOWN
    tool = (caller.custom_tool if caller else "") or _tool_of(call)
    result = error.data["reason"] if error else (caller.failure if caller else "") or AuditLine.OK
    count_call(method, CUSTOM if caller and caller.custom_tool else tool, result, seconds)
    if not settings.AUDIT_DAYS:
        return
    line = _line(principal, caller.session if caller else None, method, seconds)
    line.tool = tool
    line.result = result
    if caller:
        line.protocol_version = caller.protocol_version
        line.dry_run = caller.is_dry_run
        line.hard_delete = caller.is_hard_delete
        line.memory_ids = caller.memory_ids[:MAX_IDS]
        line.memory_count = len(caller.memory_ids)
        line.document_ids = caller.document_ids[:MAX_IDS]
        line.document_count = len(caller.document_ids)
        line.query = _shown_query(caller.query) if settings.AUDIT_QUERIES else ""
    is_refused_for_its_rate = error is not None and error.code == RATE_LIMITED
    audit_lines.add(principal.permission if is_refused_for_its_rate else next(_numbers), line)
    if caller and error is None and caller.recall:
        past_recalls.record_recall(
            caller.view, *caller.recall, client=principal.client_id, tool=tool, milliseconds=line.milliseconds
        )


def record_stream(principal: Principal, session: Session | None, *, seconds_open: float | None = None) -> None:
    """Record that a stream was opened, or that it ended after `seconds_open`. As cheap as `record_call`."""
    if not settings.AUDIT_DAYS:
        return
    method = STREAM_OPENED if seconds_open is None else STREAM_ENDED
    line = _line(principal, session, method, seconds_open or 0.0)
    line.protocol_version = session.protocol_version if session else ""
    audit_lines.add(next(_numbers), line)


def delete_old_lines() -> None:
    """Delete the lines older than AUDIT_DAYS. With 0, delete all."""
    AuditLine.objects.filter(at__lt=timezone.now() - timedelta(days=settings.AUDIT_DAYS)).delete()


def _line(principal: Principal, session: Session | None, method: str, seconds: float) -> AuditLine:
    """Return a line about a call or stream that ends now, without the fields that only tool calls have."""
    return AuditLine(
        at=timezone.now(),
        owner_id=principal.owner_id,
        client_id=make_storable(principal.client_id, MAX_NAME_CHARS),
        client_name=make_storable(principal.client_name, MAX_NAME_CHARS),
        session=session.short_id if session else "",
        method=method,
        memory_ids=[],
        memory_count=0,
        document_ids=[],
        document_count=0,
        result=AuditLine.OK,
        milliseconds=round(seconds * 1000, 1),
    )


def _tool_of(call: Call) -> str:
    if call.method != "tools/call":
        return ""
    name = call.params.get("name")
    return name if isinstance(name, str) and name in catalog().tools_by_name else UNKNOWN


def _shown_query(query: str) -> str:
    try:
        refuse_secrets("query", query)
    except SecretRejected:
        return HIDDEN_QUERY
    return make_storable(query, MAX_QUERY_CHARS)


def _keep_existing(kept: AuditLine, new: AuditLine) -> AuditLine:
    return kept


def _write(waiting: dict[Hashable, AuditLine]) -> None:
    copy_rows(list(waiting.values()))


_numbers = itertools.count()
audit_lines: MergeBehind[Hashable, AuditLine] = MergeBehind(
    _write, _keep_existing, limit=MAX_WAITING, seconds=FLUSH_DELAY_SECONDS
)
