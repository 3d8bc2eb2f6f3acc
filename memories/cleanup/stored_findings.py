"""The findings of the last search: listing and dismissing them, and making plans of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import (
    BigIntegerField,
    BooleanField,
    Count,
    Exists,
    F,
    Func,
    IntegerField,
    OuterRef,
    QuerySet,
    Subquery,
)
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce, Least
from django.utils.translation import gettext

from common.texts import translatable
from memories.access import Actor, View
from memories.cleanup.actions import Action, ProposedChange, carry_out
from memories.cleanup.detection.found import FindingKind, Found
from memories.cleanup.plans import propose_plan, reject_replacements
from memories.errors import InvalidInput, NotFound
from memories.models import CleanupFinding, CleanupLine, CleanupPlan, Memory, MemoryQuerySet

State = CleanupFinding.State

_PAIR = 2

REVIEWED_KINDS = (FindingKind.CONTRADICTION, FindingKind.DUPLICATES, FindingKind.PAST, FindingKind.FRAGMENT)
"""The kinds of findings that the review shows as cards, and that count as waiting for a decision."""

MAX_PLANNED = 50
"""Number of findings that become one plan: as many as somebody reads."""


@dataclass(frozen=True, slots=True)
class StoredFinding:
    """An open finding and its memories, which are active and in view."""

    id: int
    kind: FindingKind
    memories: Sequence[Memory]
    reason: str
    details: Mapping[str, object]


def open_findings(actor: Actor, kind: FindingKind, limit: int) -> list[StoredFinding]:
    """Return at most `limit` open findings of a kind, surest first, whose memories are all active and in view.

    Findings about tags are for whole views. Two queries.
    """
    if kind == FindingKind.SAME_TAGS and not actor.view.is_whole:
        return []
    return first_findings(actor, [kind], limit)


def first_findings(actor: Actor, kinds: Collection[FindingKind], limit: int) -> list[StoredFinding]:
    """Return the findings of some kinds as `open_findings` does for one. Two queries."""
    # More are read, because the memories of some have changed since the search.
    chosen = _undecided(actor.owner_id).filter(kind__in=[kind.value for kind in kinds])
    found = list(chosen.order_by("-strength", "pk")[: 2 * limit + 50])
    memories = _active(actor, {memory_id for each in found for memory_id in each.memory_ids})
    shown = [_stored(each, memories) for each in found if all(pk in memories for pk in each.memory_ids)]
    return shown[:limit]


def count_findings(actor: Actor) -> dict[FindingKind, int]:
    """Return the number of open findings of each kind whose memories are all active and in view. One query."""
    counts = Counter(_with_active_memories(actor.view).values_list("kind", flat=True))
    return {kind: counts[kind.value] for kind in FindingKind}


def awaiting_decision(view: View) -> QuerySet[CleanupFinding]:
    """Select the open findings of REVIEWED_KINDS whose memories are all active and in view."""
    return _with_active_memories(view).filter(kind__in=[kind.value for kind in REVIEWED_KINDS])


def contradicting(view: View, memory_ids: Collection[int]) -> set[int]:
    """Return those of some memories that contradict another one, as the last search found. One query.

    Pairs are left out of which a memory has changed since, or of which the owner has said that both are true.
    """
    found = CleanupFinding.objects.filter(
        owner_id=view.owner_id, kind=CleanupFinding.CONTRADICTION, memory_ids__overlap=list(memory_ids)
    ).exclude(state=State.DISMISSED)
    unchanged = Memory.objects.visible_to(view).active().filter(updated_at__lte=OuterRef("found_at"))
    pairs = _with_all_memories(found, unchanged).values_list("memory_ids", flat=True)
    return {memory_id for pair in pairs for memory_id in pair}.intersection(memory_ids)


def _with_active_memories(view: View) -> QuerySet[CleanupFinding]:
    """Select the undecided findings whose memories are all active and in view."""
    return _with_all_memories(_undecided(view.owner_id), Memory.objects.visible_to(view).active())


def _with_all_memories(findings: QuerySet[CleanupFinding], memories: MemoryQuerySet) -> QuerySet[CleanupFinding]:
    """Select the findings of which all memories are among `memories`, which may refer to the finding."""
    ids = Func(OuterRef("memory_ids"), function="ANY")
    is_of_finding = Func(F("pk"), ids, template="(%(expressions)s)", arg_joiner=" = ", output_field=BooleanField())
    known = memories.filter(is_of_finding).order_by()
    number_of_known = Subquery(known.values("owner_id").annotate(number=Count("pk")).values("number"))
    # Findings about tags have no memories.
    return findings.filter(memory_ids__len=Coalesce(number_of_known, 0))


def dismiss_findings(actor: Actor, finding_ids: Collection[int]) -> list[int]:
    """Never show these findings again, also if another search finds them. Return the ids of those that were open."""
    with transaction.atomic():
        chosen = _open(actor.owner_id).filter(pk__in=list(finding_ids)).order_by("pk").select_for_update()
        dismissed = list(chosen.values_list("pk", flat=True))
        CleanupFinding.objects.filter(pk__in=dismissed).update(state=State.DISMISSED)
    return dismissed


def reopen_findings(actor: Actor, finding_ids: Collection[int]) -> int:
    """Show dismissed findings again. Return how many those were."""
    dismissed = CleanupFinding.objects.filter(owner_id=actor.owner_id, state=State.DISMISSED)
    return dismissed.filter(pk__in=list(finding_ids)).update(state=State.OPEN)


def dismiss_contradiction(actor: Actor, memory_ids: Collection[int]) -> None:
    """Never show again that two memories contradict each other, whatever finds it. Raises NotFound.

    Open lines of plans that replace one by the other are rejected.
    """
    if len(set(memory_ids)) != 2 or len(_active(actor, memory_ids)) != 2:
        raise NotFound(gettext("It was decided in the meantime, or its memories have changed since. Look at it again."))
    found = Found(FindingKind.CONTRADICTION, sorted(memory_ids), "")
    values = {"kind": found.kind.value, "memory_ids": found.memory_ids, "state": State.DISMISSED, "strength": 0.0}
    with transaction.atomic():
        CleanupFinding.objects.update_or_create(owner_id=actor.owner_id, key=found.key, defaults=values)
        reject_replacements(actor, found.memory_ids)


def settle_finding(actor: Actor, finding_id: int, kept_id: int | None, seen_at: datetime) -> None:
    """Forget the memories of an open finding, replaced by that with `kept_id`; without it, all of them.

    The finding stays, but is shown only while all of its memories are active: after an undo. Raises NotFound if the
    finding is no longer open, or one of its memories was changed after `seen_at`, and the errors of `forget_memory`.
    """
    with transaction.atomic():
        finding = _open(actor.owner_id).filter(pk=finding_id).select_for_update().first()
        ids = finding.memory_ids if finding else []
        memories = _active(actor, ids)
        is_as_seen = len(memories) == len(ids) and all(memory.updated_at <= seen_at for memory in memories.values())
        # Only memories that are over or make no sense are all forgotten.
        has_kept = finding is not None and "kept_id" in finding.details
        if finding is None or not is_as_seen or has_kept != (kept_id in memories):
            raise NotFound(
                gettext("It was decided in the meantime, or its memories have changed since. Look at it again.")
            )
        for memory_id in ids:
            if memory_id != kept_id:
                change = ProposedChange(Action.FORGET, [memory_id], replaced_by_id=kept_id, reason=finding.reason)
                carry_out(actor, change)


def plan_findings(actor: Actor, finding_ids: Collection[int]) -> CleanupPlan:
    """Make one plan of open findings. Those that cannot be carried out any more are left out.

    Raises NotFound if none is left, and InvalidInput for too many, or for tags that mean the same, which are merged on
    the page of tags.
    """
    if len(finding_ids) > MAX_PLANNED:
        raise InvalidInput(gettext("At most %(max_planned)s findings become one plan.") % {"max_planned": MAX_PLANNED})
    with transaction.atomic():
        found = list(_open(actor.owner_id).filter(pk__in=list(finding_ids)).order_by("pk").select_for_update())
        memories = _active(actor, {memory_id for each in found for memory_id in each.memory_ids})
        changes: list[ProposedChange] = []
        reasons = set()
        for each in found:
            if all(pk in memories for pk in each.memory_ids):
                changes += _changes(each, memories)
                reasons.add(PLAN_REASONS[FindingKind(each.kind)])
        changes = _once_per_memory(changes)
        if not changes:
            raise NotFound(gettext("The memories of these findings have changed since. Search again."))
        plan = propose_plan(actor, changes, " ".join(sorted(reasons)))
        CleanupFinding.objects.filter(pk__in=[each.pk for each in found]).update(state=State.PLANNED)
    return plan


PLAN_REASONS = {
    FindingKind.DUPLICATES: translatable("Memories that seem to say the same."),
    FindingKind.CONTRADICTION: translatable("Memories that seem to contradict later ones."),
    FindingKind.PAST: translatable("Memories whose time is over."),
    FindingKind.FRAGMENT: translatable("Memories that make no sense on their own."),
    FindingKind.UNUSED: translatable("Memories that nobody needed for a year."),
    FindingKind.TAG_SUGGESTION: translatable("Tags for memories without any."),
    FindingKind.SAME_TAGS: translatable("Tags that mean the same."),
}
"""The reasons of plans that the owner makes. They are stored in English, and pages translate them."""


def _changes(finding: CleanupFinding, memories: Mapping[int, Memory]) -> list[ProposedChange]:
    details, reason = finding.details, finding.reason
    match FindingKind(finding.kind):
        case FindingKind.DUPLICATES | FindingKind.CONTRADICTION:
            kept = details["kept_id"]
            replaced = [memory_id for memory_id in finding.memory_ids if memory_id != kept]
            return [ProposedChange(Action.FORGET, [pk], replaced_by_id=kept, reason=reason) for pk in replaced]
        case FindingKind.TAG_SUGGESTION:
            [memory_id] = finding.memory_ids
            tags = [*memories[memory_id].tags, *details["tags"]]
            return [ProposedChange(Action.RETAG, [memory_id], tags=tags, reason=reason)]
        case FindingKind.SAME_TAGS:
            raise InvalidInput(gettext("Merge tags on the page of tags."))
        case _:
            return [ProposedChange(Action.FORGET, [pk], reason=reason) for pk in finding.memory_ids]


def _once_per_memory(changes: Sequence[ProposedChange]) -> list[ProposedChange]:
    """Return the changes without further ones of a memory, and without those that keep a memory that goes away."""
    chosen: dict[int, ProposedChange] = {}
    for change in changes:
        if change.replaced_by_id not in chosen:
            chosen.setdefault(change.memory_ids[0], change)
    going = {pk for pk, change in chosen.items() if change.action == Action.FORGET}
    return [change for change in chosen.values() if change.replaced_by_id not in going]


def _open(owner_id: int) -> QuerySet[CleanupFinding]:
    return CleanupFinding.objects.filter(owner_id=owner_id, state=State.OPEN)


def _undecided(owner_id: int) -> QuerySet[CleanupFinding]:
    """Select the open findings, without those that an open line of a plan is about.

    The owner decides about such a line, and must not be asked twice. It merges or forgets the only memory of the
    finding or two of several; the successor of a forgotten one counts.
    """
    successor = Cast(KT("details__replaced_by_id"), BigIntegerField())
    shared = Func(
        Func(F("memory_ids"), successor, function="array_append"),
        OuterRef("memory_ids"),
        template="(SELECT count(*) FROM unnest(%(expressions)s))",
        arg_joiner=") AS of_line(id) WHERE of_line.id = ANY(",
        output_field=IntegerField(),
    )
    needed = Least(Func(OuterRef("memory_ids"), function="cardinality", output_field=IntegerField()), _PAIR)
    lines = CleanupLine.objects.filter(
        plan__owner_id=owner_id,
        plan__closed_at=None,
        state=CleanupLine.State.OPEN,
        action__in=[CleanupLine.Action.MERGE, CleanupLine.Action.FORGET],
        memory_ids__overlap=OuterRef("memory_ids"),
    )
    return _open(owner_id).exclude(Exists(lines.alias(shared=shared).filter(shared__gte=needed)))


def _active(actor: Actor, memory_ids: Collection[int]) -> dict[int, Memory]:
    return Memory.objects.visible_to(actor.view).active().in_bulk(list(memory_ids))


def _stored(finding: CleanupFinding, memories: Mapping[int, Memory]) -> StoredFinding:
    shown = [memories[memory_id] for memory_id in finding.memory_ids]
    return StoredFinding(finding.pk, FindingKind(finding.kind), shown, finding.reason, finding.details)
