"""Search for stored memories that are near-duplicates of new texts."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

import numpy as np

from memories.access import View
from memories.corpus import ACTIVE_CONDITION
from memories.database import Row, fetch_rows
from memories.embeddings.base import Matrix, Vector
from memories.models import Memory
from memories.relations.comparison import MIN_SAME_COSINE, are_near_duplicates
from memories.relations.statements import statement_key
from memories.vectors.nearest import NearItem, Selection, nearest_items, nearest_to_each
from memories.vectors.spaces import TextVectors
from memories.vectors.vector_blocks import Block, vector_blocks, vectors_of

Similarities = dict[int, float]
"""Cosines of memories, by id."""

CLEAR_DUPLICATE_COSINE = 0.90
"""Least cosine of a near-duplicate that takes the place of a new text, which is then not stored."""

MAX_SHOWN = 5
"""Number of near-duplicates of one text that a result names at most: of the active memories, and of the tombstones."""

MAX_SEARCHED_TEXTS, MAX_SEARCHED_WINDOWS = 8, 16
"""Numbers of texts and windows up to which each window is searched for alone; with more, all are at once."""

MAX_SAME_KEY = 100
"""Number of memories with the key of a text up to which they are compared one by one, instead of a search."""

_MAX_COMPARED = 2_000
"""Number of memories that are compared one by one for all texts of a call together."""

_CANDIDATES = 50
_MOST_CANDIDATES = 1_000
_ACTIVE_OR_FORGOTTEN_CONDITION = "deleted_at IS NOT NULL OR expires_at IS NULL OR expires_at > now()"
_FORGOTTEN_CONDITION = "deleted_at IS NOT NULL"
# The limit is inside, so that a frequent key costs no more than a rare one, however few of its memories are in view. A
# row without a key and a selection says that there are memories without one, and a selected row without a key that
# there are forgotten memories.
_SAME_KEYS = """
SELECT given.key, near.id, near.is_selected
FROM unnest(%(keys)s::bigint[]) AS given(key) CROSS JOIN LATERAL (
    SELECT id, ({conditions} {restriction}) AS is_selected FROM memories_memory
    WHERE owner_id = %(owner)s AND statement_key = given.key LIMIT %(few)s
) AS near
UNION ALL
SELECT NULL, NULL, NULL
WHERE EXISTS (SELECT FROM memories_memory WHERE owner_id = %(owner)s AND statement_key IS NULL)
UNION ALL
SELECT NULL, NULL, true
WHERE EXISTS (SELECT FROM memories_memory WHERE owner_id = %(owner)s AND deleted_at IS NOT NULL {restriction})
"""
_STATES = """
SELECT id, deleted_at IS NOT NULL FROM memories_memory
WHERE id = ANY(%(ids)s::bigint[]) AND owner_id = %(owner)s AND {conditions} {restriction}
"""
_STATES_AND_TEXTS = """
SELECT id, deleted_at IS NOT NULL,
       CASE WHEN statement_key IS NULL OR statement_key = ANY(%(keys)s::bigint[]) THEN text END
FROM memories_memory
WHERE id = ANY(%(ids)s::bigint[]) AND owner_id = %(owner)s AND {conditions} {restriction}
"""


@dataclass(slots=True)
class Neighbours:
    """The memories near one new text, active ones and tombstones, each with its cosine, nearest first.

    `may_be_forgotten`: the view has tombstones, near or not.
    """

    active: list[tuple[Memory, float]] = field(default_factory=list)
    forgotten: list[tuple[Memory, float]] = field(default_factory=list)
    may_be_forgotten: bool = True

    @property
    def clear_duplicate(self) -> Memory | None:
        """The nearest active memory if it is near enough to take the place of the new text."""
        if not self.active or self.active[0][1] < CLEAR_DUPLICATE_COSINE:
            return None
        return self.active[0][0]

    def remove_active(self, memory_ids: Collection[int]) -> None:
        """Remove active memories that turned out to say something else."""
        self.active = [pair for pair in self.active if pair[0].pk not in memory_ids]

    def add_active(self, near: Sequence[tuple[Memory, float]]) -> None:
        """Add active memories, and keep the nearest."""
        self.active = sorted([*self.active, *near], key=lambda pair: (-pair[1], pair[0].pk))[:MAX_SHOWN]


@dataclass(frozen=True, slots=True)
class EmbeddedText:
    """A text and its vectors."""

    text: str
    vectors: TextVectors


def find_neighbours(view: View, texts: Sequence[EmbeddedText]) -> list[Neighbours]:
    """Return the memories of the view that say the same as each new text: see `are_near_duplicates`.

    All texts are embedded in one space. Memories that say the same have the same `Statement.key`: up to `MAX_SAME_KEY`
    with the key of a text are compared with it, which is exact. Takes one query, and one more if there are any. For
    texts with a more frequent key see `_search`. In either case one more query when something is near, and another if
    it says the same.
    """
    if not texts:
        return []
    found, may_be_forgotten = _compare_with_same_key(view, texts)
    remaining = [text for text, near in zip(texts, found, strict=True) if near is None]
    searched = iter(_search(view, remaining) if remaining else [])
    near_texts = [next(searched) if near is None else near for near in found]
    neighbours = _with_memories(view, [text.text for text in texts], near_texts)
    for each in neighbours:
        each.may_be_forgotten = may_be_forgotten
    return neighbours


def _compare_with_same_key(view: View, texts: Sequence[EmbeddedText]) -> tuple[list[Similarities | None], bool]:
    """Return the memories with the key of each text that are near it, or None for a text that must be searched for, and
    whether the view has tombstones.
    """
    keys = [statement_key(text.text) for text in texts]
    by_key, may_be_forgotten = _selected_by_key(view, set(keys))
    candidates = [None if by_key is None else by_key.get(key, []) for key in keys]
    ids = sorted({memory_id for each in candidates for memory_id in each or ()})
    if len(ids) > _MAX_COMPARED:
        return [None] * len(texts), may_be_forgotten
    block = vectors_of(view.owner_id, texts[0].vectors.space_id, ids) if ids else None
    near = [
        None if each is None else _near_among(block, each, text.vectors.windows)
        for text, each in zip(texts, candidates, strict=True)
    ]
    return near, may_be_forgotten


def _selected_by_key(view: View, keys: Collection[int]) -> tuple[dict[int, list[int] | None] | None, bool]:
    """Return the active and forgotten memories of the view by key, and whether there are any forgotten ones.

    The value is None for a key that too many have. Instead of all, None if the keys of some memories are unknown.
    """
    selection = Selection(view, _ACTIVE_OR_FORGOTTEN_CONDITION)
    given = {**selection.all_parameters, "keys": list(keys), "few": MAX_SAME_KEY + 1}
    found: dict[int, list[int] | None] = {}
    rows = fetch_rows(selection.format_sql(_SAME_KEYS), given)
    flags = {is_selected for key, _, is_selected in rows if key is None}
    if None in flags:
        return None, True in flags
    for key, same in itertools.groupby((row for row in rows if row[0] is not None), itemgetter(0)):
        members = [(memory_id, is_selected) for _, memory_id, is_selected in same]
        found[key] = [pk for pk, is_selected in members if is_selected] if len(members) <= MAX_SAME_KEY else None
    return found, True in flags


def _near_among(block: Block | None, memory_ids: Sequence[int], windows: Matrix) -> Similarities:
    """Return those of the memories of a block that are near every window, with the least of their cosines."""
    if block is None or not memory_ids:
        return {}
    among = block.among(np.array(memory_ids))
    # Rounded as they are stored, so that equal texts have a cosine of 1.
    rounded, stored = (each.astype(np.float16).astype(np.float32) for each in (windows, among.vectors))
    lengths = np.linalg.norm(rounded, axis=1)[:, np.newaxis] * np.linalg.norm(stored, axis=1)
    cosines = rounded @ stored.T / lengths
    near = {int(pk): float(cosines[:, among.memory_ids == pk].max(axis=1).min()) for pk in set(among.memory_ids)}
    return {memory_id: cosine for memory_id, cosine in near.items() if cosine >= MIN_SAME_COSINE}


def _search(view: View, texts: Sequence[EmbeddedText]) -> list[Similarities]:
    """Return the memories near each text, as exactly as `nearest_items`.

    More than `MAX_SEARCHED_TEXTS` texts or `MAX_SEARCHED_WINDOWS` windows are searched for in two queries, or all
    stored vectors are read, which is exact. Otherwise takes at most the queries of one search per window, and a few
    more if fifty memories are near.
    """
    space_id = texts[0].vectors.space_id
    windows = np.concatenate([text.vectors.windows for text in texts])
    if len(texts) <= MAX_SEARCHED_TEXTS and len(windows) <= MAX_SEARCHED_WINDOWS:
        found = [_search_near(view, space_id, window) for window in windows]
    else:
        found = _search_near_each(view, space_id, windows) or _scan_near(view, space_id, windows)
    ends = itertools.accumulate(len(text.vectors.windows) for text in texts)
    of_texts = [found[end - len(text.vectors.windows) : end] for text, end in zip(texts, ends, strict=True)]
    return [_near_every_window(of_windows) for of_windows in of_texts]


def _search_near(view: View, space_id: int, window: Vector) -> Similarities:
    found = _only_near(nearest_items(Selection(view, _ACTIVE_OR_FORGOTTEN_CONDITION), space_id, window, _CANDIDATES))
    if len(found) == _CANDIDATES:
        if _forgotten_among(view, found):
            # Forgotten memories must not displace active ones.
            found |= _only_near(nearest_items(Selection(view, ACTIVE_CONDITION), space_id, window, _CANDIDATES))
        found |= _forgotten_near(view, space_id, window)
    return found


def _search_near_each(view: View, space_id: int, windows: Matrix) -> list[Similarities] | None:
    """Return what `_search_near` returns for each window, in few queries; None if a scan is faster."""
    nearest = nearest_to_each(Selection(view, _ACTIVE_OR_FORGOTTEN_CONDITION), space_id, windows, _CANDIDATES)
    if nearest is None:
        return None
    found = [_only_near(each) for each in nearest]
    crowded = [place for place, near in enumerate(found) if len(near) == _CANDIDATES]
    if not crowded:
        return found
    if not Memory.objects.visible_to(view).filter(deleted_at__isnull=False).exists():
        return found
    forgotten = _forgotten_among(view, itertools.chain.from_iterable(found[place] for place in crowded))
    displaced = [place for place in crowded if forgotten & found[place].keys()]
    if displaced:
        # Forgotten memories must not displace active ones.
        active = nearest_to_each(Selection(view, ACTIVE_CONDITION), space_id, windows[displaced], _CANDIDATES)
        if active is None:
            return None
        for place, near in zip(displaced, active, strict=True):
            found[place] |= _only_near(near)
    for place in crowded:
        found[place] |= _forgotten_near(view, space_id, windows[place])
    return found


def _forgotten_among(view: View, memory_ids: Iterable[int]) -> set[int]:
    return {memory_id for memory_id, is_forgotten in _read(_STATES, view, set(memory_ids)) if is_forgotten}


def _forgotten_near(view: View, space_id: int, window: Vector) -> Similarities:
    # Few memories are forgotten. In an index, a search for them would pass over all others.
    selection = Selection(view, _FORGOTTEN_CONDITION, is_narrow=True)
    return _only_near(nearest_items(selection, space_id, window, _CANDIDATES))


def _only_near(nearest: Sequence[NearItem]) -> Similarities:
    return {near.item_id: near.similarity for near in nearest if near.similarity >= MIN_SAME_COSINE}


def _scan_near(view: View, space_id: int, windows: Matrix) -> list[Similarities]:
    """Return the memories near each window after one scan of all stored vectors, even those outside the view."""
    found: list[Similarities] = [{} for _ in windows]
    for block in vector_blocks(view.owner_id, space_id):
        cosines = windows @ block.vectors.astype(np.float32).T
        is_near = cosines >= MIN_SAME_COSINE
        for row in np.flatnonzero(is_near.any(axis=1)):
            columns = np.flatnonzero(is_near[row])
            for column in columns[np.argsort(-cosines[row, columns])][:_MOST_CANDIDATES]:
                memory_id = int(block.memory_ids[column])
                found[row][memory_id] = max(float(cosines[row, column]), found[row].get(memory_id, -1.0))
    return found


def _near_every_window(windows: Sequence[Similarities]) -> Similarities:
    """Return the memories near every window of one text, with the least of their cosines.

    A long text is a near-duplicate only if all of its windows are: one shared passage must not drop the rest.
    """
    shared = set(windows[0]).intersection(*windows[1:])
    return {memory_id: min(window[memory_id] for window in windows) for memory_id in shared}


def _with_memories(view: View, texts: Sequence[str], near_texts: Sequence[Similarities]) -> list[Neighbours]:
    """Return for each text the nearest memories that say the same: active ones and tombstones."""
    rows = _read(
        _STATES_AND_TEXTS,
        view,
        {memory_id for near in near_texts for memory_id in near},
        keys=list({statement_key(text) for text in texts}),
    )
    states = {memory_id: is_forgotten for memory_id, is_forgotten, _ in rows}
    stored = {memory_id: text for memory_id, _, text in rows if text is not None}
    active = [_nearest(near, states, forgotten=False) for near in near_texts]
    forgotten = [_nearest(near, states, forgotten=True) for near in near_texts]

    def same(text: str, near: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
        said = (pair for pair in near if pair[0] in stored and are_near_duplicates(text, stored[pair[0]], pair[1]))
        return list(itertools.islice(said, MAX_SHOWN))

    shown = [(same(text, mine), same(text, gone)) for text, mine, gone in zip(texts, active, forgotten, strict=True)]
    ids = {memory_id for both in shown for near in both for memory_id, _ in near}
    memories = Memory.objects.visible_to(view).in_bulk(ids) if ids else {}

    def loaded(near: Sequence[tuple[int, float]]) -> list[tuple[Memory, float]]:
        return [(memories[memory_id], cosine) for memory_id, cosine in near if memory_id in memories]

    return [Neighbours(loaded(mine), loaded(gone)) for mine, gone in shown]


def _read(sql: str, view: View, ids: Collection[int], **parameters: object) -> list[Row]:
    """Return rows of those of the memories that are active or forgotten. One query, without ids none.

    Almost all of these memories turn out to say something else: as model instances they would cost a multiple.
    """
    if not ids:
        return []
    selection = Selection(view, _ACTIVE_OR_FORGOTTEN_CONDITION)
    return fetch_rows(selection.format_sql(sql), {**selection.all_parameters, **parameters, "ids": list(ids)})


def _nearest(near: Similarities, states: Mapping[int, bool], *, forgotten: bool) -> list[tuple[int, float]]:
    """Return the nearest active memories or tombstones."""
    of_kind = [pair for pair in near.items() if states.get(pair[0]) is forgotten]
    return sorted(of_kind, key=lambda pair: (-pair[1], pair[0]))[:_CANDIDATES]
