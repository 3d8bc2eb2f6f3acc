"""Remembering new texts: checking, embedding and storing those that are not duplicates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.db import transaction
from django.utils import timezone

from common.inferences import ALL, first_refused
from memories.access import Actor, View
from memories.comparisons.storing import store_comparisons
from memories.database import refuse_growth
from memories.drafts import Draft, KeptValue
from memories.errors import InvalidInput, MemoriesError
from memories.models import JournalEntry, Memory
from memories.tags import TagChange, apply_synonyms, synonyms_of, tag_changes
from memories.vectors.indexing import embed_or_leave_pending
from memories.vectors.near_pairs import Progress
from memories.vectors.neighbours import Neighbours
from memories.writing import journal, locking
from memories.writing.corrected import note_corrected
from memories.writing.deduplication import (
    DedupPolicy,
    NewText,
    StoredText,
    find_near_duplicates,
    report_near_earlier,
    resolve_exact_duplicates,
)
from memories.writing.hidden_values import Hiding
from memories.writing.insertion import NewMemory, insert_memories
from memories.writing.lifecycle import restate_memory, revive_memory
from memories.writing.outdated import find_related

PROGRESS_CHECKED, PROGRESS_EMBEDDED, PROGRESS_COMPARED = 0.05, 0.75, 0.85
"""Approximate share of the work done once the texts are checked, embedded, and compared with the stored memories."""


@dataclass(frozen=True, slots=True)
class RememberRequest:
    """One text to remember and the policy for its near-duplicates."""

    draft: Draft
    policy: DedupPolicy = DedupPolicy.ASK


@dataclass(slots=True)
class RememberOutcome:
    """The outcome for one text: its memory's id, and whether it was a duplicate, is indexed and is quarantined.

    `possibly_outdated` are the memories that the text may make outdated, if it was the only new one of a call.
    `tag_changes` is empty for a duplicate, which keeps the tags it has. `kept` are the values that were hidden.
    """

    memory_id: int
    is_duplicate: bool = False
    indexed: bool = True
    quarantined: bool = False
    neighbours: Neighbours = field(default_factory=Neighbours)
    possibly_outdated: Sequence[tuple[Memory, float]] = ()
    tag_changes: Sequence[TagChange] = ()
    kept: Sequence[KeptValue] = ()


def remember(actor: Actor, request: RememberRequest) -> RememberOutcome:
    """Store one text, or find the memory that has it already. Raises the errors of `Draft.checked`."""
    outcome = remember_all(actor, [request])[0]
    if isinstance(outcome, MemoriesError):
        raise outcome
    return outcome


def remember_all(
    actor: Actor,
    requests: Sequence[RememberRequest],
    progress: Progress | None = None,
    *,
    leaves_pending: bool = False,
) -> list[RememberOutcome | MemoriesError]:
    """Store many texts with one embedding call and return the outcomes by position. An invalid text fails alone.

    If a memory outside the actor's view has the same text, it gets those of the new tags that the view allows,
    and the outcome is that of a new memory: an owner has each text only once, and the actor knows the text anyway.
    Inferences of a quarantined actor are quarantined, unless an active memory in view has the same text. Inferences
    that the owner refuses from the actor are invalid. `progress` may raise, and is therefore not called any more once
    anything is stored. With `leaves_pending`, the job process embeds
    the texts, except those whose policy needs their near-duplicates. Raises StorageFull.
    """
    refuse_growth()
    outcomes: dict[int, RememberOutcome | MemoriesError] = {}
    hide = Hiding(actor)
    checked = _prepare_drafts(dict(enumerate(requests)), lambda draft: draft.checked(hide), outcomes)
    synonyms = synonyms_of(actor.view, (tag for request in checked.values() for tag in request.draft.tags))
    tagged = _prepare_drafts(checked, lambda draft: _with_final_tags(draft, actor.view, synonyms), outcomes)
    ready = _prepare_drafts(tagged, lambda draft: _as_allowed(draft, actor), outcomes)
    for text in _remember_checked(actor, ready, progress or _ignore_progress, leaves_pending=leaves_pending):
        outcomes.update(_outcomes(text))
    for position, outcome in outcomes.items():
        if isinstance(outcome, RememberOutcome) and not outcome.is_duplicate:
            outcome.tag_changes = tag_changes(requests[position].draft.tags, synonyms)
    return [outcomes[position] for position in range(len(requests))]


def _prepare_drafts(
    requests: Mapping[int, RememberRequest],
    prepare: Callable[[Draft], Draft],
    outcomes: dict[int, RememberOutcome | MemoriesError],
) -> dict[int, RememberRequest]:
    """Return the requests with prepared drafts. A failed one is left out, and its error is recorded as its outcome."""
    prepared: dict[int, RememberRequest] = {}
    for position, request in requests.items():
        try:
            prepared[position] = RememberRequest(prepare(request.draft), request.policy)
        except MemoriesError as error:
            outcomes[position] = error
    return prepared


def _with_final_tags(draft: Draft, view: View, synonyms: Mapping[str, str]) -> Draft:
    tags = tuple(view.completed(apply_synonyms(draft.tags, synonyms)))
    return draft if tags == draft.tags else draft.with_tags(tags)


def _as_allowed(draft: Draft, actor: Actor) -> Draft:
    """Quarantine what a quarantined actor inferred. Only owners pin and hide.

    Raises InvalidInput for an inference that the owner refuses from the actor.
    """
    is_inferred = draft.capture_mode == Memory.CaptureMode.INFERRED
    if is_inferred and (reason := first_refused(actor.refused_inferences, draft.tags)):
        raise InvalidInput(_why_refused(reason), argument="capture_mode")
    if actor.is_quarantined and is_inferred:
        draft = replace(draft, quarantined_from=actor.client)
    if draft.briefing_place is not None and not actor.is_owner:
        draft = replace(draft, briefing_place=None)
    return draft


def _why_refused(reason: str) -> str:
    about = "" if reason == ALL else f" about {reason}"
    return (
        f"must be explicit. The user does not want this app to store its own conclusions{about}. "
        "Store only what the user tells you to remember."
    )


def _ignore_progress(share: float) -> None:
    """Ignore the progress."""


def _remember_checked(
    actor: Actor, requests: Mapping[int, RememberRequest], progress: Progress, *, leaves_pending: bool
) -> list[NewText]:
    """Store the texts that are not duplicates. Return all distinct texts, each with its memory."""
    texts = _distinct_texts(requests)
    resolve_exact_duplicates(actor, texts)
    fresh = [text for text in texts if not text.is_duplicate]
    if not fresh:
        _revive(actor, texts)
        return texts
    progress(PROGRESS_CHECKED)
    to_embed = [text for text in fresh if text.wants_neighbours or not leaves_pending]
    for text, vectors in zip(to_embed, embed_or_leave_pending([text.draft.text for text in to_embed]), strict=True):
        text.vectors = vectors
    progress(PROGRESS_EMBEDDED)
    # Revive first: a revived memory can be a near-duplicate of another text of the call.
    is_any_revived = _revive(actor, texts)
    find_near_duplicates(actor.view, fresh)
    note_corrected(actor.view, fresh)
    if not is_any_revived:
        progress(PROGRESS_COMPARED)
    if len(fresh) == 1:
        _note_related(actor.view, fresh[0])
    _insert(actor, [text for text in fresh if not text.is_duplicate])
    report_near_earlier(actor.view, fresh)
    if len(fresh) == 1:
        _store_comparison(actor.view, fresh[0])
    return texts


def _note_related(view: View, text: NewText) -> None:
    """Note what the text may make outdated, and what says the same in other words."""
    if text.vectors is None or not text.wants_neighbours or text.is_duplicate or text.goes_to_quarantine:
        return
    known = {memory.pk for memory, _ in text.neighbours.active}
    confirmed_at = text.draft.last_confirmed_at or timezone.now()
    related = find_related(view, text.draft.text, text.vectors, confirmed_at, known)
    text.possibly_outdated = related.possibly_outdated
    text.compared = related.compared
    if related.compared:
        text.neighbours.remove_active({each.memory.pk for each in related.compared.changes})
        text.neighbours.add_active([near for near in related.compared.repeats if near.memory.pk not in known])


def _store_comparison(view: View, text: NewText) -> None:
    """Store the result of comparing the text. If the view hides memories, the job process compares it with all."""
    if text.compared and text.stored and not text.is_duplicate and view.is_whole:
        store_comparisons([(text.stored.memory_id, text.draft.text_hash, text.compared)])


def _distinct_texts(requests: Mapping[int, RememberRequest]) -> list[NewText]:
    texts: dict[bytes, NewText] = {}
    # Explicit requests come first: a text that the same call also infers is then not quarantined.
    for position, request in sorted(requests.items(), key=lambda item: item[1].draft.quarantined_from is not None):
        text = texts.setdefault(request.draft.text_hash, NewText(request.draft, request.policy, []))
        text.positions.append(position)
    return list(texts.values())


def _outcomes(text: NewText) -> dict[int, RememberOutcome]:
    """Return the outcome for each position of the text. If it occurs twice in a call, the second is a duplicate."""
    stored = text.stored
    assert stored is not None
    known = RememberOutcome(stored.memory_id, True, stored.is_indexed, stored.is_quarantined)
    outcomes = dict.fromkeys(text.positions, known)
    if not text.is_duplicate:
        outcomes[text.positions[0]] = replace(
            known,
            is_duplicate=False,
            neighbours=text.neighbours,
            possibly_outdated=text.possibly_outdated,
            kept=text.draft.kept,
        )
    return outcomes


def _revive(actor: Actor, texts: Sequence[NewText]) -> bool:
    """Revive the expired memories whose text was remembered again. Return whether there are any.

    If "dentist next Tuesday" is past, it is about another Tuesday now.
    """
    expired = [(text.draft, text.stored) for text in texts if text.stored and text.stored.has_expired]
    for draft, stored in expired:
        revive_memory(actor, stored.memory_id, expires_at=draft.expires_at, confirmed_at=draft.last_confirmed_at)
    for draft, stored in [(text.draft, text.stored) for text in texts if text.stored and text.stored.has_ended]:
        restate_memory(actor, stored.memory_id, draft)
    return bool(expired)


def _insert(actor: Actor, texts: Sequence[NewText]) -> None:
    """Store the texts. One that another process has stored meanwhile is a duplicate of that memory."""
    remaining = list(texts)
    while remaining:
        ids = insert_memories(actor, [NewMemory(text.draft, text.vectors) for text in remaining])
        for text, memory_id in zip(remaining, ids, strict=True):
            if memory_id is not None:
                text.stored = StoredText(memory_id, text.vectors is not None, text.goes_to_quarantine)
        remaining = [text for text in remaining if text.stored is None]
        shown = [text for text in remaining if _bring_into_view(actor, text.draft)]
        # A text that is still without a memory was forgotten between the two statements: the next round stores it.
        resolve_exact_duplicates(actor, remaining)
        _revive(actor, remaining)
        for text in shown:
            text.is_duplicate = False
        remaining = [text for text in remaining if text.stored is None]


def _bring_into_view(actor: Actor, draft: Draft) -> bool:
    """Add tags of `draft` to the memory with its text if the actor cannot see it. Return whether that was needed."""
    if actor.view.is_whole or draft.quarantined_from is not None:
        return False
    with transaction.atomic():
        memory = locking.with_same_text(actor.owner_id, draft.text_hash).select_for_update(no_key=True).first()
        if memory is None or actor.view.shows(memory.tags):
            return False
        before = journal.snapshot(memory)
        memory.tags = [*memory.tags, *(tag for tag in draft.tags if tag in actor.view.only_tags)]
        locking.save(actor.view, memory, ["tags"])
        journal.write([journal.entry(actor, JournalEntry.Operation.UPDATE, memory, before)])
        return True
