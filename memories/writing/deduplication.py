"""Duplicate detection for new texts: among the stored memories, and among the texts of one call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from django.utils import timezone

from memories.access import Actor, View
from memories.comparisons.comparing import Compared, NearMemory, compared_space_id
from memories.database import fetch_rows
from memories.drafts import Draft
from memories.models import Memory, MemoryVector
from memories.queries.selectors import find_quarantined
from memories.relations.comparison import MIN_SAME_COSINE, are_near_duplicates
from memories.relations.statements import statement_key
from memories.vectors.near_pairs import Windows, near_pairs, similarity_between
from memories.vectors.neighbours import CLEAR_DUPLICATE_COSINE, EmbeddedText, Neighbours, find_neighbours
from memories.vectors.spaces import TextVectors
from memories.writing.outdated import compare_if_possible

_SAME_TEXTS = """
SELECT id, text_hash, coalesce(expires_at <= statement_timestamp(), false),
       coalesce(valid_until < statement_timestamp(), false)
FROM memories_memory
WHERE owner_id = %(owner)s AND text_hash = ANY(%(hashes)s::bytea[]) AND deleted_at IS NULL {restriction}
"""


class DedupPolicy(StrEnum):
    """The treatment of a text that is a near-duplicate of an active memory."""

    ASK = "ask"  # store it and report the near-duplicates
    INSERT = "insert"  # store it without looking for near-duplicates
    SKIP_IF_NEAR = "skip_if_near"  # do not store it: return the nearest memory instead


@dataclass(frozen=True, slots=True)
class StoredText:
    """The memory that has a text.

    `has_expired`: it was found expired, and is to be revived. `has_ended`: the time in which it was true is over.
    """

    memory_id: int
    is_indexed: bool = True
    is_quarantined: bool = False
    has_expired: bool = False
    has_ended: bool = False


@dataclass(slots=True)
class NewText:
    """A distinct text of one call, at one or more positions of the call.

    - `vectors`: None until it is embedded, or if that failed.
    - `neighbours`: the stored near-duplicates; `near_earlier`: those among the earlier texts of the call.
    - `possibly_outdated`: the stored memories that it may make outdated.
    - `compared`: the result of comparing it with the nearest memories; None if it was not compared.
    - `stored`: its memory, once it is known or stored.
    - `is_duplicate`: another memory is used instead, so it is not stored.
    """

    draft: Draft
    policy: DedupPolicy
    positions: list[int]
    vectors: TextVectors | None = None
    neighbours: Neighbours = field(default_factory=Neighbours)
    near_earlier: list[tuple[NewText, float]] = field(default_factory=list)
    possibly_outdated: Sequence[tuple[Memory, float]] = ()
    compared: Compared | None = None
    stored: StoredText | None = None
    is_duplicate: bool = False

    @property
    def goes_to_quarantine(self) -> bool:
        """Whether the text is to be stored in quarantine."""
        return self.draft.quarantined_from is not None

    @property
    def wants_neighbours(self) -> bool:
        """Whether the policy needs the near-duplicates of the text."""
        return self.policy is not DedupPolicy.INSERT

    @property
    def may_be_skipped(self) -> bool:
        """Whether a near-duplicate takes its place. Of texts with hidden values, nobody can tell if they are equal."""
        return self.policy is DedupPolicy.SKIP_IF_NEAR and not self.draft.kept

    def replace_by(self, stored: StoredText) -> None:
        """Let a memory that exists take the place of the text."""
        self.stored = stored
        self.is_duplicate = True


def resolve_exact_duplicates(actor: Actor, texts: Sequence[NewText]) -> None:
    """Resolve each text that is stored already, visibly or in quarantine for the same client, to that memory."""
    if not texts:
        return
    found = _visible_duplicates(actor.view, texts)
    found |= _quarantined_duplicates(
        actor, [text for text in texts if text.goes_to_quarantine and text.draft.text_hash not in found]
    )
    if not found:
        return
    indexed = _indexed_ids([stored.memory_id for stored in found.values()])
    for text in texts:
        if stored := found.get(text.draft.text_hash):
            text.replace_by(replace(stored, is_indexed=stored.memory_id in indexed))


def _visible_duplicates(view: View, texts: Sequence[NewText]) -> dict[bytes, StoredText]:
    """Return the visible memories with the same text, by its hash.

    A text that goes to quarantine never revives an expired memory. It is stored in quarantine, unless it is there.
    """
    held = {text.draft.text_hash for text in texts if text.goes_to_quarantine}
    parameters = {
        "hashes": [text.draft.text_hash for text in texts],
        "owner": view.owner_id,
        "only_tags": list(view.only_tags),
    }
    found = {}
    for memory_id, text_hash, has_expired, has_ended in fetch_rows(
        _SAME_TEXTS.format(restriction=view.restriction), parameters
    ):
        if not (has_expired and text_hash in held):
            has_ended_here = has_ended and text_hash not in held
            found[text_hash] = StoredText(memory_id, has_expired=has_expired, has_ended=has_ended_here)
    return found


def _quarantined_duplicates(actor: Actor, texts: Sequence[NewText]) -> dict[bytes, StoredText]:
    """Return the quarantined memories with the same text from the same client, by the hash of the text."""
    if not texts:
        return {}
    clients = {text.draft.text_hash: text.draft.quarantined_from for text in texts}
    now = timezone.now()
    return {
        text_hash: StoredText(
            memory.pk, is_quarantined=True, has_expired=memory.expires_at is not None and memory.expires_at <= now
        )
        for (text_hash, client), memory in find_quarantined(actor.owner_id, list(clients)).items()
        if clients.get(text_hash) == client
    }


def _indexed_ids(memory_ids: Sequence[int]) -> set[int]:
    return set(MemoryVector.objects.filter(memory__in=memory_ids).values_list("memory_id", flat=True))


def find_near_duplicates(view: View, texts: Sequence[NewText]) -> None:
    """Find the near-duplicates of each text, stored or earlier in the call, and apply SKIP_IF_NEAR."""
    embedded = [(text, text.vectors) for text in texts if text.vectors is not None]
    asking = [(text, vectors) for text, vectors in embedded if text.wants_neighbours]
    if not asking:
        return
    found = find_neighbours(view, [EmbeddedText(text.draft.text, vectors) for text, vectors in asking])
    for (text, vectors), neighbours in zip(asking, found, strict=True):
        text.neighbours = neighbours
        if text.may_be_skipped:
            _skip_if_clear(text, vectors)
    _find_near_earlier(embedded)


def _skip_if_clear(text: NewText, vectors: TextVectors) -> None:
    """Let the nearest near-duplicate take the place of a text, unless the cross-encoder reads both as a change."""
    clear = [NearMemory(*pair) for pair in text.neighbours.active if pair[1] >= CLEAR_DUPLICATE_COSINE]
    text.neighbours.remove_active({each.memory.pk for each in _read_as_changes(text, vectors, clear)})
    if nearest := text.neighbours.clear_duplicate:
        text.replace_by(StoredText(nearest.pk))


def _read_as_changes(text: NewText, vectors: TextVectors, near: Sequence[NearMemory]) -> Sequence[NearMemory]:
    """Return the memories that cannot be current at the same time as a text. No query.

    Words and cosine can be almost equal although something has changed: "drafted the contract", "signed the contract".
    """
    if not near or vectors.space_id != compared_space_id():
        return ()
    compared = compare_if_possible(text.draft.text, text.draft.last_confirmed_at or timezone.now(), near)
    return compared.changes if compared else ()


def _find_near_earlier(embedded: Sequence[tuple[NewText, TextVectors]]) -> None:
    """Note the near-duplicates of each text among the earlier ones of the call. Only equal keys can say the same."""
    keys = [statement_key(text.draft.text) for text, _ in embedded]
    numbers = Counter(keys)
    comparable = [each for each, key in zip(embedded, keys, strict=True) if numbers[key] > 1]
    if not comparable:
        return
    windows = Windows.of_texts([vectors.windows for _, vectors in comparable])
    for later, earlier in near_pairs(windows, MIN_SAME_COSINE):
        (text, vectors), (other, other_vectors) = comparable[later], comparable[earlier]
        if text.wants_neighbours and not other.is_duplicate and not other.goes_to_quarantine:
            _note_near_earlier(text, vectors, other, similarity_between(vectors.windows, other_vectors.windows))


def _note_near_earlier(text: NewText, vectors: TextVectors, earlier: NewText, similarity: float) -> None:
    is_noted = any(noted is earlier for noted, _ in text.near_earlier)
    if not is_noted and are_near_duplicates(text.draft.text, earlier.draft.text, similarity):
        text.near_earlier.append((earlier, similarity))
        if text.may_be_skipped and similarity >= CLEAR_DUPLICATE_COSINE:
            text.is_duplicate |= not _is_change_of(text, vectors, earlier, similarity)


def _is_change_of(text: NewText, vectors: TextVectors, earlier: NewText, similarity: float) -> bool:
    """Return whether a text cannot be current at the same time as an earlier one of the call, which is not stored
    yet."""
    confirmed_at = earlier.draft.last_confirmed_at or text.draft.last_confirmed_at or timezone.now()
    memory = Memory(text=earlier.draft.text, last_confirmed_at=confirmed_at)
    return bool(_read_as_changes(text, vectors, [NearMemory(memory, similarity)]))


def report_near_earlier(view: View, texts: Sequence[NewText]) -> None:
    """Add near-duplicates from the same call to the neighbours, or let the nearest of them replace a skipped text."""
    later = [text for text in texts if text.near_earlier]
    if not later:
        return
    for text in later:
        text.near_earlier.sort(key=lambda pair: -pair[1])
        if text.is_duplicate and text.stored is None:
            nearest = text.near_earlier[0][0].stored
            assert nearest is not None
            text.replace_by(StoredText(nearest.memory_id))
    memories = _stored_memories(view, later)
    for text in later:
        near = [(earlier.stored, similarity) for earlier, similarity in text.near_earlier]
        text.neighbours.add_active(
            [(memories[at.memory_id], similarity) for at, similarity in near if at and at.memory_id in memories]
        )


def _stored_memories(view: View, later: Sequence[NewText]) -> Mapping[int, Memory]:
    ids = {earlier.stored.memory_id for text in later for earlier, _ in text.near_earlier if earlier.stored}
    return Memory.objects.visible_to(view).in_bulk(ids)
