"""The effects of an undo on memories and documents."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Generic
from uuid import UUID

from memories.undo.reversal import Effect, Id, Reversal


class Resolution(StrEnum):
    """A way to treat a memory or document that was changed again since."""

    KEEP = "keep"
    """Leave it as it is."""
    REVERT = "revert"
    """Undo the later changes of the same fields, too."""
    KEEP_BOTH = "keep_both"
    """Leave it as it is, and store the earlier text as another memory. Of documents, all versions are kept anyway."""


@dataclass(frozen=True, slots=True)
class Resolutions:
    """Ways to treat conflicts, by the id of the memory or document; `default` holds for the others."""

    by_id: Mapping[int | UUID, Resolution] = field(default_factory=dict)
    default: Resolution = Resolution.KEEP

    def of(self, item_id: int | UUID) -> Resolution:
        """Return what to do with an item."""
        return self.by_id.get(item_id, self.default)

    def applied(self, reversals: Iterable[Reversal[Id]]) -> list[Reversal[Id]]:
        """Return the reversals. Conflicts that the caller wants to revert are none any more."""
        return [
            _forced(reversal) if reversal.can_be_forced and self.of(reversal.item_id) == Resolution.REVERT else reversal
            for reversal in reversals
        ]


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Id]):
    """The outcome of an undo, by effect. `conflicts` are the items that it leaves as they are.

    `unchanged` counts the items that are as before already, and `deleted_ids` names those deleted permanently.
    """

    restored: Sequence[Reversal[Id]] = ()
    removed: Sequence[Reversal[Id]] = ()
    conflicts: Sequence[Reversal[Id]] = ()
    unchanged: int = 0
    deleted_ids: Sequence[Id] = ()

    @property
    def changed_ids(self) -> list[Id]:
        """The ids of the items that are set back or removed."""
        groups: tuple[Sequence[Reversal[Id]], ...] = (self.restored, self.removed)
        return [reversal.item_id for group in groups for reversal in group]


def is_done(reversal: Reversal[Id]) -> bool:
    """Return whether the undo changes the item."""
    return reversal.obstacle is None and reversal.effect != Effect.NONE


def outcome_of(reversals: Sequence[Reversal[Id]], selected_ids: Collection[Id]) -> Outcome[Id]:
    """Return the outcome of the reversals of those of the selected items that still exist."""
    done = [reversal for reversal in reversals if is_done(reversal)]
    existing = {reversal.item_id for reversal in reversals}
    return Outcome(
        restored=[reversal for reversal in done if reversal.effect == Effect.RESTORED],
        removed=[reversal for reversal in done if reversal.effect == Effect.REMOVED],
        conflicts=[reversal for reversal in reversals if reversal.obstacle is not None],
        unchanged=sum(reversal.effect == Effect.NONE and reversal.obstacle is None for reversal in reversals),
        deleted_ids=sorted(set(selected_ids) - existing),
    )


def _forced(reversal: Reversal[Id]) -> Reversal[Id]:
    if reversal.effect == Effect.REMOVED:
        return replace(reversal, conflicts=(), obstacle=None)
    earlier = {conflict.name: conflict.earlier for conflict in reversal.conflicts}
    return replace(reversal, values={**reversal.values, **earlier}, conflicts=(), obstacle=None)
