"""The least that the work can cost: the same SQL through bare psycopg, and the bare model."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import count

import psycopg
from django.db import connection
from pgvector.psycopg import register_vector

from benchmarks.load import Timing, timing_of
from benchmarks.texts import memory_texts, questions
from memories import recall as recall_module
from memories.embeddings import get_embedder
from memories.spaces import as_halfvec, current_space_id


def repeat(seconds: float, work: Callable[[int], object]) -> Timing:
    """The timing of `work` done again and again."""
    durations = []
    began = time.perf_counter()
    for number in count():
        start = time.perf_counter()
        if start - began > seconds:
            break
        work(number)
        durations.append(time.perf_counter() - start)
    return timing_of(durations, time.perf_counter() - began)


def bare_connection() -> psycopg.Connection[tuple[object, ...]]:
    """A connection to the server's database without Django."""
    connection.ensure_connection()
    bare = psycopg.connect(connection.connection.info.dsn, autocommit=True, prepare_threshold=2)
    register_vector(bare)
    return bare


def sql_floors(user_id: int, seconds: float) -> Iterator[tuple[str, Timing]]:
    """The bare SQL of recall, text_search and remember, one after the other."""
    asked = questions(200)
    vectors = [as_halfvec(get_embedder().embed_query(question)) for question in asked]
    space_id = current_space_id()
    with bare_connection() as bare:
        candidates = recall_module.CANDIDATES.format(hidden=recall_module.OUT_OF_FORCE)

        def recall(number: int) -> None:
            parameters = {
                "owner": user_id, "space": space_id, "vector": vectors[number % 200], "words": asked[number % 200],
                "tags": None, "since": None, "until": None, "pool": 50, "use_meaning": True, "use_words": True,
            }  # fmt: skip
            ids = [row[0] for row in bare.execute(candidates, parameters).fetchall()]
            bare.execute("SELECT id, text FROM memories_memory WHERE id = ANY(%s)", [ids[:8]]).fetchall()

        def text_search(number: int) -> None:
            bare.execute(
                "SELECT id, text FROM memories_memory WHERE owner_id = %s AND deleted_at IS NULL "
                "AND upper(text) LIKE upper(%s) ORDER BY created_at DESC, id DESC LIMIT 20",
                [user_id, f"%page {number % 900 + 100} b1)%"],
            ).fetchall()

        def insert(number: int) -> None:
            bare.execute(
                "INSERT INTO memories_journalentry (owner_id, memory_id, operation, before, after, client, call_id) "
                "VALUES (%s, 0, 'confirm', '{}', '{}', 'bench', gen_random_uuid())",
                [user_id],
            )

        yield "recall", repeat(seconds, recall)
        yield "text_search", repeat(seconds, text_search)
        yield "remember (one committed insert)", repeat(seconds, insert)


def model_floor(seconds: float) -> Timing:
    """The configured embedder alone, one text at a time."""
    embedder, texts = get_embedder(), memory_texts(500, seed=7)
    return repeat(seconds, lambda number: embedder.embed_query(texts[number % 500]))
