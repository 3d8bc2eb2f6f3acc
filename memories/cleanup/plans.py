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
from memories.cleanup.actions import ProposedChange, carry_out, changes_nothing
from memories.drafts import checked_reason
from memories.errors import InvalidInput, LimitExceeded, MemoriesError, NotFound, StorageFull
from memories.models import CleanupLine, CleanupPlan, Memory
from memories.writing import locking
from memories.writing.hidden_values import all_secrets_refused

MAX_OPEN_PLANS = 50
"""Number of open plans of one client. More would wait unread."""

CHANGED_SINCE = translatable("Its memories have changed since it was proposed.")

ALREADY_SO = translatable("The memory is already as this line proposes.")

State = CleanupLine.State


class ChangesNothing(InvalidInput):
    """A plan without a line that would change anything."""


class NotOpen(InvalidInput):
    """A decision about a plan, or lines of one, that were decided already. Plans and lines are numbered for tools."""


@dataclass(frozen=True, slots=True)
class LineOutcome:
    """The outcome of a line about `memory_ids`. `new_ids` are the memories that it made."""

    position: int
    memory_ids: Sequence[int]
    state: str
    message: str = ""
    new_ids: Sequence[int] = ()


def propose_plan(actor: Actor, changes: Sequence[ProposedChange], reason: str = "") -> CleanupPlan:
    """Store a plan for the owner's review, or return the open plan of the client with the same lines.

    Nothing is changed yet. What is proposed twice, or would change nothing, gets no line. Raises InvalidInput, NotFound
    or SecretRejected that names the change, for one that could not be carried out now; ChangesNothing if no line is
    left; and LimitExceeded for too many changes or open plans.
    """
    if not 1 <= len(changes) <= settings.MAX_BATCH_SIZE:
        raise LimitExceeded(
            gettext("%(number)s changes; 1 to %(max_batch_size)s are allowed.")
            % {"number": len(changes), "max_batch_size": settings.MAX_BATCH_SIZE},
            argument="changes",
        )
    reason = checked_reason(reason) or ""
    checked = [_checked(actor, position, change) for position, change in enumerate(changes)]
    memories = _memories(actor, {memory_id for change in checked for memory_id in change.memory_ids})
    lines = [_line(position, change, memories) for position, change in enumerate(_needed(checked, memories))]
    with transaction.atomic():
        own = list(open_plans(actor).filter(client=actor.client).select_for_update())
        equal = [plan for plan in own if _contents(plan.lines.all()) == _contents(lines)]
        known = next((plan for plan in equal if _seen(plan.lines.all()) == _seen(lines)), None)
        if known:
            return known
        for plan in equal:
            # Its memories have changed since, so all of its lines would be skipped.
            _close_as_stale(plan)
        if len(own) - len(equal) >= MAX_OPEN_PLANS:
            raise LimitExceeded(
                gettext("%(max_open_plans)s plans await the owner's review. Wait until some of them are decided.")
                % {"max_open_plans": MAX_OPEN_PLANS}
            )
        plan = CleanupPlan.objects.create(owner_id=actor.owner_id, client=actor.client, reason=reason)
        for line in lines:
            line.plan = plan
        CleanupLine.objects.bulk_create(lines)
    return plan


def _needed(changes: Iterable[ProposedChange], memories: Mapping[int, Memory]) -> list[ProposedChange]:
    """Return the changes without repeated ones and those that change nothing. Raises ChangesNothing if none is left."""
    needed: list[ProposedChange] = []
    for change in changes:
        is_repeated = any(_content(change) == _content(each) for each in needed)
        # If an earlier change is about the same memory, its result is not known here.
        is_first = not any(set(change.memory_ids) & set(each.memory_ids) for each in needed)
        if not is_repeated and not (is_first and changes_nothing(change, memories)):
            needed.append(change)
    if not needed:
        raise ChangesNothing(gettext("would change nothing: the memories are already as proposed."), argument="changes")
    return needed


def _line(position: int, change: ProposedChange, memories: Mapping[int, Memory]) -> CleanupLine:
    return CleanupLine(
        position=position,
        action=change.action,
        memory_ids=list(change.memory_ids),
        details=change.details(),
        reason=change.reason,
        seen=_digest(change.memory_ids, memories),
    )


def _content(change: ProposedChange | CleanupLine) -> tuple[object, ...]:
    """Return what is to be done with which memories, without the reason."""
    details = change.details if isinstance(change, CleanupLine) else change.details()
    return change.action, list(change.memory_ids), details


def _contents(lines: Iterable[CleanupLine]) -> list[tuple[object, ...]]:
    return [_content(line) for line in lines if line.state == State.OPEN]


def _seen(lines: Iterable[CleanupLine]) -> list[bytes]:
    return [bytes(line.seen) for line in lines if line.state == State.OPEN]


def _close_as_stale(plan: CleanupPlan) -> None:
    plan.lines.filter(state=State.OPEN).update(state=State.STALE, message=CHANGED_SINCE)
    CleanupPlan.objects.filter(pk=plan.pk).update(closed_at=Now())


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
    """Return the positions of the open lines that would be skipped. One query."""
    return set(skipped_lines(actor, plan))


def skipped_lines(actor: Actor, plan: CleanupPlan) -> dict[int, str]:
    """Return why open lines would be skipped, by position: CHANGED_SINCE or ALREADY_SO. One query."""
    lines = [line for line in plan.lines.all() if line.state == State.OPEN]
    return _skipped(lines, _memories(actor, {memory_id for line in lines for memory_id in line.memory_ids}))


def _skipped(lines: Iterable[CleanupLine], memories: Mapping[int, Memory]) -> dict[int, str]:
    skipped = {}
    for line in lines:
        if bytes(line.seen) != _digest(line.memory_ids, memories):
            skipped[line.position] = CHANGED_SINCE
        elif changes_nothing(ProposedChange.of(line), memories):
            skipped[line.position] = ALREADY_SO
    return skipped


def apply_plan(actor: Actor, plan_id: int, positions: Collection[int] | None = None) -> list[LineOutcome]:
    """Apply the open lines at `positions`, or all, in one transaction that is one change set.

    A line whose memories have changed since it was proposed, or are already as it proposes, is skipped as stale; one
    that is refused is marked as failed; the others are applied. Raises NotFound, InvalidInput for positions that are
    not open, and StorageFull.
    """
    with transaction.atomic():
        plan, lines = _lock_open(actor, plan_id, positions)
        memory_ids = {memory_id for line in lines for memory_id in line.memory_ids}
        memories = {memory.pk: memory for memory in locking.lock_all(actor, memory_ids)}
        # Compared before anything is applied: an earlier line may change a memory of a later one.
        skipped = _skipped(lines, memories)
        proposed_by = plan.client if plan.client != actor.client else ""
        acting = replace(actor, proposed_by=proposed_by)
        outcomes = [_apply(acting, line, skipped.get(line.position, "")) for line in lines]
        _record(actor, plan, lines, outcomes)
    return outcomes


def reject_lines(actor: Actor, plan_id: int, positions: Collection[int] | None = None) -> list[int]:
    """Reject the open lines at `positions`, or all. Return their positions. Raises NotFound and InvalidInput."""
    with transaction.atomic():
        plan, lines = _lock_open(actor, plan_id, positions)
        _record(actor, plan, lines, [LineOutcome(line.position, line.memory_ids, State.REJECTED) for line in lines])
    return [line.position for line in lines]


def reject_replacements(actor: Actor, memory_ids: Collection[int]) -> None:
    """Reject the open lines that replace one of these memories by another of them."""
    about = CleanupLine.objects.filter(
        state=State.OPEN,
        action=CleanupLine.Action.FORGET,
        memory_ids__overlap=list(memory_ids),
        details__replaced_by_id__in=list(memory_ids),
    )
    with transaction.atomic():
        plans = open_plans(actor).filter(pk__in=about.values("plan_id")).order_by("pk")
        for plan in plans.prefetch_related(None).select_for_update():
            lines = list(about.filter(plan=plan))
            _record(actor, plan, lines, [LineOutcome(line.position, line.memory_ids, State.REJECTED) for line in lines])


def reopen_lines(actor: Actor, plan_id: int, positions: Collection[int]) -> int:
    """Ask again about the rejected lines at `positions`. Return how many those were. Raises NotFound."""
    with transaction.atomic():
        plan = _lock_plan(actor, plan_id)
        rejected = plan.lines.filter(state=State.REJECTED, position__in=list(positions))
        reopened = rejected.update(state=State.OPEN)
        if reopened:
            CleanupPlan.objects.filter(pk=plan.pk).update(closed_at=None)
    return reopened


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


def _lock_plan(actor: Actor, plan_id: int) -> CleanupPlan:
    plan = visible_plans(actor).prefetch_related(None).select_for_update().filter(pk=plan_id).first()
    if plan is None:
        raise NotFound(gettext("There is no plan with id %(plan_id)s.") % {"plan_id": plan_id})
    return plan


def _lock_open(actor: Actor, plan_id: int, positions: Collection[int] | None) -> tuple[CleanupPlan, list[CleanupLine]]:
    plan = _lock_plan(actor, plan_id)
    opened = {line.position: line for line in plan.lines.filter(state=State.OPEN).order_by("position")}
    if positions is None:
        if not opened:
            raise NotOpen(gettext("Plan %(plan_id)s has no open lines.") % {"plan_id": plan_id})
        return plan, list(opened.values())
    for position in positions:
        if position not in opened:
            raise NotOpen(
                gettext("line %(position)s of plan %(plan_id)s is not open.")
                % {"position": position, "plan_id": plan_id},
                argument="lines",
            )
    return plan, [opened[position] for position in sorted(set(positions))]


def _apply(actor: Actor, line: CleanupLine, skipped_because: str) -> LineOutcome:
    if skipped_because:
        return LineOutcome(line.position, line.memory_ids, State.STALE, skipped_because)
    try:
        change = ProposedChange.of(line)
        with transaction.atomic():
            return LineOutcome(line.position, line.memory_ids, State.APPLIED, new_ids=carry_out(actor, change))
    except StorageFull:
        raise
    except (MemoriesError, DatabaseError) as error:
        message = str(error) if isinstance(error, MemoriesError) else "The database refused it. Try again."
        return LineOutcome(line.position, line.memory_ids, State.FAILED, message)


def _record(actor: Actor, plan: CleanupPlan, lines: Sequence[CleanupLine], outcomes: Sequence[LineOutcome]) -> None:
    for line, outcome in zip(lines, outcomes, strict=True):
        line.state, line.message = outcome.state, outcome.message
        line.change_set = actor.change_set if outcome.state == State.APPLIED else None
    CleanupLine.objects.bulk_update(lines, ["state", "message", "change_set"])
    if not plan.lines.filter(state=State.OPEN).exists():
        CleanupPlan.objects.filter(pk=plan.pk).update(closed_at=Now())
