"""Search for the items of a corpus nearest to a vector: with the owner's index, or by comparing one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from memories.access import View
from memories.corpus import MEMORIES, Corpus
from memories.database import DEFAULT_EF_SEARCH, Row, fetch_rows
from memories.embeddings.base import Matrix, Vector
from memories.vectors.hnsw import VectorIndex, index_of
from memories.vectors.spaces import as_halfvec, as_halfvecs

MAX_COMPARED_ITEMS = 3_000
"""Number of matching items up to which they are compared one by one: an index would pass over all others."""

WINDOWS_PER_ITEM = (1.25, 5.0)
"""Numbers of windows read per wanted item: at first, and if windows of long items displaced other items."""

SEARCHED_PER_WINDOW = 2
"""Number of vectors that an index search considers per returned one: docs/decisions/vector-index.md."""

MAX_EF_SEARCH = 1_000

CANDIDATES_PER_WINDOW, MIN_CANDIDATES = 3, 128
"""Number of candidates of a binary index that are compared exactly, per returned window and at least."""

READ_PER_SEARCH = 60
"""Number of stored vectors that can be read in the time of one search in an index."""

_SELECTED = """
SELECT id FROM {corpus.items} WHERE owner_id = %(owner)s AND {conditions} {restriction} LIMIT %(few)s
"""
_AMONG = """
SELECT {corpus.item_id}, -(embedding <#> %(vector)s::halfvec) AS similarity, false
FROM {corpus.vectors} WHERE space_id = %(space)s AND {corpus.item_id} = ANY(%(ids)s::bigint[])
"""
# The condition is a scalar subquery, in no join, so that it is evaluated for the nearest vectors only, whatever number
# of rows the planner estimates.
_MEETS = "(SELECT {conditions} {restriction} FROM {corpus.items} WHERE id = vector.{corpus.item_id})"
# Row comparisons leave the planner one index to choose and give both bounds of its range. With another index it would
# read what other owners have stored since, and beside an equality it would begin at the owner's first vector. The limit
# is not a parameter, so that a plan is reused for the next question.
_ONE_BY_ONE = """
SELECT {corpus.item_id}, -distance AS similarity, false AS is_covered
FROM (
    SELECT {corpus.item_id}, embedding <#> %(vector)s::halfvec AS distance
    FROM {corpus.vectors}
    WHERE (owner_id, space_id, {corpus.item_id}) > (%(owner)s::bigint, %(space)s::bigint, %(covered)s::bigint)
      AND (owner_id, space_id) <= (%(owner)s::bigint, %(space)s::bigint)
    ORDER BY distance, {corpus.item_id} DESC OFFSET 0
) AS vector
WHERE {meets} ORDER BY distance, {corpus.item_id} DESC LIMIT {windows}
"""
# The candidates of a binary index are more than what is wanted, and are put into the order of their exact distances.
# The items meet the selection's conditions either within the search, which continues until there are enough, or after
# it, which looks up no more of them than are wanted.
_BY_INDEX = """
SELECT {corpus.item_id}, similarity, true AS is_covered
FROM (
    SELECT {corpus.item_id}, -(embedding <#> %(vector)s::halfvec) AS similarity
    FROM (
        SELECT {corpus.item_id}, embedding FROM {corpus.vectors} AS vector
        WHERE {covered} AND {considering} AND {meets_within} ORDER BY {distance} LIMIT {candidates}
    ) AS near
    ORDER BY similarity DESC OFFSET 0
) AS vector
WHERE {meets_after} ORDER BY similarity DESC LIMIT {windows}
"""
_FOR_EACH = """
SELECT number, found.* FROM unnest(%(vectors)b::halfvec[]) WITH ORDINALITY AS given(vector, number)
CROSS JOIN LATERAL ({search}) AS found
"""
# An uncorrelated subquery is evaluated once, before the search begins. It saves a statement of its own.
_CONSIDERING = "(SELECT set_config('hnsw.ef_search', '{searched}', true)) IS NOT NULL"


@dataclass(frozen=True, slots=True)
class Selection:
    """The items of a view that may be found: those that meet `conditions`, SQL on a row of the items.

    `is_narrow`: the conditions may exclude most of the view.
    """

    view: View
    conditions: str
    parameters: Mapping[str, object] = field(default_factory=dict)
    is_narrow: bool = False
    corpus: Corpus = MEMORIES

    def format_sql(self, sql: str) -> str:
        """Return `sql` with the corpus, the conditions and the view's restriction filled in."""
        return self.corpus.in_sql(sql).format(conditions=f"({self.conditions})", restriction=self.view.restriction)

    @property
    def all_parameters(self) -> dict[str, object]:
        """The parameters of the SQL of conditions and restriction."""
        return {**self.parameters, "owner": self.view.owner_id, "only_tags": list(self.view.only_tags)}


class NearItem(NamedTuple):
    """The id of an item and the cosine of its best window, -1 to 1."""

    item_id: int
    similarity: float


@dataclass(slots=True)
class FurtherColumns:
    """SQL that reads more about the items in the statement of a search, which saves a round trip.

    - `sql`: a statement around `{search}`, which selects the columns of the search (the id of the item, `similarity`
      and `is_covered`) of all its rows, and then others, of which the first is null where there is nothing to read.
    - `parameters`: those of `sql`. Those of the search (`vector`, `space` and `owner`) can be used as well.
    - `rows`: the other columns, where they are not null, of the last search; None if it could not read them.
    """

    sql: str
    parameters: Mapping[str, object]
    rows: list[Row] | None = None

    def split(self, rows: list[Row]) -> list[Row]:
        """Keep the other columns of `rows`, and return the columns of the search."""
        self.rows = [row[3:] for row in rows if row[3] is not None]
        return [row[:3] for row in rows]


def nearest_items(
    selection: Selection, space_id: int, vector: Vector, count: int, further: FurtherColumns | None = None
) -> list[NearItem]:
    """Return at most `count` of the selected items, nearest to `vector` first; ties: newest first.

    `vector` belongs to the space `space_id`. The result is exact for an owner without an index and for a narrow
    selection; with an index about 1 in 100 may be missing. Takes one query, two for a narrow selection, and one more if
    most of the nearest are inactive. The rows of `further` are not read for a narrow selection.
    """
    parameters = {**selection.all_parameters, "vector": as_halfvec(vector), "space": space_id}
    if selection.is_narrow or not selection.view.is_whole:
        rows = fetch_rows(selection.format_sql(_SELECTED), {**selection.all_parameters, "few": MAX_COMPARED_ITEMS + 1})
        if len(rows) <= MAX_COMPARED_ITEMS:
            return _best(
                fetch_rows(selection.corpus.in_sql(_AMONG), {**parameters, "ids": [row[0] for row in rows]}), count
            )
    index = index_of(selection.view.owner_id, space_id, selection.corpus)
    for windows in (int(share * count) for share in WINDOWS_PER_ITEM):
        if index is None:
            found = _one_by_one(selection, parameters, windows, further)
            is_exhausted = len(found) < windows
        else:
            found = _by_index(selection, parameters, windows, index, len(vector), further=further)
            is_exhausted = _count_covered(found) < windows
        best = _best(found, count)
        if index is None and is_exhausted:
            return best
        if is_exhausted:
            # The index search ended among memories that are not selected. Those that the index does not cover must not
            # take the places of the ones that it missed.
            break
        if len(best) == count:
            return best
    return _best(_one_by_one(selection, parameters, None, further), count)


def nearest_to_each(selection: Selection, space_id: int, vectors: Matrix, count: int) -> list[list[NearItem]] | None:
    """Return what `nearest_items` returns for each of the vectors (shape (vectors, dimensions)), in one query.

    None if it is faster to read all stored vectors, or if an index search ended early. One more query counts them.
    """
    index = index_of(selection.view.owner_id, space_id, selection.corpus)
    if index is None or not selection.view.is_whole or index.count_vectors() < READ_PER_SEARCH * len(vectors):
        return None
    windows = int(WINDOWS_PER_ITEM[0] * count)
    search = _index_search(selection, windows, index, vectors.shape[1]).replace("%(vector)s", "given.vector")
    given = {"vectors": as_halfvecs(vectors), "space": space_id, "covered": index.covered}
    found: list[list[Row]] = [[] for _ in vectors]
    for number, *row in fetch_rows(_FOR_EACH.format(search=search), {**selection.all_parameters, **given}):
        found[number - 1].append(tuple(row))
    if any(_count_covered(rows) < windows for rows in found):
        return None
    return [_best(rows, count) for rows in found]


def _one_by_one(
    selection: Selection,
    parameters: Mapping[str, object],
    windows: int | None,
    further: FurtherColumns | None = None,
) -> list[Row]:
    one_by_one = selection.corpus.in_sql(_ONE_BY_ONE)
    sql = one_by_one.format(meets=selection.format_sql(_MEETS), windows="ALL" if windows is None else windows)
    return _fetch(sql, {**parameters, "covered": 0}, further)


def _fetch(sql: str, parameters: Mapping[str, object], further: FurtherColumns | None) -> list[Row]:
    if further is None:
        return fetch_rows(sql, parameters)
    # psycopg caches the parsed form of short statements only: hence no superfluous white space.
    complete = further.sql.replace("{search}", " ".join(sql.split()))
    return further.split(fetch_rows(complete, {**parameters, **further.parameters}))


def _by_index(
    selection: Selection,
    parameters: Mapping[str, object],
    windows: int,
    index: VectorIndex,
    dimensions: int,
    *,
    further: FurtherColumns | None,
) -> list[Row]:
    """Return the nearest of the vectors that the index covers, and of those that it does not cover."""
    parameters = {**parameters, "covered": index.covered}
    is_wide = index.is_binary and selection.view.is_whole and not selection.is_narrow
    found = _fetch(_index_search(selection, windows, index, dimensions, checks_after=is_wide), parameters, further)
    if is_wide and _count_covered(found) < windows:
        # Most of the nearest are not selected: they are expired or forgotten.
        found = _fetch(_index_search(selection, windows, index, dimensions), parameters, further)
    return found


def _count_covered(found: list[Row]) -> int:
    return sum(is_covered for _, _, is_covered in found)


def _index_search(
    selection: Selection, windows: int, index: VectorIndex, dimensions: int, *, checks_after: bool = False
) -> str:
    """Return the SQL of a search. `checks_after`: fewer than `windows` may be found if few items are selected."""
    meets = selection.format_sql(_MEETS)
    by_index, one_by_one = selection.corpus.in_sql(_BY_INDEX), selection.corpus.in_sql(_ONE_BY_ONE)
    candidates = max(CANDIDATES_PER_WINDOW * windows, MIN_CANDIDATES) if index.is_binary else windows
    # All candidates of a binary index come from one pass of the search: a second one takes longer and finds no more.
    searched = min(candidates if index.is_binary else SEARCHED_PER_WINDOW * windows, MAX_EF_SEARCH)
    covered = by_index.format(
        covered=index.condition,
        considering=_CONSIDERING.format(searched=searched) if searched > DEFAULT_EF_SEARCH else "true",
        meets_within="true" if checks_after else meets,
        meets_after=meets if checks_after else "true",
        distance=index.distance(dimensions, "%(vector)s"),
        candidates=candidates,
        windows=windows,
    )
    return f"({covered}) UNION ALL ({one_by_one.format(meets=meets, windows=windows)})"


def _best(rows: list[Row], count: int) -> list[NearItem]:
    """Return the items by their best window, nearest first.

    Done in Python: PostgreSQL does not use the index when it has to break ties.
    """
    best: dict[int, float] = {}
    for item_id, similarity, _ in rows:
        best[item_id] = max(similarity, best.get(item_id, -1.0))
    nearest = sorted((NearItem(*pair) for pair in best.items()), key=lambda near: (-near.similarity, -near.item_id))
    return nearest[:count]
