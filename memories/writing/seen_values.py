"""The values that an editor has shown, so that saving does not overwrite what was changed meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from common.texts import translatable
from memories.errors import InvalidInput
from memories.models import Memory
from memories.writing import journal

SeenValues = Mapping[str, Any]
"""Fields of a memory with the values that an editor has shown, as `journal.snapshot` returns them."""


class ChangedMeanwhile(InvalidInput):
    """A change of a memory that somebody else has changed since its values were read."""

    def __init__(self) -> None:
        super().__init__(
            translatable(
                "This memory was changed after you opened it. Nothing was saved. Compare what you typed with what is "
                "stored now. If you save again, what you typed replaces it."
            )
        )


def refuse_changed(memory: Memory, seen: SeenValues) -> None:
    """Raise ChangedMeanwhile if a field of `memory` has another value than the one that was seen."""
    stored = journal.snapshot(memory)
    if any(stored[name] != value for name, value in seen.items()):
        raise ChangedMeanwhile
