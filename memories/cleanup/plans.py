"""Proposing, listing, applying and rejecting plans."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import orjson
from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import Prefetch, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext

from common.texts import translatable
from memories.access import Actor
from memories.cleanup.actions import ProposedChange, carry_out
from memories.drafts import checked_reason
from memories.errors import InvalidInput, LimitExceeded, MemoriesError, NotFound, StorageFull
from memories.models import CleanupLine, CleanupPlan, Memory
from memories.writing import locking
from memories.writing.hidden_values import all_secrets_refused

MAX_OPEN_PLANS = 50
"""Number of open plans of one client. More would wait unread."""

CHANGED_SINCE = translatable("Its memories have changed since it was proposed.")

State = CleanupLine.State


@dataclass(frozen=True, slots=True)
class LineOutcome:
    """The outcome of a line about `memory_ids`. `new_ids` are the memories that it made."""

    position: int
    memory_ids: Sequence[int]
    state: str
    message: str = ""
    new_ids: Sequence[int] = ()


def propose_plan(actor: Actor, changes: Sequence[ProposedChange], reason: str = "") -> CleanupPlan:
    """Store a plan for the owner's review. Nothing is changed yet.

    Raises InvalidInput, NotFound or SecretRejected that names the change, for one that could not be carried out now,
    and LimitExceeded for too many changes or open plans.
    """
    if not 1 <= len(changes) <= settings.MAX_BATCH_SIZE:
        raise LimitExceeded(
            gettext("%(number)s changes; 1 to %(max_batch_size)s are allowed.")
            % {"number": len(changes), "max_batch_size": settings.MAX_BATCH_SIZE},
            argument="changes",
        )
    reason = checked_reason(reason) or ""
    if open_plans(actor).filter(client=actor.client).count() >= MAX_OPEN_PLANS:
        raise LimitExceeded(
            gettext("%(max_open_plans)s plans await the owner's review. Wait until some of them are decided.")
            % {"max_open_plans": MAX_OPEN_PLANS}
        )
    checked = [_checked(actor, position, change) for position, change in enumerate(changes)]
    memories = _memories(actor, {memory_id for change in checked for memory_id in change.memory_ids})
    with transaction.atomic():
        plan = CleanupPlan.objects.create(owner_id=actor.owner_id, client=actor.client, reason=reason)
        CleanupLine.objects.bulk_create(
            CleanupLine(
                plan=plan,
                position=position,
                action=change.action,
                memory_ids=list(change.memory_ids),
                details=change.details(),
                reason=change.reason,
                seen=_digest(change.memory_ids, memories),
            )
            for position, change in enumerate(checked)
        )
    return plan


def open_plans(actor: Actor) -> QuerySet[CleanupPlan]:
    """Return the plans with open lines that `actor` may see, latest first, with their lines.

    The owner sees all, an app those that it proposed itself.
    """
    return visible_plans(actor).filter(closed_at=None)


def visible_plans(actor: Actor) -> QuerySet[CleanupPlan]:
    """Return all plans that `actor` may see, as `open_plans` does."""
    lines = Prefetch("lines", CleanupLine.objects.order_by("position"))
    plans = CleanupPlan.objects.filter(owner_id=actor.owner_id).order_by("-pk").prefetch_related(lines)
    return plans if actor.is_owner else plans.filter(client=actor.client)


def get_plan(actor: Actor, plan_id: int) -> CleanupPlan:
    """Return a plan with its lines. Raises NotFound."""
    plan = visible_plans(actor).filter(pk=plan_id).first()
    if plan is None:
        raise NotFound(gettext("There is no plan with id %(plan_id)s.") % {"plan_id": plan_id})
    return plan


def stale_lines(actor: Actor, plan: CleanupPlan) -> set[int]:
    """Return the positions of the open lines whose memories have changed since they were proposed. One query."""
    lines = [line for line in plan.lines.all() if line.state == State.OPEN]
    memories = _memories(actor, {memory_id for line in lines for memory_id in line.memory_ids})
    return {line.position for line in lines if bytes(line.seen) != _digest(line.memory_ids, memories)}


def apply_plan(actor: Actor, plan_id: int, positions: Collection[int] | None = None) -> list[LineOutcome]:
    """Apply the open lines at `positions`, or all, in one transaction that is one change set.

    A line whose memories have changed since it was proposed is skipped as stale, one that is refused is marked as
    failed; the others are applied. Raises NotFound, InvalidInput for positions that are not open, and StorageFull.
    """
    with transaction.atomic():
        plan, lines = _lock_open(actor, plan_id, positions)
        memory_ids = {memory_id for line in lines for memory_id in line.memory_ids}
        memories = {memory.pk: memory for memory in locking.lock_all(actor, memory_ids)}
        # Compared before anything is applied: an earlier line may change a memory of a later one.
        stale = {line.position for line in lines if bytes(line.seen) != _digest(line.memory_ids, memories)}
        outcomes = [_apply(actor, line, line.position in stale) for line in lines]
        _record(plan, lines, outcomes)
    return outcomes


def reject_lines(actor: Actor, plan_id: int, positions: Collection[int] | None = None) -> int:
    """Reject the open lines at `positions`, or all. Return how many those were. Raises NotFound and InvalidInput."""
    with transaction.atomic():
        plan, lines = _lock_open(actor, plan_id, positions)
        _record(plan, lines, [LineOutcome(line.position, line.memory_ids, State.REJECTED) for line in lines])
    return len(lines)


def _checked(actor: Actor, position: int, change: ProposedChange) -> ProposedChange:
    """Return the change with a checked reason. Raises an error that names it, if it could not be carried out."""
    try:
        change = replace(change, reason=checked_reason(change.reason) or "")
        # The texts of a plan are stored until the owner decides.
        with all_secrets_refused():
            carry_out(actor, change, dry_run=True)
    except StorageFull:
        raise
    except MemoriesError as error:
        place = f"changes.{position}"
        raise type(error)(error.problem, f"{place}.{error.argument}" if error.argument else place) from None
    return change


def _memories(actor: Actor, memory_ids: Collection[int]) -> dict[int, Memory]:
    return Memory.objects.changeable_by(actor).in_bulk(list(memory_ids))


def _digest(memory_ids: Iterable[int], memories: Mapping[int, Memory]) -> bytes:
    """Return a digest of what the memories say and of their states; a missing one counts as a change."""
    states = [
        (pk, memory.text, memory.tags, memory.importance, memory.expires_at, memory.deleted_at)
        if (memory := memories.get(pk))
        else pk
        for pk in memory_ids
    ]
    return hashlib.sha256(orjson.dumps(states)).digest()


def _lock_open(actor: Actor, plan_id: int, positions: Collection[int] | None) -> tuple[CleanupPlan, list[CleanupLine]]:
    plan = visible_plans(actor).prefetch_related(None).select_for_update().filter(pk=plan_id).first()
    if plan is None:
        raise NotFound(gettext("There is no plan with id %(plan_id)s.") % {"plan_id": plan_id})
    opened = {line.position: line for line in plan.lines.filter(state=State.OPEN).order_by("position")}
    if positions is None:
        if not opened:
            raise InvalidInput(gettext("Plan %(plan_id)s has no open lines.") % {"plan_id": plan_id})
        return plan, list(opened.values())
    for position in positions:
        if position not in opened:
            raise InvalidInput(
                gettext("line %(position)s of plan %(plan_id)s is not open.")
                % {"position": position, "plan_id": plan_id},
                argument="lines",
            )
    return plan, [opened[position] for position in sorted(set(positions))]


def _apply(actor: Actor, line: CleanupLine, is_stale: bool) -> LineOutcome:
    if is_stale:
        return LineOutcome(line.position, line.memory_ids, State.STALE, CHANGED_SINCE)
    try:
        change = ProposedChange.of(line)
        with transaction.atomic():
            return LineOutcome(line.position, line.memory_ids, State.APPLIED, new_ids=carry_out(actor, change))
    except StorageFull:
        raise
    except (MemoriesError, DatabaseError) as error:
        message = str(error) if isinstance(error, MemoriesError) else "The database refused it. Try again."
        return LineOutcome(line.position, line.memory_ids, State.FAILED, message)


def _record(plan: CleanupPlan, lines: Sequence[CleanupLine], outcomes: Sequence[LineOutcome]) -> None:
    for line, outcome in zip(lines, outcomes, strict=True):
        line.state, line.message = outcome.state, outcome.message
    CleanupLine.objects.bulk_update(lines, ["state", "message"])
    if not plan.lines.filter(state=State.OPEN).exists():
        CleanupPlan.objects.filter(pk=plan.pk).update(closed_at=Now())
