"""The tool `propose_cleanup`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from common.scopes import WRITE
from mcpapi.calls.caller import Caller
from mcpapi.tools.arguments import MemoryId, MemoryIds, Objects, Tags, Texts, Time
from mcpapi.tools.base import Args, Hints, Result, tool
from mcpapi.tools.batches import item_list_schema, parse_items
from memories.cleanup.actions import Action, ProposedChange
from memories.cleanup.plans import propose_plan
from memories.errors import InvalidInput
from memories.models import CleanupLine


class ChangeArgs(Args):
    """One proposed change."""

    action: Action = Field(
        description="merge (ids, text), split (ids, texts), correct (ids, text), retag (ids, tags), "
        "expire (ids, expires_at), forget (ids, replaced_by_id if there is one) or confirm (ids)."
    )
    ids: MemoryIds = Field(description="The memories; exactly one, except for merge.")
    text: str | None = Field(None, description="For merge and correct: the new text.")
    texts: Texts | None = Field(None, description="For split: one text for each part.")
    tags: Tags | None = Field(None, description="For retag: the new tags, which replace the old ones.")
    expires_at: Time | None = Field(None, description="For expire: a future ISO 8601 time.")
    replaced_by_id: MemoryId | None = Field(None, description="For forget: the memory that replaces it.")
    reason: str = Field("", description="Why, in a few words for the owner.")

    def change(self) -> ProposedChange:
        """Return the change of the domain layer."""
        return ProposedChange(
            self.action,
            list(dict.fromkeys(self.ids)),
            self.text,
            self.texts,
            self.tags,
            self.expires_at,
            self.replaced_by_id,
            self.reason,
        )


class ProposeCleanupArgs(Args):
    """The changes of a plan."""

    changes: Annotated[Objects, item_list_schema(ChangeArgs)] = Field(description="The proposed changes.")
    reason: str = Field("", description="What the plan is about, in a few words for the owner.")


class ProposeCleanupResult(Result):
    """The stored plan."""

    plan_id: int
    changes: int = Field(description="The number of its lines. A change without effect gets none.")
    message: str


@tool(title="Propose a clean-up", scope=WRITE, hints=Hints())
def propose_cleanup(caller: Caller, args: ProposeCleanupArgs) -> ProposeCleanupResult:
    """Propose to merge, split, correct, retag, expire, forget or confirm memories. Nothing is changed: the owner
    reviews the plan line by line and applies what is right. Use it when you notice duplicates, contradictions or
    outdated facts, and tell the user that a plan awaits their review."""
    changes = [_change(position, item) for position, item in enumerate(parse_items(ChangeArgs, args.changes))]
    plan = propose_plan(caller.actor, changes, args.reason)
    caller.record_memories({memory_id for change in changes for memory_id in change.memory_ids})
    number = plan.lines.filter(state=CleanupLine.State.OPEN).count()
    return ProposeCleanupResult(
        plan_id=plan.pk, changes=number, message="Proposed. The owner decides on the page Clean-up."
    )


def _change(position: int, item: ChangeArgs | InvalidInput) -> ProposedChange:
    if isinstance(item, InvalidInput):
        raise InvalidInput(item.problem, argument=f"changes.{position}")
    return item.change()
