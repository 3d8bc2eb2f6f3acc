"""The values that an editor has shown, so that saving does not overwrite what was changed meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

from common.texts import translatable
from memories.errors import InvalidInput
from memories.models import Memory
from memories.writing import journal

SeenValues = Mapping[str, Any]
"""Fields of a memory with the values that an editor has shown, as `journal.snapshot` returns them."""


SeenTexts = Mapping[int, str]
"""By id of a memory: the digest of the text that a page has shown. What is missing is not checked."""


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


class TextChanged(InvalidInput):
    """A decision about a memory whose text the owner has not seen, because it was changed meanwhile."""

    def __init__(self, text: str) -> None:
        super().__init__(
            translatable(
                "This memory was changed after you saw it, so nothing was done. Now it says: “%(text)s”", text=text
            )
        )


class MergedChanged(InvalidInput):
    """A merge of memories of which one has another text than the owner has seen."""

    def __init__(self) -> None:
        super().__init__(
            translatable(
                "A memory was changed after you opened this page. Nothing was merged. Compare your text with the "
                "current texts below. If you merge again, your text replaces them."
            )
        )


def text_digest(text: str) -> str:
    """Return a short digest of `text`, for forms."""
    return blake2b(text.encode(), digest_size=8).hexdigest()


def changed_since_seen(memories: Iterable[Memory], seen: SeenTexts) -> list[Memory]:
    """Return those of `memories` whose text is another one than was seen."""
    return [memory for memory in memories if seen.get(memory.pk, text_digest(memory.text)) != text_digest(memory.text)]
