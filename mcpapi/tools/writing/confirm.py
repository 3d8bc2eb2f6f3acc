"""The tool `confirm`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from common.scopes import WRITE
from mcpapi.calls.caller import Caller
from mcpapi.tools.arguments import MemoryId
from mcpapi.tools.base import Args, Hints, Result, tool
from mcpapi.tools.shapes import UtcTime
from memories.writing import lifecycle


class ConfirmArgs(Args):
    """The memory that is still true."""

    id: MemoryId = Field(description="The memory's id.")


class ConfirmResult(Result):
    """The time of the confirmation."""

    memory_id: int
    last_confirmed_at: UtcTime
    message: Literal["Confirmed"]


@tool(title="Confirm a memory", scope=WRITE, hints=Hints(idempotent=True))
def confirm(caller: Caller, args: ConfirmArgs) -> ConfirmResult:
    """Record that a memory is still true, as of now. Use it when the user confirms something that was recalled: if
    memories contradict each other, the most recently confirmed one is trusted."""
    moment = lifecycle.confirm_memory(caller.actor, args.id)
    caller.record_memories([args.id])
    return ConfirmResult(memory_id=args.id, last_confirmed_at=moment, message="Confirmed")
