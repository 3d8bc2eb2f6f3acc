"""Remembering new texts: duplicate detection, storage and indexing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from django.db import transaction
from django.utils import timezone

from memories.access import Actor, View
from memories.database import refuse_growth
from memories.drafts import Draft
from memories.errors import MemoriesError
from memories.models import JournalEntry, Memory, MemoryVector
from memories.queries.selectors import find_quarantined
from memories.tags import TagChange, apply_synonyms, synonyms_of, tag_changes
from memories.vectors.indexing import embed_or_leave_pending
from memories.vectors.near_pairs import Progress, Windows, near_pairs, similarity_between
from memories.vectors.neighbours import NEAR_DUPLICATE_COSINE, Neighbours, find_neighbours
from memories.vectors.spaces import TextVectors
from memories.writing import journal, locking
from memories.writing.insertion import NewMemory, insert_memories
from memories.writing.lifecycle import revive_memory

PROGRESS_CHECKED, PROGRESS_EMBEDDED, PROGRESS_COMPARED = 0.05, 0.75, 0.85
"""Approximate share of the work done once the texts are checked, embedded, and compared with the stored memories."""


class DedupPolicy(StrEnum):
    """The treatment of a text that is a near-duplicate of an active memory."""

    ASK = "ask"  # store it and report the near-duplicates
    INSERT = "insert"  # store it without looking for near-duplicates
    SKIP_IF_NEAR = "skip_if_near"  # do not store it: return the nearest memory instead


@dataclass(frozen=True, slots=True)
class RememberRequest:
    """One text to remember and the policy for its near-duplicates."""

    draft: Draft
    policy: DedupPolicy = DedupPolicy.ASK


@dataclass(slots=True)
class RememberOutcome:
    """The outcome for one text: its memory's id, and whether it was a duplicate, is indexed and is quarantined.

    `tag_changes` is empty for a duplicate, which keeps the tags it has.
    """

    memory_id: int
    is_duplicate: bool = False
    indexed: bool = True
    quarantined: bool = False
    neighbours: Neighbours = field(default_factory=Neighbours)
    tag_changes: Sequence[TagChange] = ()


@dataclass(slots=True)
class _Candidate:
    """A distinct text of the call in processing: its positions, its vectors, its neighbours and finally its id."""

    request: RememberRequest
    positions: list[int]
    vectors: TextVectors | None = None
    neighbours: Neighbours = field(default_factory=Neighbours)
    near_earlier: list[tuple[_Candidate, float]] = field(default_factory=list)
    memory_id: int = 0
    is_duplicate: bool = False
    is_indexed: bool = True
    is_in_quarantine: bool = False
    is_to_revive: bool = False

    def outcomes(self) -> dict[int, RememberOutcome]:
        """Return the outcome for each position. If a text occurs twice in a call, the second is a duplicate."""
        known = RememberOutcome(self.memory_id, True, self.is_indexed, self.is_in_quarantine)
        answers = dict.fromkeys(self.positions, known)
        if not self.is_duplicate:
            answers[self.positions[0]] = replace(known, is_duplicate=False, neighbours=self.neighbours)
        return answers

    @property
    def goes_to_quarantine(self) -> bool:
        """Whether the text is to be stored in quarantine."""
        return self.request.draft.quarantined_from is not None

    @property
    def asks_for_near(self) -> bool:
        """Whether the policy needs near-duplicates of the text."""
        return self.request.policy is not DedupPolicy.INSERT

    def note_near_earlier(self, earlier: _Candidate, similarity: float) -> None:
        """Record an earlier candidate of the call as a near-duplicate if `similarity` is high enough."""
        is_known = any(known is earlier for known, _ in self.near_earlier)
        if similarity >= NEAR_DUPLICATE_COSINE and not is_known:
            self.near_earlier.append((earlier, similarity))
            self.is_duplicate |= self.request.policy is DedupPolicy.SKIP_IF_NEAR

    def resolve_to_existing(self, memory_id: int, *, in_quarantine: bool = False, has_expired: bool = False) -> None:
        """Resolve the text to an existing memory: a visible one, or one of the same client in quarantine."""
        self.memory_id = memory_id
        self.is_duplicate = True
        self.is_in_quarantine = in_quarantine
        self.is_to_revive = has_expired


def remember(actor: Actor, request: RememberRequest) -> RememberOutcome:
    """Store one text, or find the memory that has it already. Raises the errors of `Draft.checked`."""
    outcome = remember_all(actor, [request])[0]
    if isinstance(outcome, MemoriesError):
        raise outcome
    return outcome


def remember_all(
    actor: Actor, requests: Sequence[RememberRequest], progress: Progress | None = None
) -> list[RememberOutcome | MemoriesError]:
    """Store many texts with one embedding call and return the outcomes by position. An invalid text fails alone.

    If a memory outside the actor's view has the same text, it gets those of the new tags that the view allows,
    and the outcome is that of a new memory: an owner has each text only once, and the actor knows the text anyway.
    Inferences of a quarantined actor are quarantined, unless an active memory in view has the same text. `progress` may
    raise, and is therefore not called any more once anything is stored. Raises StorageFull.
    """
    refuse_growth()
    outcomes: dict[int, RememberOutcome | MemoriesError] = {}
    checked = _prepare_drafts(dict(enumerate(requests)), lambda draft: draft.checked(), outcomes)
    synonyms = synonyms_of(actor.view, (tag for request in checked.values() for tag in request.draft.tags))
    tagged = _prepare_drafts(checked, lambda draft: _with_final_tags(draft, actor.view, synonyms), outcomes)
    ready = _prepare_drafts(tagged, lambda draft: _quarantine_if_inferred(draft, actor), outcomes)
    for candidate in _remember_checked(actor, ready, progress or _ignore_progress):
        outcomes.update(candidate.outcomes())
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
            prepared[position] = replace(request, draft=prepare(request.draft))
        except MemoriesError as error:
            outcomes[position] = error
    return prepared


def _with_final_tags(draft: Draft, view: View, synonyms: Mapping[str, str]) -> Draft:
    return draft.with_tags(view.completed(apply_synonyms(draft.tags, synonyms)))


def _quarantine_if_inferred(draft: Draft, actor: Actor) -> Draft:
    is_held = actor.is_quarantined and draft.capture_mode == Memory.CaptureMode.INFERRED
    return replace(draft, quarantined_from=actor.client) if is_held else draft


def _ignore_progress(share: float) -> None:
    """Ignore the progress."""


def _remember_checked(actor: Actor, requests: dict[int, RememberRequest], progress: Progress) -> list[_Candidate]:
    candidates: dict[bytes, _Candidate] = {}
    # Explicit requests come first: a text that the same call also infers is then not quarantined.
    for position, request in sorted(requests.items(), key=lambda item: item[1].draft.quarantined_from is not None):
        candidates.setdefault(request.draft.text_hash, _Candidate(request, [])).positions.append(position)
    _resolve_exact_duplicates(actor, candidates)
    fresh = [candidate for candidate in candidates.values() if not candidate.is_duplicate]
    if not fresh:
        _revive(actor, candidates.values())
    else:
        progress(PROGRESS_CHECKED)
        all_vectors = embed_or_leave_pending([candidate.request.draft.text for candidate in fresh])
        progress(PROGRESS_EMBEDDED)
        for candidate, vectors in zip(fresh, all_vectors, strict=True):
            candidate.vectors = vectors
            candidate.is_indexed = vectors is not None
        # Revive first: a revived memory can be a near-duplicate of another text of the call.
        is_any_revived = _revive(actor, candidates.values())
        _find_near(actor, fresh)
        if not is_any_revived:
            progress(PROGRESS_COMPARED)
        _insert(actor, [candidate for candidate in fresh if not candidate.is_duplicate])
        _report_near_earlier(actor, fresh)
    return list(candidates.values())


def _resolve_exact_duplicates(actor: Actor, candidates: dict[bytes, _Candidate]) -> None:
    """Resolve candidates to visible memories with the same text; mark those of expired memories to be revived.

    A candidate for quarantine does not revive an expired memory: it is quarantined, unless it is already.
    """
    if not candidates:
        return
    duplicates = Memory.objects.visible_to(actor.view).not_deleted().filter(text_hash__in=list(candidates))
    now = timezone.now()
    for memory_id, text_hash, expires_at in duplicates.values_list("pk", "text_hash", "expires_at"):
        candidate = candidates[bytes(text_hash)]
        has_expired = expires_at is not None and expires_at <= now
        if candidate.goes_to_quarantine and has_expired:
            continue
        candidate.resolve_to_existing(memory_id, has_expired=has_expired)
    _resolve_quarantined_duplicates(
        actor, [candidate for candidate in candidates.values() if candidate.goes_to_quarantine]
    )
    _set_is_indexed([candidate for candidate in candidates.values() if candidate.is_duplicate])


def _resolve_quarantined_duplicates(actor: Actor, candidates: Sequence[_Candidate]) -> None:
    """Resolve candidates to quarantined memories with the same text from the same client."""
    wanted = {
        (candidate.request.draft.text_hash, candidate.request.draft.quarantined_from): candidate
        for candidate in candidates
        if not candidate.is_duplicate
    }
    if not wanted:
        return
    now = timezone.now()
    for said_by, memory in find_quarantined(actor.owner_id, [text_hash for text_hash, _ in wanted]).items():
        if said_by in wanted:
            has_expired = memory.expires_at is not None and memory.expires_at <= now
            wanted[said_by].resolve_to_existing(memory.pk, in_quarantine=True, has_expired=has_expired)


def _revive(actor: Actor, candidates: Iterable[_Candidate]) -> bool:
    """Revive the expired memories whose text was remembered again. Return whether there are any."""
    to_revive = [candidate for candidate in candidates if candidate.is_to_revive]
    for candidate in to_revive:
        draft = candidate.request.draft
        revive_memory(actor, candidate.memory_id, expires_at=draft.expires_at, confirmed_at=draft.last_confirmed_at)
    return bool(to_revive)


def _set_is_indexed(known: Sequence[_Candidate]) -> None:
    if known:
        ids = [candidate.memory_id for candidate in known]
        indexed = set(MemoryVector.objects.filter(memory__in=ids).values_list("memory_id", flat=True))
        for candidate in known:
            candidate.is_indexed = candidate.memory_id in indexed


def _find_near(actor: Actor, fresh: Sequence[_Candidate]) -> None:
    """Find near-duplicates of each candidate, stored or earlier in the call, and apply SKIP_IF_NEAR."""
    indexed = [(candidate, candidate.vectors) for candidate in fresh if candidate.vectors is not None]
    asking = [(candidate, vectors) for candidate, vectors in indexed if candidate.asks_for_near]
    found = find_neighbours(actor.view, [vectors for _, vectors in asking])
    for (candidate, _), neighbours in zip(asking, found, strict=True):
        candidate.neighbours = neighbours
        if neighbours.active and candidate.request.policy is DedupPolicy.SKIP_IF_NEAR:
            candidate.resolve_to_existing(neighbours.active[0][0].pk)
    if not asking:
        return
    for later, earlier in near_pairs(
        Windows.of_texts([vectors.windows for _, vectors in indexed]), NEAR_DUPLICATE_COSINE
    ):
        (candidate, vectors), (other, other_vectors) = indexed[later], indexed[earlier]
        if candidate.asks_for_near and not other.is_duplicate and not other.goes_to_quarantine:
            candidate.note_near_earlier(other, similarity_between(vectors.windows, other_vectors.windows))


def _insert(actor: Actor, candidates: Sequence[_Candidate]) -> None:
    """Store the candidates. Resolve one whose text another process has stored meanwhile to that memory."""
    remaining = list(candidates)
    while remaining:
        ids = insert_memories(actor, [NewMemory(c.request.draft, c.vectors) for c in remaining])
        for candidate, memory_id in zip(remaining, ids, strict=True):
            candidate.memory_id = memory_id or 0
            candidate.is_in_quarantine = candidate.goes_to_quarantine
        remaining = [candidate for candidate in remaining if not candidate.memory_id]
        shown = [candidate for candidate in remaining if _bring_into_view(actor, candidate.request.draft)]
        # A candidate that is still unresolved was forgotten between the two statements: the next round stores it.
        _resolve_exact_duplicates(actor, {candidate.request.draft.text_hash: candidate for candidate in remaining})
        _revive(actor, remaining)
        for candidate in shown:
            candidate.is_duplicate = False
        remaining = [candidate for candidate in remaining if not candidate.memory_id]


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


def _report_near_earlier(actor: Actor, fresh: Sequence[_Candidate]) -> None:
    """Add near-duplicates from the same call to the neighbours, or resolve a skipped text to the nearest of them."""
    later = [candidate for candidate in fresh if candidate.near_earlier]
    if not later:
        return
    for candidate in later:
        candidate.near_earlier.sort(key=lambda pair: -pair[1])
        if candidate.is_duplicate and not candidate.memory_id:
            candidate.resolve_to_existing(candidate.near_earlier[0][0].memory_id)
    ids = {earlier.memory_id for candidate in later for earlier, _ in candidate.near_earlier}
    memories = Memory.objects.visible_to(actor.view).in_bulk(ids)
    for candidate in later:
        near = [
            (memories[earlier.memory_id], similarity)
            for earlier, similarity in candidate.near_earlier
            if earlier.memory_id in memories
        ]
        candidate.neighbours.add_active(near)
