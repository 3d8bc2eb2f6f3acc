"""Corpora: kinds of items that are embedded, indexed and searched by one retrieval engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models import Lookup

from common.advisory_locks import AdvisoryLock

ACTIVE_CONDITION = "deleted_at IS NULL AND (expires_at IS NULL OR expires_at > now())"
"""SQL condition on a row of memories_memory: the memory is neither forgotten nor expired."""

# Few memories are inactive: reading their ids, which have an index of their own, is cheaper than reading all others.
_INACTIVE_IDS = """
    SELECT id FROM memories_memory
    WHERE owner_id = %(owner)s AND (deleted_at IS NOT NULL OR expires_at IS NOT NULL OR quarantined_from IS NOT NULL)
      AND (deleted_at IS NOT NULL OR expires_at <= now() OR quarantined_from IS NOT NULL)
"""


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """A kind of item: its tables, and what its SQL says differently.

    - `name`: begins the names of its vector indexes.
    - `items`, `vectors`, `postings`: the tables. Items have the columns `id`, `owner_id`, `tags`, `created_at`,
      `deleted_at` and `quarantined_from`; the others, which triggers and the engine fill, those of `MemoryVector` and
      `Posting` with `item_id` in place of `memory_id`.
    - `item_model`, `vector_model`: the models of the first two tables. An item has the attribute `embedded_texts`: the
      texts that are embedded, in order, at least one. Its vectors are those of all of them.
    - `item_id`: the column of vectors and postings that refers to the item.
    - `group`: the column of items that are told or written together, in the order of their ids: see the signal
      `beside`.
    - `active`: SQL condition on a row of items that may be found.
    - `inactive_ids`: SQL that selects the ids of an owner's other items.
    - `signals`: SQL for the columns of an item that are signals: `stated`, `importance`, `size`, `last_confirmed_at`,
      `created_at`, `valid_until` and `named_days`.
    - `indexing_lock`: the kind of lock that one process holds while it embeds an item.
    - `is_divided`: the condition on items that they have several embedded texts; None if no item has.
    """

    name: str
    items: str
    vectors: str
    postings: str
    item_model: str
    vector_model: str
    item_id: str
    group: str
    active: str
    inactive_ids: str
    signals: str
    indexing_lock: AdvisoryLock
    is_divided: Lookup[Any] | None = None

    @property
    def all_items(self) -> models.QuerySet[Any]:
        """The items of every owner, for background work."""
        items: models.QuerySet[Any] = apps.get_model(self.item_model)._default_manager.all()
        return items

    @property
    def all_vectors(self) -> models.QuerySet[Any]:
        """The vectors of every owner, for background work."""
        vectors: models.QuerySet[Any] = apps.get_model(self.vector_model)._default_manager.all()
        return vectors

    def in_sql(self, sql: str) -> str:
        """Return `sql` with {corpus.…} filled in, and everything else in braces left for later."""
        return _filled_in(self, sql)


@cache
def _filled_in(corpus: Corpus, sql: str) -> str:
    for name in ("items", "vectors", "postings", "item_id", "group", "signals"):
        sql = sql.replace(f"{{corpus.{name}}}", getattr(corpus, name))
    return sql


MEMORIES = Corpus(
    name="vector",
    items="memories_memory",
    vectors="memories_memoryvector",
    postings="memories_posting",
    item_model="memories.Memory",
    vector_model="memories.MemoryVector",
    item_id="memory_id",
    group="session_id",
    active=ACTIVE_CONDITION,
    inactive_ids=" ".join(_INACTIVE_IDS.split()),
    signals="stated, importance, octet_length(text) AS size, last_confirmed_at, created_at, valid_until, named_days",
    indexing_lock=AdvisoryLock.MEMORY_INDEXING,
)

_registered: dict[str, Corpus] = {MEMORIES.name: MEMORIES}


def register_corpus(corpus: Corpus) -> None:
    """Have the items of another app embedded and indexed as well. Called while the apps are set up."""
    _registered[corpus.name] = corpus


def corpora() -> Iterator[Corpus]:
    """Yield all corpora, memories first."""
    return iter(_registered.values())
