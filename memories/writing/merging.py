"""Merging several memories into one, and splitting one into several. The replaced ones become tombstones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from common.texts import translatable
from memories.access import Actor
from memories.comparisons.pending import compare_at_once
from memories.database import refuse_growth
from memories.drafts import Draft, Hide, KeptValue, SafeText, safe_text
from memories.errors import InvalidInput, MemoriesError
from memories.models import JournalEntry, Memory
from memories.validation.text import MAX_TAGS, normalized_hash
from memories.vectors.indexing import embed_or_leave_pending
from memories.vectors.spaces import TextVectors
from memories.writing import journal, locking
from memories.writing.briefing_places import inherit_place
from memories.writing.hidden_values import Hiding, inherit_values, store_values
from memories.writing.insertion import NewMemory, insert_memories
from memories.writing.seen_values import MergedChanged, SeenTexts, changed_since_seen

MAX_MERGED = 50
MAX_PARTS = 20
_NAMES_SUCCESSORS = re.compile(r"(Merged into memory|Split into memories) [\d, ]+\.")


@dataclass(frozen=True, slots=True)
class Replacement:
    """The memories that replace others, by id. In a dry run, those that do not exist yet are left out.

    `kept` are the values that were hidden.
    """

    new_ids: Sequence[int]
    replaced_ids: Sequence[int]
    kept: Sequence[KeptValue] = ()


def merge_memories(
    actor: Actor, memory_ids: Sequence[int], text: str, *, dry_run: bool = False, seen_texts: SeenTexts | None = None
) -> Replacement:
    """Replace several memories by one with `text`.

    It has all their tags, the highest importance, the latest confirmation, and their source and session if these are
    the same. It expires when the last of them would. If one of them has the text already, that one is kept.
    `seen_texts` are those that the owner has seen. Raises MergedChanged for another text, NotFound, InvalidInput,
    the errors of `Draft.checked`, and StorageFull.
    """
    _check_count("ids", len(set(memory_ids)), MAX_MERGED)
    safe = safe_text(text, Hiding(actor, dry_run=dry_run))
    text = safe.text
    if not dry_run:
        refuse_growth()
    vectors = None if dry_run else embed_or_leave_pending([text])[0]
    with transaction.atomic():
        merged = _lock_active(actor, memory_ids)
        if changed_since_seen(merged, seen_texts or {}):
            raise MergedChanged
        kept = next((memory for memory in merged if bytes(memory.text_hash) == normalized_hash(text)), None)
        if kept is None:
            refuse_known(actor, [text])
        replaced = [memory for memory in merged if memory is not kept]
        ids = [memory.pk for memory in replaced]
        if dry_run:
            return Replacement([] if kept is None else [kept.pk], ids, safe.values)
        target = insert(actor, [_merged_draft(merged, text)], [vectors])[0] if kept is None else kept
        _take_over(actor, target, merged, text)
        store_values(actor.owner_id, target.pk, safe.values)
        inherit_values(actor.owner_id, ids, [target])
        _replace(actor, replaced, target, translatable("Merged into memory %(number)s.", number=target.pk))
    compare_at_once(actor.owner_id, [target.pk])
    return Replacement([target.pk], ids, safe.values)


def names_successors(reason: str | None) -> bool:
    """Return whether a merge or a split wrote this reason: the ids in it say nothing beside the memories themselves."""
    return bool(reason and _NAMES_SUCCESSORS.fullmatch(reason))


def split_memory(actor: Actor, memory_id: int, texts: Sequence[str], *, dry_run: bool = False) -> Replacement:
    """Replace a memory by several, one for each of `texts`, with its tags, importance, source and times.

    Raises NotFound, InvalidInput, the errors of `Draft.checked`, and StorageFull.
    """
    _check_count("texts", len(texts), MAX_PARTS)
    hide = Hiding(actor, dry_run=dry_run)
    safe = [_checked_part(position, text, hide) for position, text in enumerate(texts)]
    cleaned, values = [each.text for each in safe], [value for each in safe for value in each.values]
    if len({normalized_hash(text) for text in cleaned}) < len(cleaned):
        raise InvalidInput(translatable("two of them are the same."), argument="texts")
    if not dry_run:
        refuse_growth()
    vectors = [] if dry_run else embed_or_leave_pending(cleaned)
    with transaction.atomic():
        whole = _lock_active(actor, [memory_id])[0]
        refuse_known(actor, cleaned)
        if dry_run:
            return Replacement([], [memory_id], values)
        parts = insert(actor, [_part_draft(whole, text) for text in cleaned], vectors)
        Memory.objects.changeable_by(actor).filter(pk__in=[part.pk for part in parts]).update(split_from=whole)
        for part, each in zip(parts, safe, strict=True):
            store_values(actor.owner_id, part.pk, each.values)
        inherit_values(actor.owner_id, [whole.pk], parts)
        numbers = ", ".join(str(part.pk) for part in parts)
        _replace(actor, [whole], parts[0], translatable("Split into memories %(numbers)s.", numbers=numbers))
    compare_at_once(actor.owner_id, [part.pk for part in parts])
    return Replacement([part.pk for part in parts], [memory_id], values)


def _checked_part(position: int, text: str, hide: Hide) -> SafeText:
    try:
        return safe_text(text, hide)
    except MemoriesError as error:
        raise type(error)(error.problem, f"texts.{position}") from None


def _check_count(argument: str, count: int, limit: int) -> None:
    if not 2 <= count <= limit:
        raise InvalidInput(
            translatable("must be 2 to %(limit)s different ones, not %(count)s.", limit=limit, count=count),
            argument=argument,
        )


def _lock_active(actor: Actor, memory_ids: Sequence[int]) -> list[Memory]:
    """Lock the memories and return them in the order of their ids. Raises NotFound unless all of them are active."""
    locked = {memory.pk: memory for memory in locking.lock_all(actor, set(memory_ids))}
    for memory_id in memory_ids:
        memory = locked.get(memory_id)
        if memory is None or memory.quarantined_from is not None:
            raise locking.not_found(memory_id)
        if memory.deleted_at is not None:
            raise InvalidInput(translatable("Memory %(memory_id)s is forgotten.", memory_id=memory_id))
    return list(locked.values())


def refuse_known(actor: Actor, texts: Iterable[str]) -> None:
    """Raise InvalidInput if a memory that is not deleted has one of the texts."""
    for text in texts:
        known = locking.with_same_text(actor.owner_id, normalized_hash(text)).first()
        if known is not None:
            shown = f"memory {known.pk}" if actor.view.shows(known.tags) else "another memory"
            raise InvalidInput(
                translatable(
                    "%(shown)s already has the text %(text)s. Include it, or use other words.",
                    shown=shown,
                    text=repr(text[:80]),
                )
            )


def _merged_draft(merged: Sequence[Memory], text: str) -> Draft:
    said_explicitly = any(memory.capture_mode == Memory.CaptureMode.EXPLICIT for memory in merged)
    return Draft(
        text,
        source_provider=_common(memory.source_provider for memory in merged),
        session_id=_common(memory.session_id for memory in merged),
        capture_mode=Memory.CaptureMode.EXPLICIT if said_explicitly else Memory.CaptureMode.INFERRED,
        tags=_all_tags(merged),
        importance=max(memory.importance for memory in merged),
        last_confirmed_at=max(memory.last_confirmed_at for memory in merged),
        agent=_common(memory.agent for memory in merged),
    )


def _part_draft(whole: Memory, text: str) -> Draft:
    return Draft(
        text,
        tuple(whole.tags),
        whole.importance,
        whole.source_provider,
        whole.capture_mode,
        whole.session_id,
        whole.expires_at,
        whole.last_confirmed_at,
        # Relative dates in the text mean those of the day on which the whole was said.
        whole.created_at,
        is_imported=True,
        agent=whole.agent,
    )


def _common(values: Iterable[str | None]) -> str | None:
    """Return the value that all have; None if they differ."""
    different = set(values)
    return different.pop() if len(different) == 1 else None


def _all_tags(merged: Iterable[Memory]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag for memory in merged for tag in memory.tags))[:MAX_TAGS]


def insert(actor: Actor, drafts: Sequence[Draft], vectors: Sequence[TextVectors | None]) -> list[Memory]:
    """Store memories that replace others, and return them locked. Raises InvalidInput for a text that is taken."""
    new = [NewMemory(draft.checked(), vector) for draft, vector in zip(drafts, vectors, strict=True)]
    ids = [memory_id for memory_id in insert_memories(actor, new) if memory_id is not None]
    if len(ids) < len(new):
        raise InvalidInput(translatable("Another memory with one of these texts was stored a moment ago. Try again."))
    stored = {memory.pk: memory for memory in locking.lock_all(actor, ids)}
    return [stored[memory_id] for memory_id in ids]


def _take_over(actor: Actor, target: Memory, merged: Sequence[Memory], text: str) -> None:
    """Give `target` what the merged memories had: see `merge_memories`."""
    before = journal.snapshot(target)
    ends = [memory.expires_at for memory in merged]
    target.text = text
    target.tags = list(_all_tags([target, *merged]))
    target.importance = max(memory.importance for memory in merged)
    target.last_confirmed_at = max(memory.last_confirmed_at for memory in merged)
    target.expires_at = max((end for end in ends if end is not None), default=None) if None not in ends else None
    changed = journal.changed_between(before, journal.snapshot(target))
    if changed:
        locking.save(actor.view, target, changed)
        journal.write([journal.entry(actor, JournalEntry.Operation.UPDATE, target, before)])


def _replace(actor: Actor, replaced: Sequence[Memory], successor: Memory, reason: str) -> None:
    """Make tombstones with a successor, which takes over the place in briefings."""
    now = timezone.now()
    entries = []
    for memory in replaced:
        before = journal.snapshot(memory)
        place, memory.briefing_place = memory.briefing_place, None
        memory.deleted_at, memory.forget_reason, memory.replaced_by = now, reason, successor
        locking.save(actor.view, memory, journal.changed_between(before, journal.snapshot(memory)))
        entries.append(journal.entry(actor, JournalEntry.Operation.FORGET, memory, before))
        inherit_place(actor, successor, place)
    journal.write(entries)
