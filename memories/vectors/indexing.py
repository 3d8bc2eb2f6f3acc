"""Embedding of texts and storage of their vectors, now or later: a failing embedder never stops a write."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from common.advisory_locks import locked_where_free
from memories.corpus import MEMORIES, Corpus
from memories.database import fetch_rows
from memories.embeddings.charging import charged_to, owner_charge
from memories.embeddings.interactive import interactive_embedding
from memories.errors import EmbeddingError, EmbeddingRefused
from memories.models import Memory, MemoryQuerySet, MemoryVector
from memories.vectors.spaces import (
    OpenSpace,
    TextVectors,
    space_in_use,
    space_in_use_or_none,
    vector_columns,
    vector_rows,
)
from memories.vectors.vector_blocks import vectors_of

logger = logging.getLogger(__name__)

_owner_of = attrgetter("owner_id")

PENDING_BATCH = 64
MAX_IMMEDIATE_CHARS = 100_000
"""Number of characters that one call embeds before it responds: about half a minute of the local model."""

REFUSAL_STATUSES = frozenset({400, 413, 422})
"""HTTP statuses by which a provider refuses a particular text."""

_ITEM_BITS, _SPACE_BITS = 44, 12
"""Bits of the number of a claim, an advisory lock. Two spaces with equal bits merely exclude each other's claims."""

_ADD_VECTORS = """
INSERT INTO {corpus.vectors} (owner_id, {corpus.item_id}, space_id, "window", embedding, start_char, end_char)
SELECT given.*
FROM unnest(%(owners)s::bigint[], %(items)s::bigint[], %(spaces)s::bigint[], %(windows)s::smallint[],
            %(vectors)b::halfvec[], %(starts)s::int[], %(ends)s::int[])
     AS given(owner_id, item_id, space_id, "window", embedding, start_char, end_char)
JOIN (SELECT id FROM memories_embeddingspace WHERE id = ANY (%(spaces)s::bigint[]) FOR KEY SHARE)
     AS existing ON existing.id = given.space_id
ON CONFLICT DO NOTHING
RETURNING 1
"""


def embed_or_leave_pending(texts: Sequence[str]) -> list[TextVectors | None]:
    """Return the vectors of each text; None for a text that the job process will embed.

    That is every text if the embedder fails, and otherwise those past the first `MAX_IMMEDIATE_CHARS` characters of a
    call. Raises EmbeddingRefused, so that no app gets more embedded by storing than its budget allows.
    """
    lengths = itertools.accumulate(len(text) for text in texts)
    now = texts[: max(1, sum(length <= MAX_IMMEDIATE_CHARS for length in lengths))]
    try:
        with interactive_embedding(len(texts) == 1):
            vectors: list[TextVectors | None] = list(_embed(space_in_use(), now)) if now else []
    except EmbeddingRefused:
        raise
    except EmbeddingError as error:
        logger.warning("%d texts were stored without vectors for now: %s", len(texts), error)
        vectors = []
    return vectors + [None] * (len(texts) - len(vectors))


def _embed(space: OpenSpace, texts: Sequence[str]) -> list[TextVectors]:
    return [TextVectors(space.pk, made.windows, made.spans) for made in space.embedder.embed(texts)]


def replace_vectors(memory: Memory, vectors: TextVectors | None) -> None:
    """Store `vectors` in place of all vectors of `memory`, in any space. With None the memory becomes pending."""
    MemoryVector.objects.filter(memory=memory).delete()
    if vectors is not None:
        add_vectors([(memory, vectors)])


def add_vectors(indexed: Iterable[tuple[Any, TextVectors]], corpus: Corpus = MEMORIES) -> None:
    """Store the vectors of items that have none. Vectors that another process stored meanwhile stay.

    Vectors of a space that has been deleted meanwhile are dropped: their items are pending.
    """
    given = list(indexed)
    rows = vector_rows([vectors for _, vectors in given])
    if rows:
        fetch_rows(
            corpus.in_sql(_ADD_VECTORS),
            {
                "owners": [given[row.ordinal][0].owner_id for row in rows],
                "items": [given[row.ordinal][0].pk for row in rows],
                **vector_columns(rows),
            },
        )


def stored_vectors(owner_id: int, memory_ids: Sequence[int]) -> dict[int, TextVectors]:
    """Return the vectors of the owner's memories by id, for those that have any in the space in use. One query."""
    space = space_in_use_or_none()
    block = None if space is None else vectors_of(owner_id, space.pk, memory_ids)
    if space is None or block is None:
        return {}
    ids, starts = np.unique(block.memory_ids, return_index=True)
    windows = np.split(block.vectors.astype(np.float32), starts[1:])
    return {int(pk): TextVectors(space.pk, matrix) for pk, matrix in zip(ids, windows, strict=True)}


def has_vector(space: OpenSpace | None = None, corpus: Corpus = MEMORIES, after_id: int = 0) -> Exists:
    """Return the condition that an item has vectors in `space`; None means the one in use, if there is any.

    `after_id`: the condition is only used for items with higher ids.
    """
    space = space or space_in_use_or_none()
    vectors = corpus.all_vectors
    of_space = vectors.filter(space_id=space.pk) if space else vectors.none()
    later = of_space.filter(**{f"{corpus.item_id}__gt": after_id}) if after_id else of_space
    return Exists(later.filter(**{corpus.item_id: OuterRef("pk")}))


def pending_memories(space: OpenSpace | None = None) -> MemoryQuerySet:
    """Return the memories of every owner without a vector in a space, tombstones included, oldest first."""
    return Memory.objects.filter(~has_vector(space)).order_by("pk")


def pending_items(corpus: Corpus, space: OpenSpace | None = None, after_id: int = 0) -> QuerySet[Any]:
    """Return the items of every owner with higher ids than `after_id` without a vector in a space, oldest first."""
    # PostgreSQL merges items and vectors in the order of their ids: it must not begin with the first vector each time.
    return corpus.all_items.filter(~has_vector(space, corpus, after_id), pk__gt=after_id).order_by("pk")


def outdated_items(corpus: Corpus, space: OpenSpace, after_id: int = 0) -> QuerySet[Any]:
    """Return the items whose vectors in a space were made by an earlier version, with higher ids than `after_id`.

    These are texts with several windows whose spans are not recorded; of a corpus with divided items, those that were
    embedded as a whole. Windows of several texts have no spans.
    """
    vectors = corpus.all_vectors.filter(space_id=space.pk, **{corpus.item_id: OuterRef("pk")})
    several_without_spans = Exists(vectors.filter(window=1, start_char=None))
    later = corpus.all_items.filter(pk__gt=after_id).order_by("pk")
    if corpus.is_divided is None:
        return later.filter(several_without_spans)
    return later.filter(corpus.is_divided, Exists(vectors), ~several_without_spans)


SelectItems = Callable[[Corpus, OpenSpace, int], QuerySet[Any]]
"""Choice of the items that need new vectors in a space, with higher ids than the last argument."""


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The result of one batch.

    `last_id` is the last item that was considered; `indexed` and `claimed_elsewhere` count the items that were
    indexed and those that other processes work on.
    """

    last_id: int
    indexed: int
    claimed_elsewhere: int


def index_batch(corpus: Corpus, select: SelectItems, space: OpenSpace, after_id: int = 0) -> BatchResult | None:
    """Give the next of the selected items after `after_id` new vectors in `space`; return None when there are none.

    Several processes share the work: each skips the items that another one has claimed. No row is locked while the
    embedder works. If a text has changed meanwhile, its outdated vectors are not stored, and the item stays as it is.
    Raises EmbeddingError.
    """
    wanted = select(corpus, space, after_id)
    ids = list(wanted.values_list("pk", flat=True)[:PENDING_BATCH])
    if not ids:
        return None
    with _claimed(corpus, space, ids) as mine:
        # The process that had claimed them before may have indexed them meanwhile.
        indexed = _embed_for_owners(corpus, space, list(wanted.filter(pk__in=mine)))
        with transaction.atomic():
            still_wanted = wanted.filter(pk__in=[item.pk for item, _ in indexed]).select_for_update()
            current = {item.pk: item.embedded_texts for item in still_wanted}
            unchanged = [(item, vectors) for item, vectors in indexed if current.get(item.pk) == item.embedded_texts]
            replaced = {f"{corpus.item_id}__in": [item.pk for item, _ in unchanged]}
            corpus.all_vectors.filter(space_id=space.pk, **replaced).delete()
            add_vectors(unchanged, corpus)
    return BatchResult(ids[-1], len(unchanged), len(ids) - len(mine))


def index_pending_batch(
    after_id: int = 0, space: OpenSpace | None = None, corpus: Corpus = MEMORIES
) -> BatchResult | None:
    """Index the next batch of pending items in `space`, as `index_batch` does; None means the space in use."""
    space = space or space_in_use()
    return index_batch(corpus, pending_items, space, after_id)


@contextmanager
def _claimed(corpus: Corpus, space: OpenSpace, ids: Sequence[int]) -> Iterator[list[int]]:
    """Claim those of `ids` that no other process works on, for the duration of the block.

    The claims of a killed process end with it.
    """
    upper = space.pk % (1 << _SPACE_BITS) << _ITEM_BITS
    with locked_where_free(corpus.indexing_lock, [upper + item_id for item_id in ids]) as taken:
        yield [number - upper for number in taken]


def _embed_items(space: OpenSpace, items: Sequence[Any]) -> list[tuple[Any, TextVectors]]:
    """Return the items, each with the vectors of all of its texts. Raises EmbeddingError."""
    texts = [item.embedded_texts for item in items]
    vectors = iter(_embed(space, list(itertools.chain.from_iterable(texts))))
    return [(item, _joined(list(itertools.islice(vectors, len(of))))) for item, of in zip(items, texts, strict=True)]


def _joined(vectors: Sequence[TextVectors]) -> TextVectors:
    """Return the windows of all texts of an item, without spans if there are several texts."""
    first, *others = vectors
    return replace(first, windows=np.concatenate([of.windows for of in vectors]), spans=()) if others else first


def _embed_for_owners(corpus: Corpus, space: OpenSpace, batch: Sequence[Any]) -> list[tuple[Any, TextVectors]]:
    """Return the items with their vectors, without those that a budget of their owner or the provider refuses."""
    indexed = []
    for owner_id, items in itertools.groupby(sorted(batch, key=_owner_of), _owner_of):
        try:
            with charged_to(owner_charge(owner_id)):
                indexed += _embed_skipping_refused(corpus, space, list(items))
        except EmbeddingRefused as error:
            logger.warning("Some texts of user %d have no vector for now: %s", owner_id, error)
    return indexed


def _embed_skipping_refused(corpus: Corpus, space: OpenSpace, batch: Sequence[Any]) -> list[tuple[Any, TextVectors]]:
    """Return the items with their vectors, without those whose text the provider refuses.

    One refused text must not keep the others pending. Raises EmbeddingError when the provider itself fails.
    """
    if not batch:
        return []
    try:
        return _embed_items(space, batch)
    except EmbeddingError as error:
        if error.status not in REFUSAL_STATUSES:
            raise
        if len(batch) == 1:
            kind = batch[0]._meta.verbose_name.capitalize()
            logger.warning("%s %d stays without a vector: %s", kind, batch[0].pk, error)
            return []
    return [indexed for item in batch for indexed in _embed_skipping_refused(corpus, space, [item])]
