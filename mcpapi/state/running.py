"""Runs of workflows by a caller."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from mcpapi.calls.caller import Caller
from mcpapi.state.rate_limit import consume_rate_limit
from workflows import runs
from workflows.execution import OnUnknown, ToolRunner
from workflows.runs import Runnable, RunOutcome


def may_call(caller: Caller, tool: str) -> bool:
    """Return whether the owner allows the caller to use the tool of this name."""
    return caller.principal.can_call(tool)


def count_call(caller: Caller) -> None:
    """Count a call against the caller's rate limit. Raises RpcError."""
    consume_rate_limit(caller.principal, 1)


def load(caller: Caller, name: str) -> Runnable:
    """See `runs.load_runnable`."""
    return runs.load_runnable(caller.principal.owner_id, name)


def start(caller: Caller, runnable: Runnable, arguments: Mapping[str, Any], runner: ToolRunner) -> RunOutcome:
    """See `runs.start_run`."""
    return runs.start_run(
        caller.principal.owner_id,
        runnable,
        arguments,
        runner,
        permission=_permission(caller),
        client_name=caller.principal.client_name,
    )


def resume(
    caller: Caller, name: str, run_id: uuid.UUID, runner: ToolRunner, on_unknown: OnUnknown | None
) -> RunOutcome:
    """See `runs.resume_run`."""
    return runs.resume_run(caller.principal.owner_id, run_id, name, runner, on_unknown, permission=_permission(caller))


def _permission(caller: Caller) -> str:
    """Return the name of the caller's connection; the client for the owner's own local connection."""
    return caller.principal.permission_name or caller.principal.client_id
