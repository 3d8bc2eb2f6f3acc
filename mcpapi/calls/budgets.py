"""The owner's budgets for apps: what a call spends, and the error if a budget is used up. See docs/budgets.md."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.utils import timezone

from mcpapi.calls.caller import Caller
from mcpapi.rpc.jsonrpc import BUDGET_EXCEEDED, RpcError
from memories.embeddings.charging import charged_to
from memories.errors import EmbeddingRefused
from memories.transfer.records import time_text
from oauthserver.budgets.spending import (
    CHARACTERS_PER_TOKEN,
    Balance,
    BudgetExceeded,
    Measure,
    embedding_amounts,
    spend,
)


class EmbeddingBudgetExceeded(EmbeddingRefused):
    """A refusal to embed a text for an app, or for any, whose budget `balance` is used up."""

    def __init__(self, balance: Balance) -> None:
        super().__init__(_explain(balance))
        self.balance = balance


def spend_call(caller: Caller, *, is_write: bool = False) -> None:
    """Count the call, once however often it is run. Raises RpcError -32003 if that exceeds a budget.

    One query if the owner has budgets, none otherwise.
    """
    if caller.is_counted or not _is_limited(caller):
        return
    _spend(caller, {Measure.CALLS: 1, Measure.WRITES: int(is_write)} if is_write else {Measure.CALLS: 1})
    caller.is_counted = True


def spend_result(caller: Caller, characters: int, *, is_write: bool = False) -> None:
    """Count the characters of a result. Raises RpcError -32003 if they exceed a budget; never after a write."""
    if not _is_limited(caller):
        return
    try:
        _spend(caller, {Measure.RETURNED: characters}, always=is_write)
    except RpcError:
        # The app does not get the result, so the activity log must not say that it has read these.
        caller.memory_ids.clear()
        caller.document_ids.clear()
        raise


@contextmanager
def embedding_spent_by(caller: Caller) -> Iterator[None]:
    """Count what is sent to an embedding endpoint within the block. Raises RpcError -32003."""
    if not _is_limited(caller):
        yield
        return
    principal = caller.principal

    def charge(characters: int) -> None:
        try:
            spend(principal.owner_id, principal.permission, embedding_amounts(characters))
        except BudgetExceeded as error:
            raise EmbeddingBudgetExceeded(error.balance) from None

    try:
        with charged_to(charge):
            yield
    except EmbeddingBudgetExceeded as error:
        raise budget_exceeded(error.balance) from None


def charge_owner(owner_id: int, characters: int) -> None:
    """Count what the jobs of an owner send to an embedding endpoint, against the budgets that all apps share.

    Raises EmbeddingRefused.
    """
    try:
        spend(owner_id, None, embedding_amounts(characters))
    except BudgetExceeded as error:
        raise EmbeddingBudgetExceeded(error.balance) from None


def budget_exceeded(balance: Balance) -> RpcError:
    """Return the error for a call that a budget refuses."""
    seconds = max(1, math.ceil((balance.resets_at - timezone.now()).total_seconds()))
    return RpcError(
        BUDGET_EXCEEDED,
        "Budget exceeded",
        reason="budget_exceeded",
        headers={"Retry-After": str(seconds)},
        budget=balance.name,
        applies_to="all apps" if balance.is_shared else "this app",
        used=_number(balance.used),
        limit=_number(balance.limit),
        resets_at=time_text(balance.resets_at),
        details=_explain(balance),
    )


def count_characters(blocks: Any) -> int:
    """Return the number of characters in content blocks, contents of resources or messages of prompts."""
    match blocks:
        case str():
            return len(blocks)
        case Mapping():
            return sum(count_characters(blocks.get(name)) for name in ("text", "blob", "content", "resource"))
        case list() | tuple():
            return sum(map(count_characters, blocks))
    return 0


def _is_limited(caller: Caller) -> bool:
    # The owner's own programs have no permission, and no limit.
    return caller.principal.has_budgets and caller.principal.permission is not None


def _spend(caller: Caller, amounts: Mapping[Measure, int], *, always: bool = False) -> None:
    principal = caller.principal
    try:
        spend(principal.owner_id, principal.permission, amounts, always=always)
    except BudgetExceeded as error:
        raise budget_exceeded(error.balance) from None


def _explain(balance: Balance) -> str:
    whose = "all apps together" if balance.is_shared else "this app"
    what = Measure(balance.measure).label.lower()
    tokens = ""
    if balance.measure == Measure.RETURNED:
        tokens = f" (about {int(balance.limit / CHARACTERS_PER_TOKEN):,} tokens)"
    advice = ""
    if balance.measure in {Measure.EMBEDDED, Measure.COST}:
        advice = " Until then, recall works in the mode keyword."
    return (
        f"The owner's budget of {_number(balance.limit):,} per {balance.period}{tokens} for {whose} is not enough: "
        f"{what}, {_number(balance.used):,} used. It is reset at {time_text(balance.resets_at)}."
        f"{advice}"
    )


def _number(amount: Any) -> int | float:
    return int(amount) if amount == int(amount) else float(amount)
