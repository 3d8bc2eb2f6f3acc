"""The entries of an import: what the readers of all formats return."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from common.texts import translatable
from memories.errors import MemoriesError


class UnreadableFile(Exception):
    """A file that cannot be imported as a whole. The message is one line."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One value of a file, parsed but not validated.

    `place` is its position for people: `line 7`, or `item 7` of a JSON list. `value` is a record as
    `memories.transfer.records.parse_record` takes it. If there is none, `error` says why it could not be read, or
    `left_out` why this part of the file is not a memory. `ignored` are the fields of the source that are not imported.
    """

    place: str
    value: object = None
    error: MemoriesError | None = None
    left_out: str | None = None
    ignored: frozenset[str] = frozenset()


@dataclass(slots=True)
class Notes:
    """Notes of the readers while they read. They are complete when all entries have been read.

    `files` counts the files by the label of their format, and `fields` says for each format what becomes of its parts.
    `conversations` and `messages` count what is left out because conversations are not memories.
    """

    files: Counter[str] = field(default_factory=Counter)
    fields: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    conversations: int = 0
    messages: int = 0

    def add(self, other: Notes) -> None:
        """Add the notes of another source."""
        self.files += other.files
        self.fields |= other.fields
        self.conversations += other.conversations
        self.messages += other.messages

    def lines(self) -> list[str]:
        """Return the notes for people, one line each."""
        if not self.conversations:
            return []
        return [
            translatable(
                "Conversations are not memories, so they were left out (conversations: %(conversations)s, messages: "
                "%(messages)s). You can choose to import what you said about yourself, or every message as a quote.",
                conversations=f"{self.conversations:,}",
                messages=f"{self.messages:,}",
            )
        ]


@dataclass(frozen=True, slots=True)
class ImportSource:
    """The entries of a file, a folder or an archive, which can be read once.

    `total` is the largest possible number of entries, None if it is unknown. `format` names the format for people.
    """

    format: str
    entries: Iterator[Entry]
    total: int | None = None
    notes: Notes = field(default_factory=Notes)


def counted(number: int, noun: str) -> str:
    """Return the number with the noun, which gets an s unless the number is 1."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
