"""The record of activity: a line for every call, written a moment later. What is remembered never stands in it."""

from __future__ import annotations

import itertools
import time
from collections.abc import Container, Hashable
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from common.row_copy import copy_rows
from common.write_behind import WriteBehind
from mcpapi.calls.context import Caller
from mcpapi.catalog import catalog
from mcpapi.models import AuditLine, Session
from mcpapi.observability.call_counts import count_call
from mcpapi.rpc.jsonrpc import RATE_LIMITED, Call, RpcError
from memories.errors import SecretRejected
from memories.recall_log import past_recalls
from memories.validation.text import make_storable, refuse_secrets
from oauthserver.resource_server.bearer import Principal

FLUSH_DELAY_SECONDS = 1.0
MAX_WAITING = 5_000
"""How many lines one process keeps between two writes; where the database does not keep up, the others are lost."""

MAX_IDS = 100
MAX_QUERY_CHARS = 500
MAX_NAME_CHARS = 200
SESSION_CHARS = 12
UNKNOWN = "(unknown)"
"""What stands for a method or a tool that there is not: its name could be anything."""

STREAM_OPENED, STREAM_ENDED = "(stream opened)", "(stream ended)"
"""What stands for a method where a client listens, which is no call. How long a stream was open is in its last line."""

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
    """Keep that `principal` made `call`, began at `started_at` (time.perf_counter) and answered now.

    `methods` are those that could be called; `caller` is None where the call was not admitted, `error` where it was
    answered with a result. Costs microseconds; never waits for the database. Of the calls over the rate limit one a
    second is kept.
    """
    seconds = time.perf_counter() - started_at
    method = call.method if call.method in methods else UNKNOWN
    tool = _tool_of(call)
    result = error.data["reason"] if error else (caller.failure if caller else "") or AuditLine.OK
    count_call(method, tool, result, seconds)
    if not settings.AUDIT_DAYS:
        return
    line = _line(principal, caller.session if caller else None, method, seconds)
    line.tool = tool
    line.result = result
    if caller:
        line.protocol_version = caller.protocol_version
        line.dry_run = caller.is_dry_run
        line.memory_ids = caller.memory_ids[:MAX_IDS]
        line.memory_count = len(caller.memory_ids)
        line.query = _shown_query(caller.query) if settings.AUDIT_QUERIES else ""
    is_refused_for_its_rate = error is not None and error.code == RATE_LIMITED
    audit_lines.add(principal.permission if is_refused_for_its_rate else next(_numbers), line)
    if caller and error is None and caller.recall:
        past_recalls.record_recall(
            caller.view, *caller.recall, client=principal.client_id, tool=tool, milliseconds=line.milliseconds
        )


def record_stream(principal: Principal, session: Session | None, *, seconds_open: float | None = None) -> None:
    """Keep that a stream was opened, or that it ended after so long; as cheap as `record_call`."""
    if not settings.AUDIT_DAYS:
        return
    method = STREAM_OPENED if seconds_open is None else STREAM_ENDED
    line = _line(principal, session, method, seconds_open or 0.0)
    line.protocol_version = session.protocol_version if session else ""
    audit_lines.add(next(_numbers), line)


def delete_old_lines() -> None:
    """Delete what is older than AUDIT_DAYS: with 0 everything."""
    AuditLine.objects.filter(at__lt=timezone.now() - timedelta(days=settings.AUDIT_DAYS)).delete()


def _line(principal: Principal, session: Session | None, method: str, seconds: float) -> AuditLine:
    """A line about what was answered now, without what only calls of tools have."""
    return AuditLine(
        at=timezone.now(),
        owner_id=principal.owner_id,
        client_id=make_storable(principal.client_id, MAX_NAME_CHARS),
        client_name=make_storable(principal.client_name, MAX_NAME_CHARS),
        session=_shown_session(session),
        method=method,
        memory_ids=[],
        memory_count=0,
        result=AuditLine.OK,
        milliseconds=round(seconds * 1000, 1),
    )


def _shown_session(session: Session | None) -> str:
    """The beginning of the hash that sessions are stored by: enough to tell them apart, and no way back to the id."""
    return bytes(session.id_hash).hex()[:SESSION_CHARS] if session else ""


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
audit_lines: WriteBehind[Hashable, AuditLine] = WriteBehind(
    _write, _keep_existing, limit=MAX_WAITING, seconds=FLUSH_DELAY_SECONDS
)
