"""Items that are gone from a source, and the guard against forgetting most documents by mistake."""

from __future__ import annotations

from collections.abc import Collection

from common.texts import translatable
from documents.models import SourceItemState

GUARDED_DOCUMENTS = 20
"""From this number on, a sync does not forget more than half of a source's documents by itself."""


def gone_items(states: Collection[SourceItemState], kept: Collection[str]) -> list[SourceItemState]:
    """Return the items of the last sync whose keys are not among those that the source still has."""
    return [state for state in states if state.fingerprint and state.key not in kept]


def is_mass_removal(states: Collection[SourceItemState], gone: Collection[SourceItemState]) -> bool:
    """Return whether `gone` must not be forgotten without the owner's confirmation."""
    lost = count_active(gone)
    return lost >= GUARDED_DOCUMENTS and 2 * lost > count_active(states)


def mass_removal_problem(states: Collection[SourceItemState], gone: Collection[SourceItemState]) -> str:
    """Return a sentence for the owner about a mass removal, which says how to confirm it."""
    return translatable(
        "%(gone)s of %(all)s documents are gone from the source, and none was removed. If that is right, confirm it on "
        "the page of the source.",
        gone=count_active(gone),
        all=count_active(states),
    )


def count_active(states: Collection[SourceItemState]) -> int:
    """Return the number of items with a document that is not forgotten."""
    return sum(map(is_active, states))


def is_active(state: SourceItemState) -> bool:
    """Return whether the item has a document that is not forgotten."""
    return state.document is not None and state.document.deleted_at is None
