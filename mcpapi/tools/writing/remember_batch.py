"""The tool `remember_batch`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, Field

from common.scopes import WRITE
from mcpapi.calls.caller import Caller
from mcpapi.tools.acting import ActingAgent, checked_agent
from mcpapi.tools.arguments import Objects
from mcpapi.tools.base import Args, Hints, Result, tool
from mcpapi.tools.batches import item_list_schema, parse_items
from mcpapi.tools.shapes import FailureShape, Hidden, MemoryShape, Notice, TagChanges, shape_failure
from mcpapi.tools.writing.remember import RememberArgs, memory_ids_in, outcome_fields, warn_if_unindexed
from memories.drafts import check_batch_size
from memories.errors import InvalidInput, MemoriesError
from memories.writing import remembering
from memories.writing.deduplication import DedupPolicy
from memories.writing.remembering import RememberOutcome


class RememberBatchArgs(Args):
    """Many facts, and defaults for the items."""

    items: Annotated[Objects, item_list_schema(RememberArgs)] = Field(description="The facts, each as for remember.")
    source_provider: str | None = Field(None, description="The source of items without one.")
    agent: ActingAgent = None
    dedup_policy: DedupPolicy = Field(DedupPolicy.ASK, description="The policy of items without one.")


class RememberedItem(BaseModel):
    """The outcome of one item."""

    input_index: int = Field(description="The item's position in the call, from 0.")
    ok: bool
    memory_id: int | None = None
    message: str | None = None
    indexed: bool = True
    quarantined: bool = False
    near_duplicates: list[MemoryShape] = []
    previously_corrected: list[MemoryShape] = []
    tag_changes: TagChanges = []
    hidden: Hidden = []
    notice: Notice = None
    error: FailureShape | None = None


class RememberSummary(BaseModel):
    """The totals of the call; succeeded = inserted + duplicates."""

    total: int
    succeeded: int
    failed: int
    inserted: int
    duplicates: int
    errors: int


class RememberBatchResult(Result):
    """The outcome of each item, by position, and the totals."""

    results: list[RememberedItem]
    summary: RememberSummary


ParsedItem = RememberArgs | InvalidInput


@tool(
    title="Remember many facts",
    scope=WRITE,
    hints=Hints(idempotent=True),
    notifications={"progress", "log"},
    takes_many_texts=True,
)
def remember_batch(caller: Caller, args: RememberBatchArgs) -> RememberBatchResult:
    """Store many facts in one call, each as with remember. Use it instead of many single calls, for example to import
    notes. A bad item does not affect the others; the results give the outcome of each, by position."""
    check_batch_size("items", args.items)
    checked_agent(caller, args.agent)
    items = _with_known_agents(caller, parse_items(RememberArgs, args.items))
    stored = iter(
        remembering.remember_all(
            caller.actor,
            [
                item.request(args.dedup_policy, args.source_provider, args.agent)
                for item in items
                if isinstance(item, RememberArgs)
            ],
            lambda share: caller.notifier.progress(share, 1.0, f"Storing {len(items)} facts"),
        )
    )
    outcomes = [next(stored) if isinstance(item, RememberArgs) else item for item in items]
    for outcome in outcomes:
        if isinstance(outcome, RememberOutcome):
            caller.record_memories(memory_ids_in(outcome))
    warn_if_unindexed(caller, [outcome for outcome in outcomes if isinstance(outcome, RememberOutcome)])
    return RememberBatchResult(
        results=[_shape_item(index, outcome) for index, outcome in enumerate(outcomes)], summary=_summary(outcomes)
    )


def _with_known_agents(caller: Caller, items: Sequence[ParsedItem]) -> list[ParsedItem | MemoriesError]:
    """Replace the items that name an unknown agent by their error. One query per name."""
    problems: dict[str, MemoriesError] = {}
    for name in {item.agent for item in items if isinstance(item, RememberArgs) and item.agent}:
        try:
            checked_agent(caller, name)
        except MemoriesError as error:
            problems[name] = error
    return [problems.get(item.agent, item) if isinstance(item, RememberArgs) and item.agent else item for item in items]


def _shape_item(index: int, outcome: RememberOutcome | MemoriesError) -> RememberedItem:
    if isinstance(outcome, RememberOutcome):
        return RememberedItem(input_index=index, ok=True, **outcome_fields(outcome))
    return RememberedItem(input_index=index, ok=False, error=shape_failure(outcome))


def _summary(outcomes: Sequence[RememberOutcome | MemoriesError]) -> RememberSummary:
    succeeded = [outcome for outcome in outcomes if isinstance(outcome, RememberOutcome)]
    duplicates = sum(outcome.is_duplicate for outcome in succeeded)
    failed = len(outcomes) - len(succeeded)
    return RememberSummary(
        total=len(outcomes),
        succeeded=len(succeeded),
        failed=failed,
        inserted=len(succeeded) - duplicates,
        duplicates=duplicates,
        errors=failed,
    )
