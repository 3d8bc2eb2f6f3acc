"""Memory updates: one embedding call for all texts, then one transaction per memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import DatabaseError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from memories.access import Actor
from memories.aspects.reading import aspect_of
from memories.database import refuse_growth
from memories.drafts import (
    Hide,
    KeptValue,
    checked_expiry,
    checked_importance,
    checked_past_time,
    checked_time,
    checked_validity,
    refuse,
    refuse_values,
    safe_text,
    stated_times,
)
from memories.errors import InvalidInput, MemoriesError
from memories.models import JournalEntry, Memory
from memories.relations.statements import statement_key
from memories.tags import TagChange, apply_synonyms, synonyms_of, tag_changes
from memories.times.statements import stated_period
from memories.validation.text import clean_tags, normalized_hash
from memories.vectors.index_queue import index_soon
from memories.vectors.indexing import embed_or_leave_pending, replace_vectors
from memories.vectors.spaces import TextVectors
from memories.writing import journal, locking
from memories.writing.hidden_values import Hiding, delete_removed_values, store_values
from memories.writing.seen_values import SeenValues, refuse_changed

Values = dict[str, Any]

_VALIDITY = frozenset({"valid_from", "valid_until"})


@dataclass(frozen=True, slots=True)
class MemoryUpdate:
    """The fields to change; None leaves a field as it is. `clear_…` removes a time.

    A memory with other values than those of `seen`, which the editor has shown, is not changed. With `keeps_values`,
    hidden values stay although the owner removes their placeholders: the text is that of an app.
    """

    text: str | None = None
    tags: Sequence[str] | None = None
    importance: float | None = None
    expires_at: datetime | None = None
    clear_expiry: bool = False
    last_confirmed_at: datetime | None = None
    valid_from: datetime | None = None
    clear_valid_from: bool = False
    valid_until: datetime | None = None
    clear_valid_until: bool = False
    keeps_values: bool = False
    seen: SeenValues | None = None

    def checked(self, hide: Hide = refuse) -> CheckedUpdate:
        """Return the fields to set, checked and cleaned. `hide` decides about secrets in the text.

        Whether `expires_at` is past is checked later, with the memory locked: an unchanged past value is allowed.
        Raises InvalidInput, LimitExceeded or SecretRejected.
        """
        values: Values = {}
        kept: tuple[KeptValue, ...] = ()
        if self.text is not None:
            safe = safe_text(self.text, hide)
            values["text"], kept = safe.text, safe.values
        if self.tags is not None:
            refuse_values(kept, "tags", self.tags)
            values["tags"] = clean_tags(self.tags)
        if self.importance is not None:
            values["importance"] = checked_importance(self.importance)
        if self.expires_at is not None or self.clear_expiry:
            values["expires_at"] = checked_time("expires_at", self.expires_at)
        if self.last_confirmed_at is not None:
            values["last_confirmed_at"] = checked_past_time("last_confirmed_at", self.last_confirmed_at)
        if self.valid_from is not None or self.clear_valid_from:
            values["valid_from"] = checked_time("valid_from", self.valid_from)
        if self.valid_until is not None or self.clear_valid_until:
            values["valid_until"] = checked_time("valid_until", self.valid_until)
        if not values:
            raise InvalidInput(
                gettext(
                    "Nothing to change: give at least one of text, tags, importance, expires_at, last_confirmed_at, "
                    "valid_from, valid_until."
                )
            )
        return CheckedUpdate(values, kept, self.keeps_values, self.seen)


@dataclass(frozen=True, slots=True)
class CheckedUpdate:
    """The fields to set, and the values that placeholders in the new text stand for. See `MemoryUpdate`."""

    values: Values
    kept: Sequence[KeptValue] = ()
    keeps_values: bool = False
    seen: SeenValues | None = None


@dataclass(frozen=True, slots=True)
class UpdateOutcome:
    """The fields that an update changed, or would change in a dry run.

    `indexed` is False while the vector of a new text is pending. `tag_changes` are those of the given tags. `kept` are
    the values that were hidden, and `deleted_values` counts those that were deleted with their placeholders.
    """

    changed_fields: list[str]
    indexed: bool = True
    tag_changes: Sequence[TagChange] = ()
    kept: Sequence[KeptValue] = ()
    deleted_values: int = 0


UpdateOutcomeOrError = UpdateOutcome | MemoriesError | DatabaseError


def update_memory(actor: Actor, memory_id: int, changes: MemoryUpdate, *, dry_run: bool = False) -> UpdateOutcome:
    """Change fields of a memory that is not deleted. A new text is embedded again and counts as confirmed now.

    A text that differs only in white space or case is stored, but does not count as a confirmation. Raises NotFound
    for a tombstone; InvalidInput for a text that another active memory has, and for tags that would take the memory
    out of the actor's view; ChangedMeanwhile; StorageFull; and the errors of `MemoryUpdate.checked`.
    """
    outcome = update_memories(actor, [(memory_id, changes)], dry_run=dry_run)[0]
    if isinstance(outcome, UpdateOutcome):
        return outcome
    raise outcome


def update_memories(
    actor: Actor, items: Sequence[tuple[int, MemoryUpdate]], *, dry_run: bool = False
) -> list[UpdateOutcomeOrError]:
    """Change many memories with one embedding call and return the outcomes by position. A failed one fails alone.

    Raises StorageFull for the whole call.
    """
    if not dry_run:
        refuse_growth()
    outcomes: dict[int, UpdateOutcomeOrError] = {}
    checked: dict[int, CheckedUpdate] = {}
    hide = Hiding(actor, dry_run=dry_run)
    for position, (_, changes) in enumerate(items):
        try:
            checked[position] = changes.checked(hide)
        except MemoriesError as error:
            outcomes[position] = error
    all_values = [update.values for update in checked.values()]
    synonyms = synonyms_of(actor.view, (tag for values in all_values for tag in values.get("tags", ())))
    _put_canonical_tags(all_values, synonyms)
    texts = {items[position][0]: each.values["text"] for position, each in checked.items() if "text" in each.values}
    vectors = {} if dry_run else _vectors_of_changed(actor, texts)
    for position, update in checked.items():
        memory_id, changes = items[position]
        known = vectors.get((memory_id, update.values.get("text", "")))
        outcome = _update_or_error(actor, memory_id, update, known, dry_run)
        if isinstance(outcome, UpdateOutcome):
            outcome = replace(outcome, tag_changes=tag_changes(changes.tags or (), synonyms))
        outcomes[position] = outcome
    return [outcomes[position] for position in range(len(items))]


def _put_canonical_tags(all_values: Iterable[Values], synonyms: Mapping[str, str]) -> None:
    for values in all_values:
        if "tags" in values:
            values["tags"] = apply_synonyms(values["tags"], synonyms)


def _vectors_of_changed(actor: Actor, texts: Mapping[int, str]) -> dict[tuple[int, str], TextVectors | None]:
    """Embed the new texts, before any row is locked. Return the vectors by memory id and text."""
    current = dict(
        Memory.objects.changeable_by(actor).not_deleted().filter(pk__in=texts).values_list("pk", "text")
        if texts
        else []
    )
    changed = [(memory_id, text) for memory_id, text in texts.items() if current.get(memory_id, text) != text]
    return dict(zip(changed, embed_or_leave_pending([text for _, text in changed]), strict=True))


def _update_or_error(
    actor: Actor, memory_id: int, update: CheckedUpdate, vectors: TextVectors | None, dry_run: bool
) -> UpdateOutcomeOrError:
    try:
        with transaction.atomic():
            return _update(actor, memory_id, update, vectors, dry_run)
    except (MemoriesError, DatabaseError) as error:
        return error


def _update(
    actor: Actor, memory_id: int, update: CheckedUpdate, vectors: TextVectors | None, dry_run: bool
) -> UpdateOutcome:
    values, deleted = update.values, 0
    memory = locking.lock_not_deleted(actor, memory_id)
    if update.seen is not None:
        refuse_changed(memory, update.seen)
    before = journal.snapshot(memory)
    if "expires_at" in values and values["expires_at"] != memory.expires_at:
        checked_expiry("expires_at", values["expires_at"])
    for name, value in values.items():
        setattr(memory, name, value)
    memory.tags = list(actor.view.completed(memory.tags))
    if "text" in values and "last_confirmed_at" not in values:
        _confirm_new_wording(memory, before["text"])
    if values.keys() & _VALIDITY:
        checked_validity(memory.valid_from, memory.valid_until)
        _end_confirmation(memory, values)
    changed = journal.changed_between(before, journal.snapshot(memory))
    if "text" in changed:
        memory.text_hash = normalized_hash(memory.text)
        memory.statement_key = statement_key(memory.text)
        memory.aspect = aspect_of(memory.text)
        locking.refuse_duplicate(actor.view, memory)
        if values.keys() & _VALIDITY:
            memory.named_days = stated_times(memory.text, timezone.now())[2]
        else:
            _read_times(memory, before["text"])
        changed = journal.changed_between(before, journal.snapshot(memory))
    if changed and not dry_run:
        locking.save(actor.view, memory, changed)
        journal.write([journal.entry(actor, JournalEntry.Operation.UPDATE, memory, before)])
        if "text" in changed:
            replace_vectors(memory, vectors)
            if vectors is None:
                transaction.on_commit(index_soon)
            store_values(actor.owner_id, memory.pk, update.kept)
            if not update.keeps_values:
                deleted = delete_removed_values(actor, memory, before["text"])
    is_indexed = "text" not in changed or vectors is not None
    return UpdateOutcome(changed, is_indexed, kept=update.kept, deleted_values=deleted)


def _end_confirmation(memory: Memory, values: Values) -> None:
    """Let the confirmation not be later than an end that is set in the past: the memory would not count as past."""
    end = memory.valid_until
    if "valid_until" not in values or "last_confirmed_at" in values or end is None or end >= timezone.now():
        return
    memory.last_confirmed_at = min(memory.last_confirmed_at, end)


def _read_times(memory: Memory, text_before: str) -> None:
    """Set the times that the new text states, as said now. If it has the old time phrases, these are not said again."""
    now = timezone.now()
    if _time_phrases(memory.text, now) != _time_phrases(text_before, now):
        said_at = now
    elif stated_times(text_before, memory.created_at)[:2] == (memory.valid_from, memory.valid_until):
        said_at = memory.created_at
    else:
        # They were said in an earlier update, at an unknown time.
        return
    memory.valid_from, memory.valid_until, memory.named_days = stated_times(memory.text, said_at)


def _time_phrases(text: str, now: datetime) -> Sequence[str]:
    stated = stated_period(text, now)
    return stated.phrases if stated else ()


def _confirm_new_wording(memory: Memory, text_before: str) -> None:
    """Confirm the memory now if its wording has really changed: of contradicting memories the newest is believed."""
    if normalized_hash(memory.text) != normalized_hash(text_before):
        memory.last_confirmed_at = timezone.now()
