"""Tags for memories without any, from the memories that are nearest to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from common.texts import translatable
from memories.access import View
from memories.cleanup.detection.found import ActiveMemory, FindingKind, Found
from memories.embeddings.base import Matrix
from memories.vectors.spaces import current_space_id
from memories.vectors.vector_blocks import vector_blocks

NEIGHBOURS = 5
MIN_AGREEING = 4
"""Number of the NEIGHBOURS nearest tagged memories that must have the tag."""

MIN_COSINE = 0.25
"""Least cosine of each agreeing neighbour."""

MAX_UNTAGGED = 2_000
"""Number of untagged memories that one search looks at, newest first: a bound on the cost."""


def find_tag_suggestions(view: View, memories: Mapping[int, ActiveMemory]) -> Iterator[Found]:
    """Yield the untagged memories whose neighbours agree on a tag."""
    untagged = sorted((memory.id for memory in memories.values() if not memory.tags), reverse=True)[:MAX_UNTAGGED]
    tagged = np.array(sorted(memory.id for memory in memories.values() if memory.tags), np.int64)
    if not untagged or len(tagged) < MIN_AGREEING:
        return
    ids, vectors = _vectors_of(view, np.array(sorted(untagged), np.int64))
    if not len(ids):
        return
    for memory_id, near in zip(ids.tolist(), _nearest(view, vectors, tagged), strict=True):
        if suggestion := agreed_tag([(memories[other].tags, cosine) for other, cosine in near]):
            tag, strength = suggestion
            reason = translatable("Memories about nearly the same are tagged “%(tag)s”.", tag=tag)
            yield Found(FindingKind.TAG_SUGGESTION, [memory_id], reason, strength, {"tags": [tag]})


def agreed_tag(near: Sequence[tuple[Sequence[str], float]]) -> tuple[str, float] | None:
    """Return the tag that enough of the nearest memories have, and their mean cosine. `near` are tags and cosines."""
    votes = Counter(tag for tags, cosine in near if cosine >= MIN_COSINE for tag in set(tags))
    if not votes:
        return None
    tag, count = max(votes.items(), key=lambda item: (item[1], item[0]))
    if count < MIN_AGREEING:
        return None
    cosines = [cosine for tags, cosine in near if tag in tags]
    return tag, sum(cosines) / len(cosines)


def _vectors_of(view: View, wanted: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], Matrix]:
    """Return the ids with vectors, and the vector of the first window of each."""
    blocks = [block.among(wanted) for block in vector_blocks(view.owner_id, current_space_id())]
    if not blocks:
        return wanted[:0], np.empty((0, 1), np.float32)
    ids, first = np.unique(np.concatenate([block.memory_ids for block in blocks]), return_index=True)
    return ids, np.concatenate([block.vectors for block in blocks])[first].astype(np.float32)


def _nearest(view: View, vectors: Matrix, tagged: npt.NDArray[np.int64]) -> list[list[tuple[int, float]]]:
    """Return the NEIGHBOURS nearest tagged memories of each vector, with their cosines, nearest first."""
    best_ids = np.zeros((len(vectors), NEIGHBOURS), np.int64)
    best = np.full((len(vectors), NEIGHBOURS), -1.0, np.float32)
    for block in vector_blocks(view.owner_id, current_space_id()):
        others = block.among(tagged)
        if not len(others.memory_ids):
            continue
        cosines = np.concatenate([best, vectors @ others.vectors.astype(np.float32).T], axis=1)
        ids = np.concatenate([best_ids, np.broadcast_to(others.memory_ids, (len(vectors), len(others.memory_ids)))], 1)
        places = np.argpartition(-cosines, NEIGHBOURS - 1, axis=1)[:, :NEIGHBOURS]
        best, best_ids = np.take_along_axis(cosines, places, 1), np.take_along_axis(ids, places, 1)
    order = np.argsort(-best, axis=1)
    pairs = zip(
        np.take_along_axis(best_ids, order, 1).tolist(), np.take_along_axis(best, order, 1).tolist(), strict=True
    )
    return [[(pk, cosine) for pk, cosine in zip(*pair, strict=True) if pk] for pair in pairs]
