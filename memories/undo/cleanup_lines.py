"""Lines of plans whose changes are undone: they await the owner's decision again."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db.models.functions import Now

from memories.access import Actor
from memories.database import among
from memories.models import CleanupLine, CleanupPlan, JournalEntry

State = CleanupLine.State


def lock_lines(actor: Actor, entry_ids: Collection[int]) -> Sequence[CleanupLine]:
    """Return the lines of plans that were applied, or opened again, by the change sets of these journal entries.

    Their plans are locked. Call it in a transaction, before memories are locked: applying a plan locks it first, too.
    """
    change_sets = JournalEntry.objects.filter(owner_id=actor.owner_id, pk__in=among(entry_ids)).values("change_set")
    chosen = CleanupLine.objects.filter(
        plan__owner_id=actor.owner_id, state__in=(State.APPLIED, State.OPEN), change_set__in=change_sets
    )
    plan_ids = set(chosen.values_list("plan_id", flat=True))
    if not plan_ids:
        return ()
    list(CleanupPlan.objects.filter(pk__in=plan_ids).order_by("pk").select_for_update())
    return list(chosen)


def switch_lines(actor: Actor, lines: Sequence[CleanupLine], undone_ids: Collection[int]) -> None:
    """Open the applied lines again all of whose memories were set back, and apply those whose undo was undone."""
    switched = [line for line in lines if set(line.memory_ids) <= set(undone_ids)]
    for line in switched:
        line.state = State.OPEN if line.state == State.APPLIED else State.APPLIED
        line.change_set = actor.change_set
    CleanupLine.objects.bulk_update(switched, ["state", "change_set"])
    plans = CleanupPlan.objects.filter(pk__in={line.plan_id for line in switched})
    opened = CleanupLine.objects.filter(state=State.OPEN, plan__in=plans).values("plan_id")
    plans.filter(pk__in=opened).update(closed_at=None)
    plans.exclude(pk__in=opened).update(closed_at=Now())
