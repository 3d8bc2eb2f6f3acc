"""Obstacles to undoing that one memory's history does not show: other memories, and what the actor may do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from django.db.models.expressions import RawSQL

from memories.access import Actor, View
from memories.models import Memory
from memories.undo.reversal import Effect, Obstacle, Reversal
from memories.validation.text import normalized_hash

_FOR_OWNERS = frozenset({"quarantined_from", "briefing_place"})

Identity = tuple[bytes, str | None]
"""The hash of a text, and the client in whose quarantine it is unique."""


def with_obstacles(
    actor: Actor, reversals: Iterable[Reversal[int]], memories: Mapping[int, Memory]
) -> list[Reversal[int]]:
    """Return the reversals, with the obstacles of those that would break a rule. One query."""
    checked = [_within_rights(actor, reversal, memories[reversal.item_id]) for reversal in reversals]
    identities = {
        reversal.item_id: identity
        for reversal in checked
        if (identity := _new_identity(reversal, memories[reversal.item_id]))
    }
    going = {item.item_id for item in checked if item.effect == Effect.REMOVED and item.obstacle is None}
    taken = _taken(actor, identities, going)
    return [_without_duplicate(reversal, identities.get(reversal.item_id), taken) for reversal in checked]


def _without_duplicate(reversal: Reversal[int], identity: Identity | None, taken: dict[Identity, int]) -> Reversal[int]:
    """Return the reversal, with an obstacle if `taken`, which it adds itself to, has its identity already."""
    if identity is None or (holder := taken.setdefault(identity, reversal.item_id)) == reversal.item_id:
        return reversal
    return replace(reversal, obstacle=Obstacle.SAME_TEXT, duplicate_id=holder or None)


def _within_rights(actor: Actor, reversal: Reversal[int], memory: Memory) -> Reversal[int]:
    if actor.is_owner or reversal.effect == Effect.NONE:
        return reversal
    concerned = {*reversal.values, *(conflict.name for conflict in reversal.conflicts)}
    if concerned & _FOR_OWNERS:
        return replace(reversal, obstacle=Obstacle.OWNERS_DECISION)
    if not actor.view.shows(_new_value(reversal, memory, "tags")):
        return replace(reversal, obstacle=Obstacle.OUT_OF_VIEW)
    return reversal


def _new_value(reversal: Reversal[int], memory: Memory, name: str) -> Any:
    """Return the value that a field would have, also if later changes were undone as well."""
    for conflict in reversal.conflicts:
        if conflict.name == name:
            return conflict.earlier
    return reversal.values.get(name, getattr(memory, name))


def _new_identity(reversal: Reversal[int], memory: Memory) -> Identity | None:
    """Return the identity that the memory would have; None if it would be no other, or a tombstone."""
    if reversal.obstacle not in (None, Obstacle.CHANGED_SINCE) or reversal.effect != Effect.RESTORED:
        return None
    if _new_value(reversal, memory, "deleted_at") is not None:
        return None
    text, waits_for = _new_value(reversal, memory, "text"), _new_value(reversal, memory, "quarantined_from")
    is_same = memory.deleted_at is None and (text, waits_for) == (memory.text, memory.quarantined_from)
    return None if is_same else (normalized_hash(text), waits_for)


def _taken(actor: Actor, identities: Mapping[int, Identity], removed: set[int]) -> dict[Identity, int]:
    """Return the memories that have one of `identities` and are not `removed` by the same undo; 0 for unseen ones."""
    # As parameters of their own, thousands of hashes would be compared one by one, row by row.
    hashes = {text_hash for text_hash, _ in identities.values()}
    if not hashes:
        return {}
    everything = Memory.objects.visible_including_quarantined(View.whole(actor.owner_id)).not_deleted()
    wanted = RawSQL("SELECT unnest(%s::bytea[])", [list(hashes)])
    found = everything.filter(text_hash__in=wanted).values_list("pk", "text_hash", "quarantined_from", "tags")
    return {
        (bytes(text_hash), waits_for): pk if actor.view.shows(tags) else 0
        for pk, text_hash, waits_for, tags in found
        if pk not in removed
    }
