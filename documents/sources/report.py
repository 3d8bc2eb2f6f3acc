"""The outcome of a sync."""

from __future__ import annotations

from dataclasses import dataclass, field

from common.texts import translatable
from documents.connectors.parts.keys import display_key
from memories.validation.secrets.detection import kind_of_secret

MAX_NOTES = 20
MAX_NOTE_CHARS = 500
MAX_EXAMPLES = 20


@dataclass(slots=True)
class SyncReport:
    """The numbers of items that a sync added, changed and so on, or would have with `dry_run`.

    `problem` says why it failed, `notes` why some items were skipped; both are for the owner. `unconfirmed_removals` is
    the number of documents that were not forgotten because the owner has to confirm it. With `dry_run`, `examples` are
    the first items, by the name of their number: added, changed or removed.
    """

    name: str
    dry_run: bool = False
    added: int = 0
    changed: int = 0
    removed: int = 0
    skipped: int = 0
    unchanged: int = 0
    problem: str = ""
    notes: list[str] = field(default_factory=list)
    is_already_running: bool = False
    unconfirmed_removals: int = 0
    examples: dict[str, list[str]] = field(default_factory=dict)

    @property
    def is_ok(self) -> bool:
        """Whether the sync was complete."""
        return not self.problem and not self.is_already_running

    def count(self, what: str, key: str) -> None:
        """Add an item to the number named `what`."""
        setattr(self, what, getattr(self, what) + 1)
        examples = self.examples.setdefault(what, []) if self.dry_run else []
        if len(examples) < MAX_EXAMPLES:
            examples.append(display_key(key))

    def skip(self, name: str, why: str) -> None:
        """Count a skipped item. The first ones get a note."""
        self.skipped += 1
        if len(self.notes) < MAX_NOTES:
            note = f"{name}: {why}"
            self.notes.append(
                (translatable("An item: %(why)s", why=why) if kind_of_secret(note) else note)[:MAX_NOTE_CHARS]
            )


def counts_in_words(added: int, changed: int, removed: int, skipped: int, unchanged: int) -> str:
    """Return a phrase with the numbers of items of a sync."""
    return f"{added} added, {changed} changed, {removed} removed, {skipped} skipped, {unchanged} unchanged"
