"""The owner's choices for an import in the background, as they come from forms and as they are stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Self, TypeVar

from common.texts import translatable
from memories.drafts import checked_label
from memories.errors import InvalidInput
from memories.transfer.options import Conversations, Format, ImportOptions
from memories.validation.text import clean_tags
from memories.writing.deduplication import DedupPolicy

E = TypeVar("E", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Choices:
    """The ways to read and store a file: see `ImportOptions` and `ImportRun`."""

    format: Format = Format.AUTO
    conversations: Conversations = Conversations.SKIP
    dedup_policy: DedupPolicy = DedupPolicy.INSERT
    source_provider: str | None = None
    tags: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Return the choices with these names; those left out have their defaults. Raises InvalidInput."""
        return cls(
            _member(Format, "format", given.get("format")),
            _member(Conversations, "conversations", given.get("conversations")),
            _member(DedupPolicy, "dedup_policy", given.get("dedup_policy") or DedupPolicy.INSERT),
            checked_label("source_provider", given.get("source_provider") or None),
            tuple(clean_tags(given.get("tags", ()))),
        )

    @property
    def reading(self) -> ImportOptions:
        """The choices for reading files."""
        return ImportOptions(self.format, self.conversations)

    def as_json(self) -> dict[str, Any]:
        """Return the choices as JSON values, which `of` accepts."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def _member(kind: type[E], argument: str, given: str | None) -> E:
    """Return the value of an enumeration, its first one for none. Raises InvalidInput."""
    values = list(kind)
    try:
        return kind(given) if given else values[0]
    except ValueError:
        raise InvalidInput(
            translatable("must be one of %(values)s.", values=", ".join(values)), argument=argument
        ) from None
